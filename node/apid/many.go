package apid

import (
	"context"
	"errors"
	"io"
	"sync"

	"golang.org/x/sync/errgroup"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
)

// toMany asks several nodes at the same time and merges their answers. What
// one of them fails with becomes part of the answer; the call itself succeeds.
func (s *Server) toMany(stream grpc.ServerStream, method string, targets []string,
	under *state, who caller, incoming metadata.MD,
) error {
	hops := make([]hop, 0, len(targets))

	defer func() {
		for _, next := range hops {
			next.release()
		}
	}()

	for _, target := range targets {
		next, err := s.hopTo(target, under, who, incoming)
		if err != nil {
			return err
		}

		hops = append(hops, next)
	}

	switch shape := streamsOf(method); {
	case shape.server:
		return s.mergeStreams(stream, method, who, hops)
	case shape.client:
		return s.mergeUploads(stream, method, hops)
	default:
		return s.mergeUnary(stream, method, who, hops)
	}
}

// answer is what a node said to a unary call, or why it said nothing.
type answer struct {
	response []byte
	err      error
}

// mergeUnary puts the messages of unary answers into one, in the order in
// which the nodes were named.
func (s *Server) mergeUnary(stream grpc.ServerStream, method string, who caller, hops []hop) error {
	request, err := s.receive(stream, method, who)
	if err != nil {
		return err
	}

	defer request.free()

	answers := make([]answer, len(hops))

	each(len(hops), func(i int) {
		var response frame

		ctx := metadata.NewOutgoingContext(stream.Context(), hops[i].md)

		if answers[i].err = hops[i].conn.Invoke(ctx, method, request, &response); answers[i].err == nil {
			answers[i].response = response.data.Materialize()
			response.free()
		}
	})

	return sendMerged(stream, hops, answers)
}

// mergeUploads sends what the caller sends to each node, as fast as the
// slowest takes it, and merges the answers.
func (s *Server) mergeUploads(stream grpc.ServerStream, method string, hops []hop) error {
	ctx, cancel := context.WithCancel(stream.Context())
	defer cancel()

	answers := make([]answer, len(hops))
	uploads := make([]grpc.ClientStream, len(hops))

	each(len(hops), func(i int) {
		uploads[i], answers[i].err = hops[i].conn.NewStream(metadata.NewOutgoingContext(ctx, hops[i].md),
			&grpc.StreamDesc{ClientStreams: true}, method)
	})

	for {
		var request frame

		err := stream.RecvMsg(&request)
		if errors.Is(err, io.EOF) {
			break
		}

		if err != nil {
			return err
		}

		for i, upload := range uploads {
			if answers[i].err == nil && upload.SendMsg(&request) != nil {
				// Its status comes with its answer.
				answers[i].err = io.EOF
			}
		}

		request.free()
	}

	each(len(hops), func(i int) {
		if uploads[i] == nil {
			return
		}

		var response frame

		_ = uploads[i].CloseSend()

		if answers[i].err = uploads[i].RecvMsg(&response); answers[i].err == nil {
			answers[i].response = response.data.Materialize()
			response.free()
		}
	})

	return sendMerged(stream, hops, answers)
}

// each calls f with 0 to n-1 at the same time and waits for all.
func each(n int, f func(i int)) {
	var group sync.WaitGroup

	for i := range n {
		group.Go(func() { f(i) })
	}

	group.Wait()
}

func sendMerged(stream grpc.ServerStream, hops []hop, answers []answer) error {
	var merged []byte

	for i, next := range hops {
		part, err := messagesOf(next.target, answers[i])
		if err != nil {
			return err
		}

		merged = append(merged, part...)
	}

	return stream.SendMsg(newFrame(merged))
}

// messagesOf returns what a node adds to a merged response.
func messagesOf(target string, from answer) ([]byte, error) {
	if from.err == nil {
		host, err := hostField(target)
		if err != nil {
			return nil, err
		}

		part, err := appendResponse(nil, from.response, host)
		if err == nil {
			return part, nil
		}

		from.err = status.Error(codes.Internal, err.Error())
	}

	failure, err := failureField(target, from.err)
	if err != nil {
		return nil, err
	}

	return appendField(nil, firstField, failure), nil
}

// mergeStreams passes on the items of each node as they come.
func (s *Server) mergeStreams(stream grpc.ServerStream, method string, who caller, hops []hop) error {
	request, err := s.receive(stream, method, who)
	if err != nil {
		return err
	}

	ctx, cancel := context.WithCancel(stream.Context())
	defer cancel()

	out := newOutlet(stream, s.limits.Stall, s.consent(stream.Context(), method))

	return out.watch(&s.pumps, func() error {
		defer request.free()

		group, ctx := errgroup.WithContext(ctx)

		for _, next := range hops {
			group.Go(func() error { return items(ctx, out, method, next, request) })
		}

		return group.Wait()
	})
}

// items passes on the items of one node, and why they ended if that was not
// their end. It returns an error only if the caller cannot be told.
func items(ctx context.Context, out *outlet, method string, next hop, request *frame) error {
	host, err := hostField(next.target)
	if err != nil {
		return err
	}

	upstream, err := ask(ctx, method, next, request)

	for err == nil {
		var item frame

		if err = upstream.RecvMsg(&item); err != nil {
			break
		}

		named := newFrame(append(item.data.Materialize(), host...))
		item.free()

		if err := out.send(named); err != nil {
			return err
		}
	}

	if errors.Is(err, io.EOF) {
		return nil
	}

	failure, err := failureField(next.target, err)
	if err != nil {
		return err
	}

	return out.send(newFrame(failure))
}

// ask opens a stream of answers to one request.
func ask(ctx context.Context, method string, next hop, request *frame) (grpc.ClientStream, error) {
	upstream, err := next.conn.NewStream(metadata.NewOutgoingContext(ctx, next.md), &grpc.StreamDesc{ServerStreams: true}, method)
	if err != nil {
		return nil, err
	}

	// At io.EOF the node has ended the call; its status comes with the answer.
	if err := upstream.SendMsg(request); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}

	return upstream, upstream.CloseSend()
}
