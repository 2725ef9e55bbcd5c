// Package dhcp asks DHCP servers for the network of links for which the config
// wants that: addresses, routes, MTU, names, resolvers and time servers become
// wishes of the operator layer, which the config's own go before.
package dhcp

import (
	"context"
	"log/slog"
	"maps"
	"net/netip"
	"slices"
	"sync"

	"github.com/ichor-os/ichor/node/dhcp/spec"
	dnsspec "github.com/ichor-os/ichor/node/dns/spec"
	linkspec "github.com/ichor-os/ichor/node/link/spec"
	timespec "github.com/ichor-os/ichor/node/time/spec"
	"github.com/ichor-os/ichor/resource"
	"github.com/ichor-os/ichor/resource/value"
)

// Clients are the DHCP clients of a node. Give the blocks to the engine.
type Clients struct {
	Log *slog.Logger
	// Hostname is what servers are told; may be nil.
	Hostname func() string

	mu      sync.Mutex
	running map[string]running
	leases  map[string]spec.LeaseSpec
	changed chan struct{}
}

type running struct {
	wish linkspec.OperatorSpecSpec
	stop context.CancelFunc
	done chan struct{}
}

// Blocks are the blocks of the noun.
func (c *Clients) Blocks() []resource.Block {
	c.running, c.leases, c.changed = map[string]running{}, map[string]spec.LeaseSpec{}, make(chan struct{}, 1)
	if c.Hostname == nil {
		c.Hostname = func() string { return "" }
	}
	return []resource.Block{
		resource.Mirror("dhcp-clients", linkspec.OperatorSpecs, nil, c.ensure, c.remove),
		resource.Source("dhcp-leases", spec.Leases, c.feed),
		resource.Reconciler("dhcp-wishes", reconcileWishes),
	}
}

// ensure has a client run for an operator; one with other settings is replaced.
func (c *Clients) ensure(ctx context.Context, s *resource.Session, r resource.Resource[linkspec.OperatorSpecSpec]) error {
	if r.Spec.Operator == linkspec.OperatorVIP {
		return nil
	}
	link, ok := linkspec.LinkStatuses.Get(s, r.Spec.LinkName)
	if !ok {
		c.end(ctx, r.ID)
		return resource.Hold("waiting for link " + r.Spec.LinkName)
	}
	if r.Spec.RequireUp && !up(link) {
		// The lease stays: a link that is down for a moment is the same network.
		return resource.Hold("waiting for link " + r.Spec.LinkName + " to come up")
	}
	c.mu.Lock()
	was, there := c.running[r.ID]
	c.mu.Unlock()
	if there && was.wish == r.Spec {
		return nil
	}
	c.end(ctx, r.ID)
	c.start(r.ID, r.Spec)
	return nil
}

func up(l linkspec.LinkStatusSpec) bool {
	return l.OperationalState == linkspec.OperationalStateUp || l.OperationalState == linkspec.OperationalStateUnknown
}

func (c *Clients) start(id string, wish linkspec.OperatorSpecSpec) {
	running := running{wish: wish, done: make(chan struct{})}
	ctx, stop := context.WithCancel(context.Background())
	running.stop = stop
	show := func(l *spec.LeaseSpec) { c.show(id, l) }
	run := (&client4{link: wish.LinkName, how: wish.Dhcp4, hostname: c.Hostname, log: c.Log, show: show}).run
	if wish.Operator == linkspec.OperatorDhcp6 {
		run = (&client6{link: wish.LinkName, how: wish.Dhcp6, log: c.Log, show: show}).run
	}
	c.mu.Lock()
	c.running[id] = running
	c.mu.Unlock()
	go func() {
		defer close(running.done)
		run(ctx)
	}()
}

// end ends a client and takes its lease back.
func (c *Clients) end(ctx context.Context, id string) {
	c.mu.Lock()
	was, ok := c.running[id]
	delete(c.running, id)
	c.mu.Unlock()
	if !ok {
		return
	}
	was.stop()
	select {
	case <-was.done:
	case <-ctx.Done():
	}
}

