package link

import (
	"context"
	"net/netip"
	"slices"
	"strings"

	"github.com/ichor-os/ichor/node/link/spec"
	"github.com/ichor-os/ichor/resource"
	"github.com/ichor-os/ichor/resource/value"
)

const final = "network"

func merges() []resource.Block {
	return []resource.Block{
		resource.Merge("link-merge", spec.LinkSpecs, spec.Config, final, spec.Layers(), mergeLinks),
		resource.Merge("address-merge", spec.AddressSpecs, spec.Config, final, spec.Layers(), nil),
		resource.Reconciler("route-merge", mergeRoutes),
		resource.Merge("operator-merge", spec.OperatorSpecs, spec.Config, final, spec.Layers(), nil),
		resource.Merge("routing-rule-merge", spec.RoutingRuleSpecs, spec.Config, final, spec.Layers(), nil),
	}
}

// mergeLinks lays one layer's wish for a link over that of the layers below:
// what it says wins, what it leaves open stays.
func mergeLinks(low, high spec.LinkSpecSpec) spec.LinkSpecSpec {
	if high.MTU == 0 {
		high.MTU = low.MTU
	}
	if len(high.HardwareAddr) == 0 {
		high.HardwareAddr = low.HardwareAddr
	}
	if high.Multicast == nil {
		high.Multicast = low.Multicast
	}
	if low.Logical && !high.Logical {
		// The layer below creates the link, this one only configures it.
		up, mtu, hw, multicast, layer := high.Up, high.MTU, high.HardwareAddr, high.Multicast, high.Layer
		high = low
		high.Up, high.MTU, high.HardwareAddr, high.Multicast, high.Layer = up, mtu, hw, multicast, layer
	}
	return high
}

// slot is what the kernel keeps one route for.
type slot struct {
	family   value.Family
	table    spec.RoutingTable
	dst      netip.Prefix
	priority uint32
}

func slotOf(r spec.RouteSpecSpec) slot { return slot{r.Family, r.Table, r.Dst, r.Priority} }

// mergeRoutes gives each slot of a table to the highest layer that wants it: a
// gateway in the config takes the place of the platform's.
func mergeRoutes(_ context.Context, s *resource.Session) error {
	layers := spec.Layers()
	type wish struct {
		route spec.RouteSpecSpec
		layer int
		id    string
	}
	best := map[slot]wish{}
	for _, r := range spec.RouteSpecs.In(spec.Config).List(s) {
		layer, _, _ := strings.Cut(r.ID, "/")
		w := wish{route: r.Spec.Normal(), layer: slices.Index(layers, layer)}
		w.id = w.route.ID()
		at := slotOf(w.route)
		if old, ok := best[at]; !ok || w.layer > old.layer || w.layer == old.layer && w.id < old.id {
			best[at] = w
		}
	}
	for _, w := range best {
		spec.RouteSpecs.In(final).Put(s, w.id, w.route)
	}
	return nil
}
