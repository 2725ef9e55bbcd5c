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

var types = map[resource.EdgeType]inspectpb.DependencyEdgeType{
	resource.Writes:    inspectpb.DependencyEdgeType_OUTPUT_EXCLUSIVE,
	resource.Shares:    inspectpb.DependencyEdgeType_OUTPUT_SHARED,
	resource.Reads:     inspectpb.DependencyEdgeType_INPUT_WEAK,
	resource.Requires:  inspectpb.DependencyEdgeType_INPUT_STRONG,
	resource.AwaitsEnd: inspectpb.DependencyEdgeType_INPUT_DESTROY_READY,
}

// ControllerRuntimeDependencies implements InspectService. The graph is that of
// the last runs.
func (s Service) ControllerRuntimeDependencies(context.Context, *emptypb.Empty) (*inspectpb.ControllerRuntimeDependenciesResponse, error) {
	answer := &inspectpb.ControllerRuntimeDependency{}
	for _, e := range s.Engine.Graph() {
		answer.Edges = append(answer.Edges, &inspectpb.ControllerDependencyEdge{
			ControllerName: e.Block, EdgeType: types[e.Type], ResourceNamespace: e.Namespace, ResourceType: e.Kind, ResourceId: e.ID,
		})
	}
	return &inspectpb.ControllerRuntimeDependenciesResponse{Messages: []*inspectpb.ControllerRuntimeDependency{answer}}, nil
}
