//lint:file-ignore SA1019 the metadata of an item is how clients learn of an unknown log

package log

import (
	"context"
	"errors"
	"io"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/emptypb"

	commonpb "github.com/ichor-os/ichor/api/common"
	machinepb "github.com/ichor-os/ichor/api/machine"
)

// RPC serves the methods of MachineService about logs.
type RPC struct {
	Store *Store
	// Pods are the logs of pods' containers.
	Pods Pods
}

// chunk is the largest piece of a log in one message, in bytes.
const chunk = 32 << 10

// Logs implements MachineService. An unknown log is an item with an error, as
// clients expect, not a failed call.
func (r RPC) Logs(in *machinepb.LogsRequest, stream grpc.ServerStreamingServer[commonpb.Data]) error {
	tail := TailAll
	if in.GetTailLines() >= 0 {
		tail = int(in.GetTailLines())
	}
	if pods(in.GetNamespace()) {
		err := r.Pods.Copy(stream.Context(), parseID(in.GetId()), tail, in.GetFollow(), sender{stream})
		if errors.Is(err, ErrNotRegistered) {
			return stream.Send(&commonpb.Data{Metadata: &commonpb.Metadata{Error: err.Error()}})
		}
		return err
	}
	l, err := r.Store.Get(in.GetId())
	if err != nil {
		return stream.Send(&commonpb.Data{Metadata: &commonpb.Metadata{Error: err.Error()}})
	}
	return send(stream, l.Reader(stream.Context(), tail, in.GetFollow()))
}

func send(stream grpc.ServerStreamingServer[commonpb.Data], from io.Reader) error {
	buffer := make([]byte, chunk)
	for {
		n, err := from.Read(buffer)
		if n > 0 {
			if err := stream.Send(&commonpb.Data{Bytes: buffer[:n]}); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			return stream.Context().Err()
		}
		if err != nil {
			return err
		}
	}
}

// sender sends what is written to it.
type sender struct {
	stream grpc.ServerStreamingServer[commonpb.Data]
}

// Write implements io.Writer.
func (s sender) Write(p []byte) (int, error) {
	return len(p), s.stream.Send(&commonpb.Data{Bytes: p})
}

// LogsContainers implements MachineService: the services of the node, then the
// containers of pods.
func (r RPC) LogsContainers(context.Context, *emptypb.Empty) (*machinepb.LogsContainersResponse, error) {
	ofPods, err := r.Pods.IDs()
	if err != nil {
		return nil, status.Errorf(codes.Internal, "look for logs of pods: %v", err)
	}
	return &machinepb.LogsContainersResponse{Messages: []*machinepb.LogsContainer{{Ids: append(r.Store.IDs(), ofPods...)}}}, nil
}
