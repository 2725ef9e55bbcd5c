// Package image serves the images of a node: what containerd has in its two
// namespaces, system for the services and k8s.io for pods, and how it gets
// more. Images are pulled by containerd itself in the node's order of
// resolution: the image cache, mirrors, the registry.
package image

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/containerd/errdefs"
	"github.com/distribution/reference"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/emptypb"
	"google.golang.org/protobuf/types/known/timestamppb"

	commonpb "github.com/ichor-os/ichor/api/common"
	machinepb "github.com/ichor-os/ichor/api/machine"
	"github.com/ichor-os/ichor/node/containerd"
)

// Engine is where images are kept; Containerd is the real one.
type Engine interface {
	// List gives the images of a namespace.
	List(ctx context.Context, namespace string) ([]Image, error)
	// Pull brings an image in and unpacks it; progress is called from one
	// goroutine.
	Pull(ctx context.Context, namespace, ref string, progress func(*machinepb.ImageServicePullProgress)) error
	// Remove forgets an image by its name.
	Remove(ctx context.Context, namespace, name string) error
	// Import reads an archive in the docker or OCI format and returns the name
	// of its image.
	Import(ctx context.Context, namespace string, archive reader) (string, error)
}

// Image is an image that is there.
type Image struct {
	Name, Digest string
	// Size in bytes, as it was pulled; 0 if a part of it is not there.
	Size    int64
	Created time.Time
	Labels  map[string]string
}

// Service serves machine.ImageService.
type Service struct {
	machinepb.UnimplementedImageServiceServer
	Engine Engine
}

// RPC serves the older methods of MachineService about images.
type RPC struct{ Engine Engine }

// namespaceOf gives the namespace of an instance; without one its driver says.
func namespaceOf(in *commonpb.ContainerdInstance) (string, error) {
	switch in.GetNamespace() {
	case commonpb.ContainerdNamespace_NS_SYSTEM:
		return "system", nil
	case commonpb.ContainerdNamespace_NS_CRI:
		return "k8s.io", nil
	case commonpb.ContainerdNamespace_NS_UNKNOWN:
		if in.GetDriver() == commonpb.ContainerDriver_CRI {
			return "k8s.io", nil
		}
		return "system", nil
	}
	return "", status.Errorf(codes.InvalidArgument, "namespace %s: there are NS_SYSTEM and NS_CRI", in.GetNamespace())
}

// canonical gives the whole name of an image: registry, and a tag if there is
// neither tag nor digest.
func canonical(ref string) (string, error) {
	named, err := reference.ParseDockerRef(ref)
	if err != nil {
		return "", status.Errorf(codes.InvalidArgument, "image %q: %v", ref, err)
	}
	return named.String(), nil
}

// code chooses the status of an error.
func code(err error) error {
	switch {
	case errdefs.IsNotFound(err):
		return status.Errorf(codes.NotFound, "%v", err)
	case errors.Is(err, context.Canceled):
		return status.Error(codes.Canceled, "the caller went away")
	case errdefs.IsUnavailable(err), status.Code(err) == codes.Unavailable:
		return status.Errorf(codes.Unavailable, "%v: 'talosctl service containerd' says how it is", err)
	case errdefs.IsInvalidArgument(err):
		return status.Errorf(codes.InvalidArgument, "%v", err)
	}
	return status.Errorf(codes.Internal, "%v", err)
}

