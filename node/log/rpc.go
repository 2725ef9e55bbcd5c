package log

import (
	"context"
	"errors"
	"io"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/emptypb"

	commonpb "github.com/ichor-os/ichor/api/common"
	machinepb "github.com/ichor-os/ichor/api/machine"
)

// RPC serves the methods of MachineService about logs.
type RPC struct{ Store *Store }

// chunk is the largest piece of a log in one message, in bytes.
const chunk = 32 << 10

// Logs implements MachineService. An unknown log is an item with an error, as
// clients expect, not a failed call.
func (r RPC) Logs(in *machinepb.LogsRequest, stream grpc.ServerStreamingServer[commonpb.Data]) error {
	l, err := r.Store.Get(in.GetId())
	if err != nil {
		//lint:ignore SA1019 clients look for the reason in this field
		return stream.Send(&commonpb.Data{Metadata: &commonpb.Metadata{Error: err.Error()}})
	}
	tail := TailAll
	if in.GetTailLines() >= 0 {
		tail = int(in.GetTailLines())
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

// LogsContainers implements MachineService.
func (r RPC) LogsContainers(context.Context, *emptypb.Empty) (*machinepb.LogsContainersResponse, error) {
	return &machinepb.LogsContainersResponse{Messages: []*machinepb.LogsContainer{{Ids: r.Store.IDs()}}}, nil
}
