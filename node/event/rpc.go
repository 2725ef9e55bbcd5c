package event

import (
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	machinepb "github.com/ichor-os/ichor/api/machine"
)

// RPC serves the method of MachineService about events.
type RPC struct{ Ring *Ring }

// Events implements MachineService. It goes on until the caller ends it.
func (r RPC) Events(in *machinepb.EventsRequest, stream grpc.ServerStreamingServer[machinepb.Event]) error {
	if in.GetTailSeconds() < 0 {
		return status.Error(codes.InvalidArgument, "tail_seconds is below 0: give the age of the oldest event to begin with")
	}
	tail := Tail{
		Count: int(in.GetTailEvents()), AfterID: in.GetTailId(), Actor: in.GetWithActorId(),
		Since: time.Duration(in.GetTailSeconds()) * time.Second,
	}
	return r.Ring.Follow(stream.Context(), tail, func(e *machinepb.Event) error {
		// Others read the same event; whoever passes it on may add to it.
		return stream.Send(proto.CloneOf(e))
	})
}
