package dns

import (
	"net/netip"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	clusterspec "github.com/ichor-os/ichor/node/cluster/spec"
	configspec "github.com/ichor-os/ichor/node/config/spec"
	"github.com/ichor-os/ichor/node/dns/spec"
	etcfilespec "github.com/ichor-os/ichor/node/etcfile/spec"
	linkspec "github.com/ichor-os/ichor/node/link/spec"
	"github.com/ichor-os/ichor/resource"
	"github.com/ichor-os/ichor/resource/value"
)

type fixture struct {
	*testing.T
	engine *resource.Engine
	kernel atomic.Value // the name that the kernel has
}

func start(t *testing.T) *fixture {
	f := &fixture{T: t, engine: resource.New(resource.Options{CheckSpecs: true})}
	for _, kinds := range [][]resource.AnyKind{
		{configspec.MachineConfigs, clusterspec.Identities}, spec.Kinds(), linkspec.Kinds(), etcfilespec.Kinds(),
	} {
		f.must(f.engine.Register(kinds...))
	}
	f.must(f.engine.Add(Blocks(Options{Offline: true, SetHostname: func(name []byte) error {
		f.kernel.Store(string(name))
		return nil
	}})...))
	go func() { _ = f.engine.Run(t.Context()) }()
	return f
}

func (f *fixture) must(err error) {
	f.Helper()
	if err != nil {
		f.Fatal(err)
	}
}

// set makes the world; what was set before and is not set again goes.
func (f *fixture) set(config string, more ...func(s *resource.Session)) {
	f.Helper()
	f.must(f.engine.Commit(f.Context(), "test", func(s *resource.Session) error {
		if config != "" {
			configspec.MachineConfigs.Put(s, configspec.Active, configspec.MachineConfigSpec{Documents: []byte(config)})
		}
		for _, fn := range more {
			fn(s)
		}
		return nil
	}))
	f.must(f.engine.Settled(f.Context()))
}

func (f *fixture) file(name string) (text string) {
	f.Helper()
	f.must(f.engine.View(f.Context(), func(s *resource.Session) error {
		file, _ := etcfilespec.EtcFileSpecs.Get(s, name)
		text = string(file.Contents)
		return nil
	}))
	return text
}

func (f *fixture) wantFile(name, want string) {
	f.Helper()
	if diff := cmp.Diff(want, f.file(name)); diff != "" {
		f.Errorf("/etc/%s differs (-want +got):\n%s", name, diff)
	}
}

func (f *fixture) wantName(want string) {
	f.Helper()
	f.must(f.engine.View(f.Context(), func(s *resource.Session) error {
		name, _ := spec.HostnameStatuses.Get(s, hostname)
		if got := full(name.Hostname, name.Domainname); got != want {
			f.Errorf("host name %q, want %q", got, want)
		}
		if kernel, _ := f.kernel.Load().(string); kernel != name.Hostname {
			f.Errorf("the kernel has the name %q, want %q", kernel, name.Hostname)
		}
		return nil
	}))
}

const main = "version: v1alpha1\nmachine:\n  type: worker\n"

func hostnameDocument(text string) string {
	return main + "---\napiVersion: v1alpha1\nkind: HostnameConfig\n" + text + "\n"
}

func identity(s *resource.Session) {
	clusterspec.Identities.Put(s, "local", clusterspec.IdentitySpec{NodeID: "one"})
}

func platform(name string, servers ...string) func(s *resource.Session) {
	return func(s *resource.Session) {
		c := linkspec.PlatformConfigSpec{Resolvers: []linkspec.ResolverSpecSpec{{DNSServers: addresses(servers)}}}
		if name != "" {
			c.Hostnames = []linkspec.HostnameSpecSpec{{Hostname: name}}
		}
		linkspec.PlatformConfigs.Put(s, active, c)
	}
}

func addresses(texts []string) (all []netip.Addr) {
	for _, text := range texts {
		all = append(all, netip.MustParseAddr(text))
	}
	return all
}

