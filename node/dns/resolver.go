package dns

import (
	"context"
	"net/netip"
	"slices"

	"github.com/ichor-os/ichor/config/documents/network"
	configspec "github.com/ichor-os/ichor/node/config/spec"
	"github.com/ichor-os/ichor/node/dns/spec"
	linkspec "github.com/ichor-os/ichor/node/link/spec"
	"github.com/ichor-os/ichor/resource"
	"github.com/ichor-os/ichor/resource/value"
)

// defaultServers are asked where nobody names a name server.
var defaultServers = []netip.Addr{netip.MustParseAddr("1.1.1.1"), netip.MustParseAddr("8.8.8.8")}

// reconcileResolvers puts the wishes of config and platform for resolvers, and
// those that hold without.
func (o Options) reconcileResolvers(_ context.Context, s *resource.Session) error {
	c, ok, err := configspec.Config(s)
	if err != nil {
		return err
	}
	put := func(layer value.Layer, servers []netip.Addr, domains []string) {
		if len(servers) > 0 || len(domains) > 0 {
			spec.ResolverSpecs.In(linkspec.Config).Put(s, layered(layer, resolvers),
				spec.ResolverSpecSpec{DNSServers: servers, SearchDomains: domains, Layer: layer})
		}
	}
	if !o.Offline {
		put(value.LayerDefault, defaultServers, nil)
	}
	if p, ok := linkspec.PlatformConfigs.Get(s, active); ok {
		for _, r := range p.Resolvers {
			put(value.LayerPlatform, r.DNSServers, r.SearchDomains)
		}
	}
	if !ok {
		return nil
	}
	var servers []netip.Addr
	for _, text := range networkOf(c).NameServers {
		if a, err := netip.ParseAddr(text); err == nil {
			servers = append(servers, a)
		}
	}
	domains := networkOf(c).Searches
	if doc, found := document[*network.ResolverConfig](c); found {
		if len(doc.Nameservers) > 0 {
			servers = nil
		}
		for _, n := range doc.Nameservers {
			servers = append(servers, n.Address.Addr)
		}
		if len(doc.SearchDomains.Domains) > 0 {
			domains = doc.SearchDomains.Domains
		}
	}
	put(value.LayerConfiguration, servers, domains)
	return nil
}

// mergeResolvers takes each address family's servers from the highest layer
// that has some; those of the config take the place of all others. Sources of
// one layer, such as the leases of two links, add up.
func mergeResolvers(_ context.Context, s *resource.Session) error {
	all := spec.ResolverSpecs.In(linkspec.Config).List(s)
	slices.SortFunc(all, func(a, b resource.Resource[spec.ResolverSpecSpec]) int {
		if above(a.ID, b.ID) {
			return -1
		}
		return 1
	})
	var out spec.ResolverSpecSpec
	taken := map[value.Family]value.Layer{}
	var domains value.Layer
	for _, w := range all {
		before := len(out.DNSServers)
		if out.Layer == value.LayerConfiguration && w.Spec.Layer != value.LayerConfiguration && before > 0 {
			w.Spec.DNSServers = nil
		}
		for _, a := range w.Spec.DNSServers {
			family := value.FamilyInet6
			if a.Unmap().Is4() {
				family = value.FamilyInet4
			}
			layer, is := taken[family]
			if is && layer != w.Spec.Layer || slices.Contains(out.DNSServers, a) {
				continue
			}
			taken[family] = w.Spec.Layer
			out.DNSServers = append(out.DNSServers, a)
		}
		if before == 0 && len(out.DNSServers) > 0 {
			out.Layer = w.Spec.Layer
		}
		if len(w.Spec.SearchDomains) > 0 && (len(out.SearchDomains) == 0 || domains == w.Spec.Layer) {
			domains = w.Spec.Layer
			for _, d := range w.Spec.SearchDomains {
				if !slices.Contains(out.SearchDomains, d) {
					out.SearchDomains = append(out.SearchDomains, d)
				}
			}
		}
	}
	spec.ResolverSpecs.Put(s, resolvers, out)
	search, err := searchDomains(s, out.SearchDomains)
	if err != nil {
		return err
	}
	spec.ResolverStatuses.Put(s, resolvers, spec.ResolverStatusSpec{DNSServers: out.DNSServers, SearchDomains: search})
	return nil
}

// searchDomains adds the node's own domain, unless the config says not to.
func searchDomains(s *resource.Session, domains []string) ([]string, error) {
	c, ok, err := configspec.Config(s)
	if err != nil {
		return nil, err
	}
	if ok {
		doc, found := document[*network.ResolverConfig](c)
		if isTrue(networkOf(c).DisableSearchDomain) || found && isTrue(doc.SearchDomains.DisableDefault) {
			return domains, nil
		}
	}
	if name, ok := spec.HostnameStatuses.Get(s, hostname); ok && name.Domainname != "" && !slices.Contains(domains, name.Domainname) {
		domains = append(slices.Clone(domains), name.Domainname)
	}
	return domains, nil
}

func isTrue(b *bool) bool { return b != nil && *b }

// reconcileHostAddress gives the node the address at which pods reach its name
// server.
func reconcileHostAddress(_ context.Context, s *resource.Session) error {
	for _, c := range spec.HostDNSConfigs.List(s) {
		a := c.Spec.ServiceHostDNSAddress
		if !c.Spec.Enabled || !a.IsValid() {
			continue
		}
		p := netip.PrefixFrom(a, a.BitLen())
		linkspec.AddressSpecs.In(linkspec.Config).Put(s, layered(value.LayerOperator, linkspec.AddressID("lo", p)), linkspec.AddressSpecSpec{
			Address: p, LinkName: "lo", Family: value.FamilyInet4, Scope: linkspec.ScopeHost,
			Flags: linkspec.AddressFlagPermanent, Layer: value.LayerOperator,
		})
	}
	return nil
}
