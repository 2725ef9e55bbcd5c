package apid

import (
	"context"
	"errors"
	"io"

	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"
)

// toOne carries a call to one node and its answer back, byte for byte, with
// headers, trailers and status.
func (s *Server) toOne(stream grpc.ServerStream, method string, who caller, next hop) error {
	ctx := metadata.NewOutgoingContext(stream.Context(), next.md)

	if shape := streamsOf(method); shape.client || shape.server {
		return s.pipe(ctx, stream, method, shape, who, next)
	}

	request, err := s.receive(stream, method, who)
	if err != nil {
		return err
	}

	var (
		response        frame
		header, trailer metadata.MD
	)

	err = next.conn.Invoke(ctx, method, request, &response, grpc.Header(&header), grpc.Trailer(&trailer))

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

// pipe carries a call with streams. Requests and answers move at the same time,
// each as fast as its reader reads.
func (s *Server) pipe(ctx context.Context, stream grpc.ServerStream, method string, shape streams,
	who caller, next hop,
) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()

	var request *frame

	if !shape.client {
		var err error
		if request, err = s.receive(stream, method, who); err != nil {
			return err
		}
	}

	upstream, err := next.conn.NewStream(ctx, &grpc.StreamDesc{ClientStreams: true, ServerStreams: true}, method)
	if err == nil && request != nil {
		err = sendRequest(request, upstream)
	}

	if err != nil {
		return err
	}

	if shape.client {
		s.pumps.Go(func() {
			if err := sendRequests(stream, upstream); err != nil {
				cancel()
			}
		})
	}

	out := newOutlet(stream, s.limits.Stall, s.consent(stream.Context(), method))

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

// sendRequest sends the only request of a call.
func sendRequest(request *frame, upstream grpc.ClientStream) error {
	defer request.free()

	// At io.EOF the other side has ended the call; its status comes with its
	// answer.
	if err := upstream.SendMsg(request); err != nil && !errors.Is(err, io.EOF) {
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