func TestHostname_ComesFromTheHighestLayer(t *testing.T) {
	f := start(t)
	f.set("", identity)
	f.wantName(stableName("one"))
	f.set(hostnameDocument("auto: stable"), identity, platform("n1"))
	f.wantName("n1")
	f.set(main+"  network:\n    hostname: old.example.org\n", identity, platform("n1"))
	f.wantName("old.example.org")
	f.wantFile("hostname", "old.example.org\n")
	f.set(hostnameDocument("hostname: rack4-n2"), identity, platform("n1"))
	f.wantName("rack4-n2")
}

func TestBR15_AutoOffWaitsForSomebodyToNameTheNode(t *testing.T) {
	f := start(t)
	f.set(hostnameDocument("auto: \"off\""), identity)
	f.wantName("")
	f.set(hostnameDocument("auto: \"off\""), identity, platform("n1"))
	f.wantName("n1")
}

func TestBR29_ServersAreMergedByFamilyAndReplacedByTheConfig(t *testing.T) {
	f := start(t)
	lease := func(s *resource.Session) {
		spec.ResolverSpecs.In(linkspec.Config).Put(s, layered(value.LayerOperator, "dhcp4/eth0/resolvers"),
			spec.ResolverSpecSpec{DNSServers: addresses([]string{"10.0.0.53"}), SearchDomains: []string{"lab.example"}, Layer: value.LayerOperator})
	}
	f.set(main, platform("n1", "203.0.113.53", "2001:db8::53"), lease)
	f.wantFile("resolv.conf", "nameserver 10.0.0.53\nnameserver 2001:db8::53\n\nsearch lab.example\n")
	f.set(main+"---\napiVersion: v1alpha1\nkind: ResolverConfig\nnameservers:\n  - address: 9.9.9.9\n",
		platform("n1", "203.0.113.53", "2001:db8::53"), lease)
	f.wantFile("resolv.conf", "nameserver 9.9.9.9\n\nsearch lab.example\n")
}

func TestResolvConf_LeadsPodsToTheAddressThatTheyReach(t *testing.T) {
	f := start(t)
	dns := func(s *resource.Session) {
		spec.HostDNSConfigs.Put(s, "config", spec.HostDNSConfigSpec{
			Enabled: true, ListenAddresses: []netip.AddrPort{netip.MustParseAddrPort("127.0.0.53:53")},
			ServiceHostDNSAddress: netip.MustParseAddr("169.254.116.108"),
		})
	}
	f.set(main, platform("n1.example.org", "192.0.2.1"))
	f.wantFile("resolv.conf", "nameserver 192.0.2.1\n\nsearch example.org\n")
	f.set(main+"  network:\n    disableSearchDomain: true\n", platform("n1.example.org", "192.0.2.1"), dns)
	f.wantFile("resolv.conf", "nameserver 127.0.0.53\n")
	f.wantFile(PodResolvConf, "nameserver 169.254.116.108\n")
	f.must(f.engine.View(t.Context(), func(s *resource.Session) error {
		if _, ok := linkspec.AddressSpecs.In(linkspec.Config).Get(s, "operator/lo/169.254.116.108/32"); !ok {
			t.Error("the node does not want the address that pods ask")
		}
		return nil
	}))
}

func TestHosts_KnowTheNodeAndThoseOfTheConfig(t *testing.T) {
	f := start(t)
	f.set(main+"  network:\n    extraHostEntries: [{ip: 192.0.2.7, aliases: [a, b]}]\n"+
		"---\napiVersion: v1alpha1\nkind: StaticHostConfig\nname: 192.0.2.44\nhostnames: [registry]\n",
		platform("n1.example.org"), func(s *resource.Session) {
			linkspec.NodeAddresses.Put(s, "default", linkspec.NodeAddressSpec{Addresses: []netip.Prefix{netip.MustParsePrefix("10.0.0.5/24")}})
		})
	f.wantFile("hosts", "127.0.0.1 localhost\n::1 localhost ip6-localhost ip6-loopback\n"+
		"10.0.0.5 n1.example.org n1\n192.0.2.7 a b\n192.0.2.44 registry\n")
}