func (c *Clients) remove(ctx context.Context, _ *resource.Session, r resource.Resource[linkspec.OperatorSpecSpec]) error {
	c.end(ctx, r.ID)
	return nil
}

func (c *Clients) show(id string, l *spec.LeaseSpec) {
	c.mu.Lock()
	if l == nil {
		delete(c.leases, id)
	} else {
		c.leases[id] = *l
	}
	c.mu.Unlock()
	select {
	case c.changed <- struct{}{}:
	default:
	}
}

func (c *Clients) feed(ctx context.Context, f *resource.Feed[spec.LeaseSpec]) error {
	for {
		c.mu.Lock()
		all := maps.Clone(c.leases)
		c.mu.Unlock()
		var items []resource.Item[spec.LeaseSpec]
		for _, id := range slices.Sorted(maps.Keys(all)) {
			items = append(items, resource.Item[spec.LeaseSpec]{ID: id, Spec: all[id]})
		}
		if err := f.Replace(items...); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-c.changed:
		}
	}
}

// reconcileWishes turns leases into wishes of the operator layer.
func reconcileWishes(_ context.Context, s *resource.Session) error {
	for _, l := range spec.Leases.List(s) {
		wishOf(s, l.ID, l.Spec)
	}
	return nil
}

func wishOf(s *resource.Session, id string, l spec.LeaseSpec) {
	const operator = value.LayerOperator
	linkspec.AddressSpecs.In(linkspec.Config).Put(s, linkspec.Layered(operator, linkspec.AddressID(l.Link, l.Address)), linkspec.AddressSpecSpec{
		Address: l.Address, LinkName: l.Link, Family: l.Family, Scope: linkspec.ScopeGlobal, Flags: linkspec.AddressFlagPermanent,
		Priority: l.Metric, Layer: operator,
	})
	for _, r := range l.Routes {
		wish := linkspec.RouteSpecSpec{
			Family: l.Family, Dst: r.Destination, Gateway: r.Gateway, OutLinkName: l.Link, Table: linkspec.RoutingTableMain, Priority: l.Metric,
			Scope: linkspec.ScopeGlobal, Type: linkspec.RouteTypeUnicast, Protocol: linkspec.RouteProtocolDhcp, MTU: l.MTU, Layer: operator,
		}
		if !r.Gateway.IsValid() {
			wish.Scope = linkspec.ScopeLink
		}
		wish = wish.Normal()
		linkspec.RouteSpecs.In(linkspec.Config).Put(s, linkspec.Layered(operator, wish.ID()), wish)
	}
	if l.MTU > 0 {
		linkspec.LinkSpecs.In(linkspec.Config).Put(s, linkspec.Layered(operator, l.Link), linkspec.LinkSpecSpec{
			Name: l.Link, Up: true, Type: linkspec.LinkTypeEther, MTU: l.MTU, Layer: operator,
		})
	}
	if l.Hostname != "" {
		dnsspec.HostnameSpecs.In(linkspec.Config).Put(s, linkspec.Layered(operator, "hostname"), dnsspec.HostnameSpecSpec{
			Hostname: l.Hostname, Domainname: l.Domain, Layer: operator,
		})
	}
	if len(l.DNSServers) > 0 {
		search := l.Search
		if len(search) == 0 && l.Domain != "" {
			search = []string{l.Domain}
		}
		dnsspec.ResolverSpecs.In(linkspec.Config).Put(s, linkspec.Layered(operator, id), dnsspec.ResolverSpecSpec{
			DNSServers: append([]netip.Addr(nil), l.DNSServers...), SearchDomains: search, Layer: operator,
		})
	}
	if len(l.TimeServers) > 0 {
		timespec.TimeServerSpecs.In(linkspec.Config).Put(s, linkspec.Layered(operator, id), timespec.TimeServerSpecSpec{
			TimeServers: l.TimeServers, Layer: operator,
		})
	}
}
