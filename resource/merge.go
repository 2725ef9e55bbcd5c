package resource

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/ichor-os/ichor/resource/reads"
)

// Merge makes a block that turns layers of a kind into final resources. Layers
// are resources with the id layer/id in namespace from; the final ones have
// the id alone, in namespace to. Layers are named lowest first. With more than
// one layer of an id, combine lays each over what is below it; nil lets the
// highest layer win.
func Merge[T any](name string, kind *Kind[T], from, to string, layers []string, combine func(low, high T) T) Block {
	if combine == nil {
		combine = func(_, high T) T { return high }
	}
	source, final := kind.In(from), kind.In(to)
	g := &keyed{name: name, on: reads.List{Type: kind.def.Type, Namespace: from}}
	g.keyOf = func(id string) string {
		layer, rest, ok := strings.Cut(id, "/")
		if !ok || !slices.Contains(layers, layer) {
			return id // its unit says what is wrong with it
		}
		return rest
	}
	g.run = func(_ context.Context, s *Session, id string) error {
		var spec T
		found := false
		for _, layer := range layers {
			part, ok := source.Get(s, layer+"/"+id)
			if ok && found {
				part = combine(spec, part)
			}
			if ok {
				spec, found = part, true
			}
		}
		if found {
			final.Put(s, id, spec)
		}
		if _, ok := source.Get(s, id); ok {
			if layer, _, cut := strings.Cut(id, "/"); !cut || !slices.Contains(layers, layer) {
				return fmt.Errorf("merge %s: the id is not layer/id with one of the layers %s", source.Key(id), strings.Join(layers, ", "))
			}
		}
		s.gone = !found
		return nil
	}
	return g
}
