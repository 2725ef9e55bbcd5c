package event

import (
	"time"

	"google.golang.org/grpc"

	machinepb "github.com/ichor-os/ichor/api/machine"
)

// RPC serves the method of MachineService about events.
type RPC struct{ Log *Log }

// Events implements MachineService: first what the tail asks for (a number of
// events, all after an id, or those of the last seconds; a negative number is
// all of them), then what happens.
func (r RPC) Events(in *machinepb.EventsRequest, stream grpc.ServerStreamingServer[machinepb.Event]) error {
	history, changed := r.Log.Since("")
	last := ""
	if len(history) > 0 {
		last = history[len(history)-1].ID
	}
	if err := send(stream, in, tail(in, history, time.Now())); err != nil {
		return err
	}
	for {
		select {
		case <-changed:
		case <-stream.Context().Done():
			return stream.Context().Err()
		}
		var more []Event
		more, changed = r.Log.Since(last)
		if len(more) > 0 {
			last = more[len(more)-1].ID
		}
		if err := send(stream, in, more); err != nil {
			return err
		}
	}
}

func tail(in *machinepb.EventsRequest, history []Event, now time.Time) []Event {
	switch {
	case in.GetTailId() != "":
		from := 0
		for from < len(history) && history[from].ID <= in.GetTailId() {
			from++
		}
		return history[from:]
	case in.GetTailSeconds() > 0:
		oldest, from := now.Add(-time.Duration(in.GetTailSeconds())*time.Second), 0
		for from < len(history) && history[from].Time.Before(oldest) {
			from++
		}
		return history[from:]
	case in.GetTailEvents() < 0:
		return history
	}
	return history[max(0, len(history)-int(in.GetTailEvents())):]
}

func send(stream grpc.ServerStreamingServer[machinepb.Event], in *machinepb.EventsRequest, events []Event) error {
	for _, e := range events {
		if in.GetWithActorId() != "" && in.GetWithActorId() != e.Actor {
			continue
		}
		if err := stream.Send(&machinepb.Event{Data: e.Data, Id: e.ID, ActorId: e.Actor}); err != nil {
			return err
		}
	}
	return nil
}
