package link

import (
	"context"
	"net/netip"
	"strings"

	"github.com/ichor-os/ichor/config/documents/network"
	"github.com/ichor-os/ichor/config/documents/v1alpha1"
	configspec "github.com/ichor-os/ichor/node/config/spec"
	"github.com/ichor-os/ichor/node/link/spec"
	"github.com/ichor-os/ichor/resource"
	"github.com/ichor-os/ichor/resource/value"
)

// defaultMetric is the metric of routes for which the config names none.
const defaultMetric = 1024

// reconcileConfig turns the links, addresses, routes and rules of the config
// in force into wishes of the configuration layer.
func reconcileConfig(_ context.Context, s *resource.Session) error {
	c, ok, err := configspec.Config(s)
	if err != nil || !ok {
		return err
	}
	w := wishes{s: s, links: spec.LinkStatuses.List(s)}
	for _, d := range devices(c.Main()) {
		w.device(d)
	}
	for _, doc := range c.Documents() {
		switch d := doc.(type) {
		case *network.LinkConfig:
			w.link(w.name(d.DocName), d.CommonLink, spec.LinkSpecSpec{})
		case *network.DummyLinkConfig:
			w.link(d.DocName, d.CommonLink, spec.LinkSpecSpec{
				Logical: true, Kind: "dummy", Type: spec.LinkTypeEther, HardwareAddr: value.HardwareAddr(d.HardwareAddr),
			})
		case *network.BlackholeRouteConfig:
			w.blackhole(d)
		case *network.RoutingRuleConfig:
			w.rule(d)
		}
	}
	return nil
}

func devices(c *v1alpha1.Config) []*v1alpha1.Device {
	if c == nil || c.Machine == nil || c.Machine.Network == nil {
		return nil
	}
	return c.Machine.Network.Interfaces
}

// wishes puts wishes of the configuration layer.
type wishes struct {
	s     *resource.Session
	links []resource.Resource[spec.LinkStatusSpec]
}

// name gives the kernel's name of a link that the config calls by its name or
// an alias.
func (w wishes) name(called string) string { return resolve(w.links, called) }

func resolve(links []resource.Resource[spec.LinkStatusSpec], called string) string {
	alias := ""
	for _, l := range links {
		if l.ID == called {
			return called
		}
		if l.Spec.Alias == called && called != "" {
			alias = l.ID
		}
		for _, other := range l.Spec.AltNames {
			if other == called {
				alias = l.ID
			}
		}
	}
	if alias != "" {
		return alias
	}
	return called
}

// put wishes for something of the configuration layer: of two wishes for the
// same the last counts.
func put[T any](w wishes, kind *resource.Kind[T], id string, wish T) {
	kind.In(spec.Config).Put(w.s, spec.Layered(value.LayerConfiguration, id), wish)
}

// device wishes for what an item of machine.network.interfaces says. Kinds of
// links that the node cannot make yet are left out as a whole.
func (w wishes) device(d *v1alpha1.Device) {
	if d == nil || isTrue(d.Ignore) || d.Bond != nil || d.Bridge != nil || d.Wireguard != nil {
		return
	}
	names := []string{w.name(d.Interface)}
	if d.Interface == "" {
		names = Selected(w.links, d.DeviceSelector)
	}
	addresses := d.Addresses
	if d.CIDR != "" {
		addresses = append([]string{d.CIDR}, addresses...)
	}
	for _, name := range names {
		l := spec.LinkSpecSpec{Name: name, Up: true, Type: spec.LinkTypeEther, MTU: uint32(max(d.MTU, 0)), Layer: value.LayerConfiguration}
		if isTrue(d.Dummy) {
			l.Logical, l.Kind = true, "dummy"
		}
		put(w, spec.LinkSpecs, name, l)
		for _, text := range addresses {
			if p, ok := parsePrefix(text); ok {
				w.address(name, p)
			}
		}
		for _, r := range d.Routes {
			if r != nil {
				w.legacyRoute(name, r)
			}
		}
	}
}

func (w wishes) legacyRoute(link string, r *v1alpha1.Route) {
	wish := spec.RouteSpecSpec{OutLinkName: link, Priority: r.Metric, MTU: r.MTU}
	if r.Network != "" {
		p, err := netip.ParsePrefix(r.Network)
		if err != nil {
			return // validation refused it
		}
		wish.Dst = p
	}
	wish.Gateway, _ = netip.ParseAddr(r.Gateway)
	wish.Src, _ = netip.ParseAddr(r.Source)
	w.route(wish)
}

// parsePrefix reads an address with or without the length of its network.
func parsePrefix(text string) (netip.Prefix, bool) {
	if p, err := netip.ParsePrefix(text); err == nil {
		return p, true
	}
	a, err := netip.ParseAddr(text)
	if err != nil {
		return netip.Prefix{}, false
	}
	return netip.PrefixFrom(a, a.BitLen()), true
}

// link wishes for what a document about a link says.
func (w wishes) link(name string, c network.CommonLink, l spec.LinkSpecSpec) {
	l.Name, l.MTU, l.Multicast, l.Layer = name, c.MTU, c.Multicast, value.LayerConfiguration
	l.Up = c.Up == nil || *c.Up
	put(w, spec.LinkSpecs, name, l)
	for _, a := range c.Addresses {
		w.address(name, a.Address.Prefix)
	}
	for _, r := range c.Routes {
		w.route(spec.RouteSpecSpec{
			Dst: r.Destination.Prefix, Gateway: r.Gateway.Addr, Src: r.Source.Addr, OutLinkName: name,
			Table: spec.RoutingTable(r.Table), Priority: r.Metric, MTU: r.MTU,
		})
	}
}

