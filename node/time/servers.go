package time

import (
	"context"
	"slices"
	"strings"

	configspec "github.com/ichor-os/ichor/node/config/spec"
	linkspec "github.com/ichor-os/ichor/node/link/spec"
	"github.com/ichor-os/ichor/node/time/spec"
	"github.com/ichor-os/ichor/resource"
	"github.com/ichor-os/ichor/resource/value"
)

// Servers are the blocks that know which time servers there are, by layers.
func Servers() []resource.Block {
	return []resource.Block{
		resource.Reconciler("time-server-layers", reconcileServers),
		resource.Reconciler("time-server-merge", mergeServers),
	}
}

// reconcileServers puts the wishes of config and platform for time servers, and
// the one that is asked without.
func reconcileServers(_ context.Context, s *resource.Session) error {
	c, ok, err := configspec.Config(s)
	if err != nil {
		return err
	}
	put := func(layer value.Layer, servers []string) {
		if len(servers) > 0 {
			spec.TimeServerSpecs.In(linkspec.Config).Put(s, linkspec.Layered(layer, networkServers),
				spec.TimeServerSpecSpec{TimeServers: servers, Layer: layer})
		}
	}
	put(value.LayerDefault, []string{DefaultServer})
	if p, ok := linkspec.PlatformConfigs.Get(s, "active"); ok {
		for _, t := range p.TimeServers {
			put(value.LayerPlatform, t.TimeServers)
		}
	}
	if ok {
		put(value.LayerConfiguration, named(c))
	}
	return nil
}

// mergeServers lets the highest layer that names servers win; sources of one
// layer, such as the leases of two links, add up.
func mergeServers(_ context.Context, s *resource.Session) error {
	layers := linkspec.Layers()
	rank := func(id string) int {
		layer, _, _ := strings.Cut(id, "/")
		return slices.Index(layers, layer)
	}
	best, out := -1, spec.TimeServerSpecSpec{}
	for _, w := range spec.TimeServerSpecs.In(linkspec.Config).List(s) { // in the order of ids
		switch r := rank(w.ID); {
		case len(w.Spec.TimeServers) == 0 || r < best:
			continue
		case r > best:
			best, out = r, spec.TimeServerSpecSpec{Layer: w.Spec.Layer}
		}
		for _, server := range w.Spec.TimeServers {
			if !slices.Contains(out.TimeServers, server) {
				out.TimeServers = append(out.TimeServers, server)
			}
		}
	}
	if best < 0 {
		return nil
	}
	spec.TimeServerSpecs.Put(s, networkServers, out)
	spec.TimeServerStatuses.Put(s, networkServers, spec.TimeServerStatusSpec{TimeServers: out.TimeServers})
	return nil
}