// List implements ImageService.
func (s Service) List(in *machinepb.ImageServiceListRequest, stream grpc.ServerStreamingServer[machinepb.ImageServiceListResponse]) error {
	namespace, err := namespaceOf(in.GetContainerd())
	if err != nil {
		return err
	}
	list, err := s.Engine.List(stream.Context(), namespace)
	if err != nil {
		return code(err)
	}
	for _, i := range list {
		err := stream.Send(&machinepb.ImageServiceListResponse{
			Name: i.Name, Digest: i.Digest, Size: i.Size, CreatedAt: timestamppb.New(i.Created), Labels: i.Labels,
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// Pull implements ImageService: progress of each layer, and the image's name at
// the end.
func (s Service) Pull(in *machinepb.ImageServicePullRequest, stream grpc.ServerStreamingServer[machinepb.ImageServicePullResponse]) error {
	namespace, err := namespaceOf(in.GetContainerd())
	if err != nil {
		return err
	}
	ref, err := canonical(in.GetImageRef())
	if err != nil {
		return err
	}
	err = s.Engine.Pull(stream.Context(), namespace, ref, func(p *machinepb.ImageServicePullProgress) {
		// A caller that went away ends the stream's context, and the pull.
		_ = stream.Send(&machinepb.ImageServicePullResponse{Response: &machinepb.ImageServicePullResponse_PullProgress{PullProgress: p}})
	})
	if err != nil {
		return code(fmt.Errorf("pull image: %s: %w", ref, err))
	}
	return stream.Send(&machinepb.ImageServicePullResponse{Response: &machinepb.ImageServicePullResponse_Name{Name: ref}})
}

// Remove implements ImageService.
func (s Service) Remove(ctx context.Context, in *machinepb.ImageServiceRemoveRequest) (*emptypb.Empty, error) {
	namespace, err := namespaceOf(in.GetContainerd())
	if err != nil {
		return nil, err
	}
	name, err := canonical(in.GetImageRef())
	if err != nil {
		return nil, err
	}
	if err := s.Engine.Remove(ctx, namespace, name); err != nil {
		return nil, code(fmt.Errorf("remove image: %s: %w", name, err))
	}
	return &emptypb.Empty{}, nil
}

// Import implements ImageService. The first message names the instance, the
// others carry the archive.
func (s Service) Import(stream grpc.ClientStreamingServer[machinepb.ImageServiceImportRequest, machinepb.ImageServiceImportResponse]) error {
	first, err := stream.Recv()
	if err != nil {
		return err
	}
	if first.GetContainerd() == nil {
		return status.Error(codes.InvalidArgument, "import image: the first message must name the containerd instance")
	}
	namespace, err := namespaceOf(first.GetContainerd())
	if err != nil {
		return err
	}
	name, err := s.Engine.Import(stream.Context(), namespace, &chunks{stream: stream})
	if err != nil {
		return code(fmt.Errorf("import image: %w", err))
	}
	return stream.SendAndClose(&machinepb.ImageServiceImportResponse{Name: name})
}

type reader interface{ Read([]byte) (int, error) }

// chunks reads the archive out of a stream.
type chunks struct {
	stream grpc.ClientStreamingServer[machinepb.ImageServiceImportRequest, machinepb.ImageServiceImportResponse]
	rest   []byte
}

// Read implements io.Reader.
func (c *chunks) Read(p []byte) (int, error) {
	for len(c.rest) == 0 {
		message, err := c.stream.Recv()
		if err != nil {
			return 0, err
		}
		c.rest = message.GetImageChunk().GetBytes()
	}
	n := copy(p, c.rest)
	c.rest = c.rest[n:]
	return n, nil
}

// ImageList implements MachineService.
func (r RPC) ImageList(in *machinepb.ImageListRequest, stream grpc.ServerStreamingServer[machinepb.ImageListResponse]) error {
	namespace, err := namespaceOf(&commonpb.ContainerdInstance{Namespace: in.GetNamespace()})
	if err != nil {
		return err
	}
	list, err := r.Engine.List(stream.Context(), namespace)
	if err != nil {
		return code(err)
	}
	for _, i := range list {
		err := stream.Send(&machinepb.ImageListResponse{
			Name: i.Name, Digest: i.Digest, Size: i.Size, CreatedAt: timestamppb.New(i.Created),
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// ImagePull implements MachineService.
func (r RPC) ImagePull(ctx context.Context, in *machinepb.ImagePullRequest) (*machinepb.ImagePullResponse, error) {
	namespace, err := namespaceOf(&commonpb.ContainerdInstance{Namespace: in.GetNamespace()})
	if err != nil {
		return nil, err
	}
	ref, err := canonical(in.GetReference())
	if err != nil {
		return nil, err
	}
	if err := r.Engine.Pull(ctx, namespace, ref, func(*machinepb.ImageServicePullProgress) {}); err != nil {
		return nil, code(fmt.Errorf("pull image: %s: %w", ref, err))
	}
	return &machinepb.ImagePullResponse{Messages: []*machinepb.ImagePull{{}}}, nil
}

// Containerd keeps images in containerd.
type Containerd struct {
	// Connect dials containerd; the caller closes the client.
	Connect func(namespace string) (*containerd.Client, error)
	// Hosts is the folder that says where the images of each registry come from.
	Hosts string
}
