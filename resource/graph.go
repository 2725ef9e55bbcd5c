package resource

import (
	"cmp"
	"maps"
	"slices"
)

// EdgeType says what a block has to do with resources.
type EdgeType uint8

// The types of edges.
const (
	Writes    EdgeType = iota // it alone writes resources of the kind
	Shares                    // it writes some, others write others
	Reads                     // it read them in its last run
	Requires                  // it keeps them from going away
	AwaitsEnd                 // it waits until they have gone
)

// Edge is one line of the graph of what the engine runs. ID is empty where a
// block has to do with many of a kind.
type Edge struct {
	Block     string
	Type      EdgeType
	Kind      string
	Namespace string
	ID        string
}

// Graph gives the edges between blocks and resources as they are now, sorted. It
// comes from what the last runs did, as nothing is declared.
func (e *Engine) Graph() []Edge {
	edges := map[Edge]struct{}{}
	add := func(block string, t EdgeType, k Key) {
		edges[Edge{Block: block, Type: t, Kind: k.Type, Namespace: k.Namespace, ID: k.ID}] = struct{}{}
	}
	e.mu.Lock()
	for u := range e.units {
		for k := range u.reads.Keys {
			add(u.owner, Reads, k)
		}
		for l := range u.reads.Lists {
			add(u.owner, Reads, Key{Type: l.Type, Namespace: l.Namespace})
		}
		for k := range u.reads.Waits {
			add(u.owner, AwaitsEnd, k)
		}
		for k := range u.held {
			add(u.owner, Requires, k)
		}
	}
	e.mu.Unlock()
	for edge := range e.written() {
		edges[edge] = struct{}{}
	}
	return slices.SortedFunc(maps.Keys(edges), func(a, b Edge) int {
		return cmp.Or(cmp.Compare(a.Block, b.Block), cmp.Compare(a.Type, b.Type), cmp.Compare(a.Kind, b.Kind),
			cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.ID, b.ID))
	})
}

// written finds who writes what from the owners of what is there, which counts
// sources and commits from outside too.
func (e *Engine) written() map[Edge]struct{} {
	type kind struct{ kind, namespace string }
	owners := map[kind]map[string]struct{}{}
	for r := range e.store.Snapshot().All() {
		if r.Owner == "" {
			continue
		}
		k := kind{r.Key.Type, r.Key.Namespace}
		if owners[k] == nil {
			owners[k] = map[string]struct{}{}
		}
		owners[k][r.Owner] = struct{}{}
	}
	edges := map[Edge]struct{}{}
	for k, names := range owners {
		t := Writes
		if len(names) > 1 {
			t = Shares
		}
		for name := range names {
			edges[Edge{Block: name, Type: t, Kind: k.kind, Namespace: k.namespace}] = struct{}{}
		}
	}
	return edges
}
