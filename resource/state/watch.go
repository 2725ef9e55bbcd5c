package state

import (
	"errors"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	resourcepb "github.com/ichor-os/ichor/api/cosi/resource"
	"github.com/ichor-os/ichor/resource/store"
)

// maxAggregate bounds the events of one response, and so its size.
const maxAggregate = 256

// Watch streams changes of one resource or of a kind. A client that does not
// keep up gets an event of type ERRORED and the code ResourceExhausted; it has
// to watch anew.
func (s *Server) Watch(req *resourcepb.WatchRequest, out grpc.ServerStreamingServer[resourcepb.WatchResponse]) error {
	def, err := s.kind(out.Context(), req.GetType(), Watch)
	if err != nil {
		return err
	}
	opts := req.GetOptions()
	q, err := query(opts.GetLabelQuery(), opts.GetIdQuery())
	if err != nil {
		return err
	}
	if req.Id != nil && !q.Empty() {
		return status.Error(codes.InvalidArgument, "watch: an id and a query exclude each other")
	}
	if opts.GetTailEvents() < 0 {
		return status.Error(codes.InvalidArgument, "watch: tail_events must not be negative")
	}
	k := key(def, req.GetNamespace(), req.GetId())
	w, err := s.engine.Store().Watch(store.WatchRequest{
		Type: k.Type, Namespace: k.Namespace, ID: k.ID, Query: q,
		Bootstrap: opts.GetBootstrapContents(), BootstrapBookmark: opts.GetBootstrapBookmark(),
		From: opts.GetStartFromBookmark(), Tail: int(opts.GetTailEvents()),
	})
	if err != nil {
		return code(err)
	}
	defer w.Close()
	// Tells the client that the watch is in place.
	if err := out.SendHeader(nil); err != nil {
		return err
	}
	for {
		events, err := w.Next(out.Context())
		if err != nil {
			return fail(err, out)
		}
		if err := send(events, opts.GetAggregated(), out); err != nil {
			return err
		}
	}
}

func fail(err error, out grpc.ServerStreamingServer[resourcepb.WatchResponse]) error {
	if errors.Is(err, store.ErrSlow) {
		last := &resourcepb.Event{EventType: resourcepb.EventType_ERRORED, Error: proto.String(err.Error())}
		if err := out.Send(&resourcepb.WatchResponse{Event: []*resourcepb.Event{last}}); err != nil {
			return err
		}
	}
	return code(err)
}

// send sends events one by one, or many at a time when the client asked for
// that.
func send(events []store.Event, aggregated bool, out grpc.ServerStreamingServer[resourcepb.WatchResponse]) error {
	size := 1
	if aggregated {
		size = maxAggregate
	}
	for len(events) > 0 {
		n := min(size, len(events))
		msg := &resourcepb.WatchResponse{Event: make([]*resourcepb.Event, n)}
		for i, e := range events[:n] {
			var err error
			if msg.Event[i], err = eventToWire(e); err != nil {
				return err
			}
		}
		if err := out.Send(msg); err != nil {
			return err
		}
		events = events[n:]
	}
	return nil
}

func eventToWire(e store.Event) (msg *resourcepb.Event, err error) {
	msg = &resourcepb.Event{EventType: resourcepb.EventType(e.Type), Bookmark: e.Bookmark}
	if e.Resource != nil {
		if msg.Resource, err = toWire(e.Resource); err != nil {
			return nil, err
		}
	}
	if e.Old != nil {
		if msg.Old, err = toWire(e.Old); err != nil {
			return nil, err
		}
	}
	return msg, nil
}
