package cache

import (
	"context"
	"net/netip"
	"time"

	clusterspec "github.com/ichor-os/ichor/node/cluster/spec"
	configspec "github.com/ichor-os/ichor/node/config/spec"
	"github.com/ichor-os/ichor/node/dns/spec"
	"github.com/ichor-os/ichor/resource"
)

// Addresses of the name server: programs of the node reach the first, pods the
// second.
var (
	NodeAddress = netip.MustParseAddrPort("127.0.0.53:53")
	PodAddress  = netip.MustParseAddrPort("169.254.116.108:53")
)

const (
	configID   = "config"
	resolverID = "resolvers"
	dnsPort    = 53
	showEvery  = 10 * time.Second
)

// Blocks are the reconcilers of the name server.
func Blocks(s *Server) []resource.Block {
	changed := make(chan struct{}, 1)
	s.Changed = func() {
		select {
		case changed <- struct{}{}:
		default:
		}
	}
	return []resource.Block{
		resource.Reconciler("hostdns-config", reconcileConfig),
		resource.Mirror("hostdns-server", spec.HostDNSConfigs, nil, s.ensure, s.remove),
		resource.Source("hostdns-upstreams", spec.DNSUpstreams, func(ctx context.Context, f *resource.Feed[spec.DNSUpstreamSpec]) error {
			return s.showUpstreams(ctx, f, changed)
		}),
		resource.Source("hostdns-listeners", spec.DNSResolveCaches, s.showListeners),
	}
}

func reconcileConfig(_ context.Context, s *resource.Session) error {
	c, ok, err := configspec.Config(s)
	if err != nil || !ok || c.Main() == nil || c.Main().Machine == nil || c.Main().Machine.Features == nil {
		return err
	}
	wanted := c.Main().Machine.Features.HostDNS
	if wanted == nil || !isTrue(wanted.Enabled) {
		return nil
	}
	out := spec.HostDNSConfigSpec{
		Enabled: true, ListenAddresses: []netip.AddrPort{NodeAddress}, ResolveMemberNames: isTrue(wanted.ResolveMemberNames),
	}
	if isTrue(wanted.ForwardKubeDNSToHost) {
		out.ListenAddresses = append(out.ListenAddresses, PodAddress)
		out.ServiceHostDNSAddress = PodAddress.Addr()
	}
	spec.HostDNSConfigs.Put(s, configID, out)
	return nil
}

func isTrue(b *bool) bool { return b != nil && *b }

func (s *Server) ensure(_ context.Context, session *resource.Session, r resource.Resource[spec.HostDNSConfigSpec]) error {
	var upstreams []netip.AddrPort
	if known, ok := spec.ResolverStatuses.Get(session, resolverID); ok {
		for _, a := range known.DNSServers {
			if address := netip.AddrPortFrom(a, dnsPort); address != NodeAddress && address != PodAddress {
				upstreams = append(upstreams, address)
			}
		}
	}
	members := map[string][]netip.Addr{}
	if r.Spec.ResolveMemberNames {
		for _, m := range clusterspec.Members.List(session) {
			members[m.Spec.Hostname] = m.Spec.Addresses
			members[m.ID] = m.Spec.Addresses
		}
	}
	s.Use(upstreams, members)
	defer s.Changed()
	return s.Listen(r.Spec.ListenAddresses...)
}

func (s *Server) remove(context.Context, *resource.Session, resource.Resource[spec.HostDNSConfigSpec]) error {
	defer s.Changed()
	s.Use(nil, nil)
	return s.Listen()
}

func (s *Server) showUpstreams(ctx context.Context, f *resource.Feed[spec.DNSUpstreamSpec], changed <-chan struct{}) error {
	for {
		var items []resource.Item[spec.DNSUpstreamSpec]
		if state := s.state.Load(); state != nil {
			for _, u := range state.upstreams {
				items = append(items, resource.Item[spec.DNSUpstreamSpec]{
					ID: u.Addr().String(), Spec: spec.DNSUpstreamSpec{Healthy: s.Healthy(u), Addr: u.String()},
				})
			}
		}
		if err := f.Replace(items...); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-changed:
		case <-time.After(showEvery):
		}
	}
}

func (s *Server) showListeners(ctx context.Context, f *resource.Feed[spec.DNSResolveCachSpec]) error {
	for {
		var items []resource.Item[spec.DNSResolveCachSpec]
		for _, address := range s.Listening() {
			for _, network := range []string{"udp", "tcp"} {
				items = append(items, resource.Item[spec.DNSResolveCachSpec]{
					ID: network + "-" + address.String(), Spec: spec.DNSResolveCachSpec{Status: "running"},
				})
			}
		}
		if err := f.Replace(items...); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Second):
		}
	}
}
