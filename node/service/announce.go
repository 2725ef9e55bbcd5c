package service

import (
	"context"

	"google.golang.org/protobuf/proto"

	machinepb "github.com/ichor-os/ichor/api/machine"
)

// actions of service events, by state; Pre is part of starting.
var actions = map[State]machinepb.ServiceStateEvent_Action{
	Initialized: machinepb.ServiceStateEvent_INITIALIZED,
	Preparing:   machinepb.ServiceStateEvent_PREPARING,
	Waiting:     machinepb.ServiceStateEvent_WAITING,
	Pre:         machinepb.ServiceStateEvent_STARTING,
	Running:     machinepb.ServiceStateEvent_RUNNING,
	Stopping:    machinepb.ServiceStateEvent_STOPPING,
	Finished:    machinepb.ServiceStateEvent_FINISHED,
	Failed:      machinepb.ServiceStateEvent_FAILED,
	Skipped:     machinepb.ServiceStateEvent_SKIPPED,
}

// Announce publishes each change of a service as an event until ctx ends.
func Announce(ctx context.Context, s *Supervisor, publish func(actor string, event proto.Message) error) {
	updates := make(chan Status, 256)
	stop := s.Watch(updates)
	defer stop()
	for {
		select {
		case status := <-updates:
			message := ""
			if n := len(status.Events); n > 0 {
				message = status.Events[n-1].Message
			}
			// Encoding a message that we made does not fail.
			_ = publish("", &machinepb.ServiceStateEvent{
				Service: status.ID, Action: actions[status.State], Message: message, Health: status.Health.proto(),
			})
		case <-ctx.Done():
			return
		}
	}
}
