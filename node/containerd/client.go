// Package containerd speaks to the node's container engine over its socket.
//
// Connect gives a Client for one of the engine's namespaces. What is one call is
// made with the generated clients of the engine's API; this package adds what
// takes several: pulling and importing images with their streams, the size of an
// image and what its config says. The engine's own client library is not linked:
// it brings registries, archives and tracing along, which the engine does itself.
package containerd

import (
	"context"
	"fmt"
	"strings"

	containersapi "github.com/containerd/containerd/api/services/containers/v1"
	contentapi "github.com/containerd/containerd/api/services/content/v1"
	imagesapi "github.com/containerd/containerd/api/services/images/v1"
	snapshotsapi "github.com/containerd/containerd/api/services/snapshots/v1"
	tasksapi "github.com/containerd/containerd/api/services/tasks/v1"
	versionapi "github.com/containerd/containerd/api/services/version/v1"
	"github.com/containerd/errdefs/pkg/errgrpc"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/protobuf/types/known/emptypb"
)

const (
	// Socket is where the engine answers.
	Socket = "/run/containerd/containerd.sock"
	// Snapshotter keeps the file systems of images and containers.
	Snapshotter = "overlayfs"
	// Runtime runs containers.
	Runtime = "io.containerd.runc.v2"
	// maxMessage is the engine's own bound of a message.
	maxMessage = 16 << 20
)

// Client is a connection to the engine, for one of its namespaces. Errors of its
// calls are those of package errdefs.
type Client struct {
	conn *grpc.ClientConn
}

// Connect prepares a connection for a namespace; the caller closes it. It is
// made with the first call, which fails with errdefs.ErrUnavailable while the
// engine is not there.
func Connect(namespace string) (*Client, error) { return dial("unix://"+Socket, namespace) }

func dial(target, namespace string) (*Client, error) {
	conn, err := grpc.NewClient(target,
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithNoProxy(),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(maxMessage), grpc.MaxCallSendMsgSize(maxMessage)),
		grpc.WithUnaryInterceptor(unary(namespace)),
		grpc.WithStreamInterceptor(stream(namespace)),
	)
	if err != nil {
		return nil, fmt.Errorf("reach containerd: %w", err)
	}
	return &Client{conn: conn}, nil
}

// namespaceKey names the namespace in a call's metadata.
const namespaceKey = "containerd-namespace"

func unary(namespace string) grpc.UnaryClientInterceptor {
	return func(ctx context.Context, method string, in, out any, conn *grpc.ClientConn, call grpc.UnaryInvoker, opts ...grpc.CallOption) error {
		ctx = metadata.AppendToOutgoingContext(ctx, namespaceKey, namespace)
		return native(call(ctx, method, in, out, conn, opts...))
	}
}

func stream(namespace string) grpc.StreamClientInterceptor {
	return func(ctx context.Context, desc *grpc.StreamDesc, conn *grpc.ClientConn, method string, open grpc.Streamer, opts ...grpc.CallOption) (grpc.ClientStream, error) {
		ctx = metadata.AppendToOutgoingContext(ctx, namespaceKey, namespace)
		s, err := open(ctx, desc, conn, method, opts...)
		if err != nil {
			return nil, native(err)
		}
		return nativeStream{s}, nil
	}
}

// native turns a status into an error of package errdefs.
func native(err error) error {
	if err == nil {
		return nil
	}
	return errgrpc.ToNative(err)
}

type nativeStream struct{ grpc.ClientStream }

// RecvMsg implements grpc.ClientStream.
func (s nativeStream) RecvMsg(m any) error {
	err := s.ClientStream.RecvMsg(m)
	if err == nil || isEOF(err) {
		return err
	}
	return native(err)
}

// Close ends the connection and what still runs over it.
func (c *Client) Close() error { return c.conn.Close() }

// Serving returns nil if the engine serves.
func (c *Client) Serving(ctx context.Context) error {
	if _, err := versionapi.NewVersionClient(c.conn).Version(ctx, &emptypb.Empty{}); err != nil {
		return fmt.Errorf("ask containerd: %w", err)
	}
	return nil
}

// Containers are the records of containers.
func (c *Client) Containers() containersapi.ContainersClient {
	return containersapi.NewContainersClient(c.conn)
}

// Tasks are what runs of containers.
func (c *Client) Tasks() tasksapi.TasksClient { return tasksapi.NewTasksClient(c.conn) }

// Snapshots are the file systems that Snapshotter keeps.
func (c *Client) Snapshots() snapshotsapi.SnapshotsClient {
	return snapshotsapi.NewSnapshotsClient(c.conn)
}

// Images are the names of images.
func (c *Client) Images() imagesapi.ImagesClient { return imagesapi.NewImagesClient(c.conn) }

func (c *Client) content() contentapi.ContentClient { return contentapi.NewContentClient(c.conn) }

// TypeName is the name of a message's type in the engine's Any values, which
// may stand with or without a host before it.
func TypeName(url string) string { return url[strings.LastIndexByte(url, '/')+1:] }