func (w wishes) address(link string, p netip.Prefix) {
	a := spec.AddressSpecSpec{
		Address: p, LinkName: link, Family: family(p.Addr()), Flags: spec.AddressFlagPermanent, Layer: value.LayerConfiguration,
	}
	a.Scope = kernelScope(a)
	put(w, spec.AddressSpecs, spec.AddressID(link, p), a)
}

func (w wishes) route(r spec.RouteSpecSpec) {
	if r.Priority == 0 {
		r.Priority = defaultMetric
	}
	r.Layer = value.LayerConfiguration
	r = r.Normal()
	put(w, spec.RouteSpecs, r.ID(), r)
}

func (w wishes) blackhole(d *network.BlackholeRouteConfig) {
	p, err := netip.ParsePrefix(d.DocName)
	if err != nil {
		return // validation refused it
	}
	w.route(spec.RouteSpecSpec{Family: family(p.Addr()), Dst: p, Type: spec.RouteTypeBlackhole, Priority: d.Metric})
}

// reserved are the priorities of the kernel's own rules: local, main, default.
func reserved(priority uint32) bool { return priority == 0 || priority == 32766 || priority == 32767 }

// rule wishes for a routing rule, in each address family that it can match.
func (w wishes) rule(d *network.RoutingRuleConfig) {
	if reserved(d.Priority()) {
		return
	}
	action := spec.RoutingRuleActionUnicast
	if !d.Action.IsZero() {
		if err := action.UnmarshalText([]byte(d.Action)); err != nil {
			return
		}
	}
	for _, f := range []value.Family{value.FamilyInet4, value.FamilyInet6} {
		if d.Src.IsValid() && family(d.Src.Addr()) != f || d.Dst.IsValid() && family(d.Dst.Addr()) != f {
			continue
		}
		put(w, spec.RoutingRuleSpecs, spec.RoutingRuleID(f, d.Priority()), spec.RoutingRuleSpecSpec{
			Family: f, Src: masked(d.Src.Prefix), Dst: masked(d.Dst.Prefix), Table: spec.RoutingTable(d.Table), Priority: d.Priority(),
			Action: action, IIFName: w.name(d.IIFName), OIFName: w.name(d.OIFName), FwMark: d.FwMark, FwMask: d.FwMask,
			Layer: value.LayerConfiguration,
		})
	}
}

// masked is a prefix as rules show it: one that matches everything is none.
func masked(p netip.Prefix) netip.Prefix {
	if !p.IsValid() || p.Bits() == 0 {
		return netip.Prefix{}
	}
	return p.Masked()
}

func isTrue(b *bool) bool { return b != nil && *b }

// Ignored tells whether the config says to leave a link alone.
func Ignored(c *v1alpha1.Config, links []resource.Resource[spec.LinkStatusSpec], name string) bool {
	for _, d := range devices(c) {
		if d == nil || !isTrue(d.Ignore) {
			continue
		}
		if d.Interface != "" && resolve(links, d.Interface) == name {
			return true
		}
		for _, selected := range Selected(links, d.DeviceSelector) {
			if selected == name {
				return true
			}
		}
	}
	return false
}

// Selected names the network cards that a selector of the config matches.
// Everything that it says must be so; hardware addresses ignore case, and links
// that are no hardware, such as those that carry a card's address as well, are
// chosen only where physical: false asks for them.
func Selected(links []resource.Resource[spec.LinkStatusSpec], sel *v1alpha1.NetworkDeviceSelector) []string {
	if sel == nil || *sel == (v1alpha1.NetworkDeviceSelector{}) {
		return nil
	}
	var names []string
	for _, l := range links {
		if l.Spec.Type != spec.LinkTypeEther || l.Spec.Physical() != (sel.Physical == nil || *sel.Physical) {
			continue
		}
		if matches(sel.BusPath, l.Spec.BusPath) && matches(sel.HardwareAddr, l.Spec.HardwareAddr.String()) &&
			matches(sel.PermanentAddr, l.Spec.PermanentAddr.String()) && matches(sel.PCIID, l.Spec.PCIID) && matches(sel.Driver, l.Spec.Driver) {
			names = append(names, l.ID)
		}
	}
	return names
}

// matches tells whether text is as the pattern, in which * stands for anything;
// case does not matter, and an empty pattern asks for nothing.
func matches(pattern, text string) bool {
	if pattern == "" {
		return true
	}
	parts := strings.Split(strings.ToLower(pattern), "*")
	text = strings.ToLower(text)
	first, last := parts[0], parts[len(parts)-1]
	if len(parts) == 1 {
		return text == first
	}
	if len(text) < len(first)+len(last) || !strings.HasPrefix(text, first) || !strings.HasSuffix(text, last) {
		return false
	}
	text = text[len(first) : len(text)-len(last)]
	for _, part := range parts[1 : len(parts)-1] {
		_, rest, ok := strings.Cut(text, part)
		if !ok {
			return false
		}
		text = rest
	}
	return true
}
