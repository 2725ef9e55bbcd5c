package apid

import (
	"context"
	"errors"
	"io"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
)

// toOne carries a call to one node and its answer back, byte for byte, with
// headers, trailers and status.
func (s *Server) toOne(stream grpc.ServerStream, method string, next hop) error {
	ctx := metadata.NewOutgoingContext(stream.Context(), next.md)

	if shape := streamsOf(method); shape.client || shape.server {
		return s.pipe(ctx, stream, method, shape, next)
	}

	var request, response frame

	if err := stream.RecvMsg(&request); err != nil {
		return received(err)
	}

	var header, trailer metadata.MD

	err := next.conn.Invoke(ctx, method, &request, &response, grpc.Header(&header), grpc.Trailer(&trailer))

	request.free()
	stream.SetTrailer(passOn(trailer))

	if err != nil {
		return err
	}

	defer response.free()

	if err := stream.SetHeader(passOn(header)); err != nil {
		return err
	}

	return stream.SendMsg(&response)
}

// received turns the end of a stream before the request came into an error.
func received(err error) error {
	if errors.Is(err, io.EOF) {
		return status.Error(codes.InvalidArgument, "the call ended before its request")
	}

	return err
}

// pipe carries a call with streams. Requests and answers move at the same time,
// each as fast as its reader reads.
func (s *Server) pipe(ctx context.Context, stream grpc.ServerStream, method string, shape streams, next hop) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()

	upstream, err := next.conn.NewStream(ctx, &grpc.StreamDesc{ClientStreams: true, ServerStreams: true}, method)
	if err != nil {
		return err
	}

	if shape.client {
		s.pumps.Go(func() {
			if err := sendRequests(stream, upstream); err != nil {
				cancel()
			}
		})
	} else if err := sendRequest(stream, upstream); err != nil {
		return err
	}

	out := newOutlet(stream, s.limits.Stall)

	return out.watch(&s.pumps, func() error {
		// Sent at once: a caller may wait for it before there is anything to tell.
		if header, err := upstream.Header(); err == nil && header != nil {
			if err := stream.SendHeader(passOn(header)); err != nil {
				return err
			}
		}

		for {
			var response frame

			err := upstream.RecvMsg(&response)
			if err != nil {
				stream.SetTrailer(passOn(upstream.Trailer()))

				if errors.Is(err, io.EOF) {
					return nil
				}

				return err
			}

			err = out.send(&response)
			response.free()

			if err != nil {
				return err
			}
		}
	})
}

// sendRequest carries the only request of a call.
func sendRequest(stream grpc.ServerStream, upstream grpc.ClientStream) error {
	var request frame

	if err := stream.RecvMsg(&request); err != nil {
		return received(err)
	}

	err := upstream.SendMsg(&request)
	request.free()

	// At io.EOF the other side has ended the call; its status comes with
	// its answer.
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}

	return upstream.CloseSend()
}

// sendRequests carries requests until the caller has sent its last, or the
// other side wants no more. Any other end is an error.
func sendRequests(stream grpc.ServerStream, upstream grpc.ClientStream) error {
	for {
		var request frame

		err := stream.RecvMsg(&request)
		if errors.Is(err, io.EOF) {
			return upstream.CloseSend()
		}

		if err != nil {
			return err
		}

		err = upstream.SendMsg(&request)
		request.free()

		if errors.Is(err, io.EOF) {
			return nil
		}

		if err != nil {
			return err
		}
	}
}
