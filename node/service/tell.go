package service

import (
	"context"

	"google.golang.org/protobuf/proto"

	machinepb "github.com/ichor-os/ichor/api/machine"
)

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

// Tell publishes an event for each change of a service's state or health until
// ctx ends.
func Tell(ctx context.Context, s *Supervisor, publish func(actor string, event proto.Message)) {
	updates := make(chan Status, 1024)
	stop := s.Watch(updates)
	defer stop()
	for {
		select {
		case status := <-updates:
			publish("", status.event())
		case <-ctx.Done():
			return
		}
	}
}

func (s Status) event() *machinepb.ServiceStateEvent {
	event := &machinepb.ServiceStateEvent{Service: s.ID, Action: actions[s.State], Health: s.Health.proto()}
	if len(s.Events) > 0 {
		event.Message = s.Events[len(s.Events)-1].Message
	}
	return event
}
