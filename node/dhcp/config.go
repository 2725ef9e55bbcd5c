// Package dhcp asks DHCPv4 servers for addresses. Layers wish for a client on a
// link as an OperatorSpec; a client keeps its lease as a resource, and what the
// server gave becomes wishes of the operator layer for the link, its addresses
// and routes, the host name, name servers and time servers.
//
// DHCPv6 is not spoken yet; addresses of router advertisements are the kernel's.
package dhcp

import (
	"context"
	"strings"

	"github.com/ichor-os/ichor/config/documents/network"
	configspec "github.com/ichor-os/ichor/node/config/spec"
	"github.com/ichor-os/ichor/node/dhcp/spec"
	dnsspec "github.com/ichor-os/ichor/node/dns/spec"
	linkspec "github.com/ichor-os/ichor/node/link/spec"
	timespec "github.com/ichor-os/ichor/node/time/spec"
	"github.com/ichor-os/ichor/resource"
	"github.com/ichor-os/ichor/resource/value"
)

const (
	defaultMetric = 1024
	idPrefix      = "dhcp4/"
)

// Blocks are the blocks of this noun.
func Blocks(c *Clients) []resource.Block {
	return []resource.Block{
		resource.Reconciler("operator-config", c.reconcileConfig),
		resource.Merge("operator-merge", linkspec.OperatorSpecs, linkspec.Config, "network", linkspec.Layers(), nil),
		resource.Mirror("dhcp-clients", linkspec.OperatorSpecs, nil, c.ensure, c.remove),
		resource.Source("dhcp-leases", spec.Leases, c.show),
		resource.ForEach("dhcp-lease", spec.Leases, reconcileLease),
	}
}

// reconcileConfig wishes for the clients of the config in force.
func (cs *Clients) reconcileConfig(_ context.Context, s *resource.Session) error {
	c, ok, err := configspec.Config(s)
	if err != nil || !ok {
		return err
	}
	links := linkspec.LinkStatuses.List(s)
	put := func(link string, o linkspec.DHCP4OperatorSpec) {
		if o.RouteMetric == 0 {
			o.RouteMetric = defaultMetric
		}
		linkspec.OperatorSpecs.In(linkspec.Config).Put(s, linkspec.Layered(value.LayerConfiguration, idPrefix+link), linkspec.OperatorSpecSpec{
			Operator: linkspec.OperatorDhcp4, LinkName: link, RequireUp: true, Dhcp4: o, Layer: value.LayerConfiguration,
		})
	}
	mac := linkspec.ClientIdentifierSpec{ClientIdentifier: linkspec.ClientIdentifierMAC}
	if main := c.Main(); main != nil && main.Machine != nil && main.Machine.Network != nil {
		for _, d := range main.Machine.Network.Interfaces {
			if d == nil || !isTrue(d.DHCP) || isTrue(d.Ignore) {
				continue
			}
			o := linkspec.DHCP4OperatorSpec{ClientIdentifier: mac}
			if d.DHCPOptions != nil {
				if d.DHCPOptions.IPv4 != nil && !*d.DHCPOptions.IPv4 {
					continue
				}
				o.RouteMetric = d.DHCPOptions.RouteMetric
			}
			names := []string{named(links, d.Interface)}
			if d.Interface == "" {
				names = cs.Select(links, d.DeviceSelector)
			}
			for _, name := range names {
				put(name, o)
			}
		}
	}
	for _, doc := range c.Documents() {
		d, is := doc.(*network.DHCPv4Config)
		if !is {
			continue
		}
		o := linkspec.DHCP4OperatorSpec{RouteMetric: d.RouteMetric, SkipHostnameRequest: isTrue(d.IgnoreHostname), ClientIdentifier: mac}
		if d.ClientIdentifier != nil {
			if err := o.ClientIdentifier.ClientIdentifier.UnmarshalText([]byte(d.ClientIdentifier.String())); err != nil {
				return err
			}
			o.ClientIdentifier.DUIDRawHex = strings.ReplaceAll(d.DUIDRaw.String(), ":", "")
		}
		put(named(links, d.DocName), o)
	}
	return nil
}

func isTrue(b *bool) bool { return b != nil && *b }

// named gives the kernel's name of a link that the config calls by its name or
// an alias.
func named(links []resource.Resource[linkspec.LinkStatusSpec], called string) string {
	name := called
	for _, l := range links {
		if l.ID == called {
			return called
		}
		if l.Spec.Alias == called {
			name = l.ID
		}
	}
	return name
}

// reconcileLease turns a lease into wishes of the operator layer.
func reconcileLease(_ context.Context, s *resource.Session, r resource.Resource[spec.LeaseSpec]) error {
	l := r.Spec
	layered := func(id string) string { return linkspec.Layered(value.LayerOperator, id) }
	const layer = value.LayerOperator
	linkspec.AddressSpecs.In(linkspec.Config).Put(s, layered(linkspec.AddressID(l.LinkName, l.Address)), linkspec.AddressSpecSpec{
		Address: l.Address, LinkName: l.LinkName, Family: value.FamilyInet4, Scope: linkspec.ScopeGlobal,
		Flags: linkspec.AddressFlagPermanent, Priority: l.RouteMetric, Layer: layer,
	})
	for _, route := range l.Routes {
		wish := linkspec.RouteSpecSpec{
			Family: value.FamilyInet4, Dst: route.Dst, Gateway: route.Gateway, Src: l.Address.Addr(), OutLinkName: l.LinkName, Priority: l.RouteMetric,
			Protocol: linkspec.RouteProtocolDhcp, Layer: layer,
		}.Normal()
		linkspec.RouteSpecs.In(linkspec.Config).Put(s, layered(wish.ID()), wish)
	}
	linkspec.LinkSpecs.In(linkspec.Config).Put(s, layered(l.LinkName), linkspec.LinkSpecSpec{
		Name: l.LinkName, Up: true, Type: linkspec.LinkTypeEther, MTU: l.MTU, Layer: layer,
	})
	if l.Hostname != "" || l.Domainname != "" {
		dnsspec.HostnameSpecs.In(linkspec.Config).Put(s, layered(r.ID+"/hostname"), dnsspec.HostnameSpecSpec{
			Hostname: l.Hostname, Domainname: l.Domainname, Layer: layer,
		})
	}
	if len(l.DNSServers) > 0 || len(l.SearchDomains) > 0 {
		dnsspec.ResolverSpecs.In(linkspec.Config).Put(s, layered(r.ID+"/resolvers"), dnsspec.ResolverSpecSpec{
			DNSServers: l.DNSServers, SearchDomains: l.SearchDomains, Layer: layer,
		})
	}
	if len(l.TimeServers) > 0 {
		timespec.TimeServerSpecs.In(linkspec.Config).Put(s, layered(r.ID+"/timeservers"), timespec.TimeServerSpecSpec{
			TimeServers: l.TimeServers, Layer: layer,
		})
	}
	return nil
}
