package cluster

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	clusterpb "github.com/ichor-os/ichor/api/cluster"
	machinepb "github.com/ichor-os/ichor/api/machine"
	"github.com/ichor-os/ichor/client/health"
	"github.com/ichor-os/ichor/node/access"
)

// healthWait is how long a check waits for a cluster to become healthy when the
// caller does not say.
const healthWait = 20 * time.Minute

// Health serves ClusterService. A control plane node looks at every node of its
// cluster, by apid, with the roles of whoever asked.
type Health struct {
	clusterpb.UnimplementedClusterServiceServer
	// API is the connection to the node's own apid.
	API grpc.ClientConnInterface
	// Kubernetes gives the API of Kubernetes at a URL, or at this node for "".
	// On a node without a control plane its error is fs.ErrNotExist.
	Kubernetes func(url string) (health.Kubernetes, error)
}

// HealthCheck implements ClusterService: a message for each step, until all is
// right or the time is up.
func (h Health) HealthCheck(in *clusterpb.HealthCheckRequest, stream grpc.ServerStreamingServer[clusterpb.HealthCheckProgress]) error {
	wait := healthWait
	if d := in.GetWaitTimeout().AsDuration(); d > 0 {
		wait = d
	}
	info := in.GetClusterInfo()
	api, err := h.Kubernetes(info.GetForceEndpoint())
	if errors.Is(err, fs.ErrNotExist) {
		return status.Error(codes.FailedPrecondition, "this node has no control plane: ask a control plane node, name it with --nodes or --control-plane-nodes")
	}
	if err != nil {
		return status.Errorf(codes.Internal, "check cluster: %v", err)
	}
	ctx, cancel := context.WithTimeout(stream.Context(), wait)
	defer cancel()
	c := &health.Cluster{
		Machine:      machinepb.NewMachineServiceClient(speaking{h.API, access.FromContext(stream.Context()).Names()}),
		ControlPlane: info.GetControlPlaneNodes(), Workers: info.GetWorkerNodes(),
		Connect: func(ctx context.Context, _ string) (health.Kubernetes, error) {
			return api, api.Get(ctx, "/api/v1/nodes", &struct{}{})
		},
	}
	if err := health.Run(ctx, lines{stream}, c.Checks()); err != nil {
		if stream.Context().Err() != nil {
			return status.FromContextError(stream.Context().Err()).Err()
		}
		return status.Errorf(codes.FailedPrecondition, "not healthy within %s: %v", wait, err)
	}
	return nil
}

// lines sends each line that is written to it as a message.
type lines struct {
	stream grpc.ServerStreamingServer[clusterpb.HealthCheckProgress]
}

// Write implements io.Writer.
func (l lines) Write(p []byte) (int, error) {
	if err := l.stream.Send(&clusterpb.HealthCheckProgress{Message: strings.TrimSuffix(string(p), "\n")}); err != nil {
		return 0, fmt.Errorf("tell of progress: %w", err)
	}
	return len(p), nil
}

// speaking is a connection on which calls are made for somebody with roles.
type speaking struct {
	grpc.ClientConnInterface
	roles []string
}

func (s speaking) as(ctx context.Context) context.Context {
	for _, role := range s.roles {
		ctx = metadata.AppendToOutgoingContext(ctx, access.MetadataKey, role)
	}
	return ctx
}

// Invoke implements grpc.ClientConnInterface.
func (s speaking) Invoke(ctx context.Context, method string, args, reply any, opts ...grpc.CallOption) error {
	return s.ClientConnInterface.Invoke(s.as(ctx), method, args, reply, opts...)
}

// NewStream implements grpc.ClientConnInterface.
func (s speaking) NewStream(ctx context.Context, desc *grpc.StreamDesc, method string, opts ...grpc.CallOption) (grpc.ClientStream, error) {
	return s.ClientConnInterface.NewStream(s.as(ctx), desc, method, opts...)
}
