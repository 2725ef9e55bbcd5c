package address

import (
	"net/netip"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	configspec "github.com/ichor-os/ichor/node/config/spec"
	"github.com/ichor-os/ichor/node/link/spec"
	"github.com/ichor-os/ichor/resource"
)

type fixture struct {
	*testing.T
	engine *resource.Engine
}

func start(t *testing.T) *fixture {
	f := &fixture{t, resource.New(resource.Options{CheckSpecs: true})}
	f.must(f.engine.Register(configspec.MachineConfigs))
	f.must(f.engine.Register(spec.Kinds()...))
	f.must(f.engine.Add(Blocks()...))
	go func() { _ = f.engine.Run(t.Context()) }()
	return f
}

func (f *fixture) must(err error) {
	f.Helper()
	if err != nil {
		f.Fatal(err)
	}
}

// set makes the world: a config and what the kernel has.
func (f *fixture) set(config string, addresses ...string) {
	f.Helper()
	f.must(f.engine.Commit(f.Context(), "test", func(s *resource.Session) error {
		if config != "" {
			configspec.MachineConfigs.Put(s, configspec.Active, configspec.MachineConfigSpec{Documents: []byte(config)})
		}
		for _, a := range spec.AddressStatuses.List(s) {
			if !slices.Contains(addresses, a.Spec.Address.String()) {
				spec.AddressStatuses.Delete(s, a.ID)
			}
		}
		for _, text := range addresses {
			p := netip.MustParsePrefix(text)
			spec.AddressStatuses.Put(s, "eth0/"+text, spec.AddressStatusSpec{Address: p, LinkName: "eth0"})
		}
		return nil
	}))
	f.must(f.engine.Settled(f.Context()))
}

func (f *fixture) want(id string, want ...string) {
	f.Helper()
	f.must(f.engine.View(f.Context(), func(s *resource.Session) error {
		found, _ := spec.NodeAddresses.Get(s, id)
		var got []string
		for _, p := range found.Addresses {
			got = append(got, p.String())
		}
		if diff := cmp.Diff(want, got); diff != "" {
			f.Errorf("%s differs (-want +got):\n%s", id, diff)
		}
		return nil
	}))
}

const (
	main = "version: v1alpha1\nmachine:\n  type: worker\ncluster:\n  network:\n    podSubnets: [10.2.0.0/16]\n    serviceSubnets: [10.3.0.0/16]\n"
	vip  = "---\napiVersion: v1alpha1\nkind: Layer2VIPConfig\nname: 10.20.0.9\nlink: eth0\n"
)

func TestBR26_ASharedAddressIsNeverTheNodes(t *testing.T) {
	f := start(t)
	f.set(main+vip, "10.20.0.5/24", "10.20.0.9/32")
	for _, id := range []string{"default", "current", "routed", "accumulative", "routed-no-k8s"} {
		f.want(id, "10.20.0.5/24")
	}
}

func TestAddresses_AreFilteredAndKept(t *testing.T) {
	f := start(t)
	f.set(main, "127.0.0.1/8", "fe80::1/64", "169.254.116.108/32", "10.2.0.1/24", "10.20.0.5/24", "2001:db8::5/64")
	f.want("default", "10.20.0.5/24")
	f.want("current", "10.2.0.1/24", "10.20.0.5/24", "2001:db8::5/64")
	f.want("current-no-k8s", "10.20.0.5/24", "2001:db8::5/64")
	f.want("routed-only-k8s", "10.2.0.1/24")
	// The node stays known by its address when a lower one comes, and does not
	// forget what it had.
	f.set(main, "10.20.0.4/24", "10.20.0.5/24")
	f.want("default", "10.20.0.5/24")
	f.want("accumulative-no-k8s", "10.20.0.4/24", "10.20.0.5/24", "2001:db8::5/64")
	f.set(main, "10.20.0.4/24")
	f.want("default", "10.20.0.4/24")
	f.want("current", "10.20.0.4/24")
	f.want("accumulative", "10.2.0.1/24", "10.20.0.4/24", "10.20.0.5/24", "2001:db8::5/64")
}

func TestSort_V2PutsLongerPrefixesFirst(t *testing.T) {
	addresses := func() []netip.Prefix {
		var all []netip.Prefix
		for _, text := range []string{"2001:db8::1/64", "2001:db8::2/128", "10.0.0.2/32", "10.0.0.1/24"} {
			all = append(all, netip.MustParsePrefix(text))
		}
		return all
	}
	for algorithm, want := range map[spec.AddressSortAlgorithm]string{
		spec.AddressSortAlgorithmV1: "[10.0.0.1/24 10.0.0.2/32 2001:db8::1/64 2001:db8::2/128]",
		spec.AddressSortAlgorithmV2: "[10.0.0.2/32 10.0.0.1/24 2001:db8::2/128 2001:db8::1/64]",
	} {
		all := addresses()
		Sort(all, algorithm)
		text := "["
		for i, p := range all {
			if i > 0 {
				text += " "
			}
			text += p.String()
		}
		if text += "]"; text != want {
			t.Errorf("%s: order %s, want %s", algorithm, text, want)
		}
	}
}
