package cli_test

import (
	"context"
	"strings"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/ichor-os/ichor/api/applyconfig"
	resourcepb "github.com/ichor-os/ichor/api/cosi/resource"
)

// fakeState are the resources of a fakeNode, by type.
type fakeState struct {
	resourcepb.UnimplementedStateServer
	resources map[string][]*resourcepb.Resource
	node      *fakeNode
}

func (s fakeState) Get(ctx context.Context, in *resourcepb.GetRequest) (*resourcepb.GetResponse, error) {
	if err := refuse(ctx); err != nil {
		return nil, err
	}
	if strings.HasPrefix(in.GetId(), "config-") && s.node.says(in.GetId()) {
		return &resourcepb.GetResponse{Resource: &resourcepb.Resource{
			Metadata: &resourcepb.Metadata{Type: in.GetType(), Id: in.GetId(), Version: "1", Phase: "running"},
			Spec:     &resourcepb.Spec{YamlSpec: "message: the gateway does not answer\n"},
		}}, nil
	}
	for _, r := range s.resources[in.GetType()] {
		if r.GetMetadata().GetId() == in.GetId() {
			return &resourcepb.GetResponse{Resource: r}, nil
		}
	}
	return nil, status.Errorf(codes.NotFound, "%s %s is not there", in.GetType(), in.GetId())
}

// says reports whether the node has a diagnostic about its config.
func (n *fakeNode) says(id string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if id == applyconfig.Reverted {
		return n.reverts
	}
	n.waits--
	return n.waits > 0
}

func (s fakeState) List(in *resourcepb.ListRequest, stream grpc.ServerStreamingServer[resourcepb.ListResponse]) error {
	if err := refuse(stream.Context()); err != nil {
		return err
	}
	for _, r := range s.resources[in.GetType()] {
		if r.GetMetadata().GetNamespace() != in.GetNamespace() {
			continue
		}
		if err := stream.Send(&resourcepb.ListResponse{Resource: r}); err != nil {
			return err
		}
	}
	return nil
}

func (s fakeState) Watch(in *resourcepb.WatchRequest, stream grpc.ServerStreamingServer[resourcepb.WatchResponse]) error {
	list := s.resources[in.GetType()]
	for _, event := range []*resourcepb.Event{
		{EventType: resourcepb.EventType_CREATED, Resource: list[0]},
		{EventType: resourcepb.EventType_BOOTSTRAPPED},
		{EventType: resourcepb.EventType_UPDATED, Resource: list[0]},
		{EventType: resourcepb.EventType_DESTROYED, Resource: list[1]},
	} {
		if err := stream.Send(&resourcepb.WatchResponse{Event: []*resourcepb.Event{event}}); err != nil {
			return err
		}
	}
	return status.Error(codes.Aborted, "the watch fell behind")
}
