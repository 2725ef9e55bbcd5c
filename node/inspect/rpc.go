// Package inspect shows how the parts of a node depend on each other.
package inspect

import (
	"context"

	"google.golang.org/protobuf/types/known/emptypb"

	inspectpb "github.com/ichor-os/ichor/api/inspect"
	"github.com/ichor-os/ichor/resource"
)

// Service serves inspect.InspectService.
type Service struct {
	inspectpb.UnimplementedInspectServiceServer
	Engine *resource.Engine
}

// ControllerRuntimeDependencies implements InspectService. The graph is that of
// the last runs.
func (s Service) ControllerRuntimeDependencies(context.Context, *emptypb.Empty) (*inspectpb.ControllerRuntimeDependenciesResponse, error) {
	answer := &inspectpb.ControllerRuntimeDependency{}
	for _, e := range graph(s.Engine) {
		answer.Edges = append(answer.Edges, &inspectpb.ControllerDependencyEdge{
			ControllerName: e.block, EdgeType: e.how, ResourceNamespace: e.namespace, ResourceType: e.kind, ResourceId: e.id,
		})
	}
	return &inspectpb.ControllerRuntimeDependenciesResponse{Messages: []*inspectpb.ControllerRuntimeDependency{answer}}, nil
}
