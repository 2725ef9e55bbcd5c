package apid

import (
	"context"
	"errors"
	"io"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// largeRequests are the methods, besides those that take a stream, whose
// requests may be as large as any message.
var largeRequests = map[string]bool{
	"/cosi.resource.State/Create":                true,
	"/cosi.resource.State/Update":                true,
	"/machine.MachineService/ApplyConfiguration": true,
	"/machine.MachineService/MetaWrite":          true,
}

// receive reads the only request of a call. How many requests a source may send
// at a time, how large they are and how long they take is bounded, because a
// request stays in memory until the call ends, here and in machined.
func (s *Server) receive(stream grpc.ServerStream, method string, who caller) (*frame, error) {
	ctx, cancel := context.WithTimeout(stream.Context(), s.limits.Receive)
	defer cancel()

	release, err := s.receiving.Wait(ctx, who.source)
	if err != nil {
		return nil, status.Errorf(codes.ResourceExhausted, "too many requests from %s are still on their way", who.source)
	}

	type result struct {
		request *frame
		err     error
	}

	done := make(chan result, 1)

	// In its own goroutine, because only the end of the call ends a read.
	s.pumps.Go(func() {
		defer release()

		request := new(frame)
		err := stream.RecvMsg(request)
		done <- result{request: request, err: err}
	})

	select {
	case <-ctx.Done():
		return nil, status.Errorf(codes.DeadlineExceeded, "the request did not come within %s", s.limits.Receive)
	case got := <-done:
		switch {
		case errors.Is(got.err, io.EOF):
			return nil, status.Error(codes.InvalidArgument, "the call ended before its request")
		case got.err != nil:
			return nil, got.err
		case got.request.data.Len() > s.limits.Request && !largeRequests[method]:
			got.request.free()

			return nil, status.Errorf(codes.ResourceExhausted, "the request is larger than %d bytes, which %s has no use for", s.limits.Request, method)
		}

		return got.request, nil
	}
}
