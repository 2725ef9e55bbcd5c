package inspect

import (
	"cmp"
	"maps"
	"slices"

	inspectpb "github.com/ichor-os/ichor/api/inspect"
	"github.com/ichor-os/ichor/resource"
	"github.com/ichor-os/ichor/resource/reads"
)

// edge is a line of the graph. id is empty where a block has to do with many
// resources of a kind.
type edge struct {
	block               string
	how                 inspectpb.DependencyEdgeType
	kind, namespace, id string
}

// graph gives what the blocks of an engine have to do with resources, sorted. It
// comes from what their last runs did, as nothing is declared.
func graph(engine *resource.Engine) []edge {
	edges := map[edge]struct{}{}
	add := func(block string, how inspectpb.DependencyEdgeType, k resource.Key) {
		edges[edge{block, how, k.Type, k.Namespace, k.ID}] = struct{}{}
	}
	engine.EachUnit(func(block string, read reads.Set, held map[resource.Key]struct{}) {
		for k := range read.Keys {
			add(block, inspectpb.DependencyEdgeType_INPUT_WEAK, k)
		}
		for l := range read.Lists {
			add(block, inspectpb.DependencyEdgeType_INPUT_WEAK, resource.Key{Type: l.Type, Namespace: l.Namespace})
		}
		for k := range read.Waits {
			add(block, inspectpb.DependencyEdgeType_INPUT_DESTROY_READY, k)
		}
		for k := range held {
			add(block, inspectpb.DependencyEdgeType_INPUT_STRONG, k)
		}
	})
	for k, owners := range written(engine) {
		how := inspectpb.DependencyEdgeType_OUTPUT_EXCLUSIVE
		if len(owners) > 1 {
			how = inspectpb.DependencyEdgeType_OUTPUT_SHARED
		}
		for owner := range owners {
			add(owner, how, k)
		}
	}
	return slices.SortedFunc(maps.Keys(edges), func(a, b edge) int {
		return cmp.Or(cmp.Compare(a.block, b.block), cmp.Compare(a.how, b.how), cmp.Compare(a.kind, b.kind),
			cmp.Compare(a.namespace, b.namespace), cmp.Compare(a.id, b.id))
	})
}

// written finds who writes which kinds from the owners of what is there, which
// counts sources and commits from outside too.
func written(engine *resource.Engine) map[resource.Key]map[string]struct{} {
	owners := map[resource.Key]map[string]struct{}{}
	for r := range engine.Store().Snapshot().All() {
		if r.Owner == "" {
			continue
		}
		k := resource.Key{Type: r.Key.Type, Namespace: r.Key.Namespace}
		if owners[k] == nil {
			owners[k] = map[string]struct{}{}
		}
		owners[k][r.Owner] = struct{}{}
	}
	return owners
}
