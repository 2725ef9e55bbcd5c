package link

import (
	"context"
	"net/netip"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ichor-os/ichor/config/documents/v1alpha1"
	configspec "github.com/ichor-os/ichor/node/config/spec"
	"github.com/ichor-os/ichor/node/link/spec"
	"github.com/ichor-os/ichor/resource"
	"github.com/ichor-os/ichor/resource/value"
)

// mac reads a hardware address.
func mac(text string) value.HardwareAddr {
	var a value.HardwareAddr
	if err := a.UnmarshalText([]byte(text)); err != nil {
		panic(err)
	}
	return a
}

func card(index uint32, address string) spec.LinkStatusSpec {
	return spec.LinkStatusSpec{Index: index, Type: spec.LinkTypeEther, HardwareAddr: mac(address), PermanentAddr: mac(address), BusPath: "0000:00:0" + string(rune('0'+index)) + ".0", Driver: "virtio_net", MTU: 1500}
}

// links are what the config tests' machine has: two cards, and a VLAN that has
// the first one's address.
var machine = map[string]spec.LinkStatusSpec{
	"lo":       {Index: 1, Type: spec.LinkTypeLoopback},
	"enp0s2":   card(2, "02:00:5e:10:00:0a"),
	"enp0s3":   card(3, "02:00:5e:10:00:0b"),
	"enp0s2.7": {Index: 4, Type: spec.LinkTypeEther, Kind: "vlan", HardwareAddr: mac("02:00:5e:10:00:0a")},
}

// settle runs the layers and merges over a config, without a kernel.
func settle(t *testing.T, config string) *resource.Engine {
	t.Helper()
	engine := resource.New(resource.Options{Diagnose: func(d resource.Diagnostic) {
		t.Errorf("engine: %s: %s: %s", d.Name, d.Kind, d.Message)
	}})
	if err := engine.Add(append(layers(), merges()...)...); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- engine.Run(ctx) }()
	t.Cleanup(func() { stop(); <-ended })
	err := engine.Commit(ctx, "test", func(s *resource.Session) error {
		for name, l := range machine {
			spec.LinkStatuses.Put(s, name, l)
		}
		configspec.MachineConfigs.Put(s, configspec.Active, configspec.MachineConfigSpec{Documents: []byte(config)})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := engine.Settled(ctx); err != nil {
		t.Fatal(err)
	}
	for _, s := range engine.Status() {
		if s.State != resource.StateOK {
			t.Errorf("%s is %s: %s", s.Name, s.State, s.Reason)
		}
	}
	return engine
}

func specs[T any](t *testing.T, engine *resource.Engine, kind *resource.Kind[T]) map[string]T {
	t.Helper()
	all := map[string]T{}
	err := engine.View(context.Background(), func(s *resource.Session) error {
		for _, r := range kind.List(s) {
			all[r.ID] = r.Spec
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func ids[T any](all map[string]T) []string {
	var ids []string
	for id := range all {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}

const main = "version: v1alpha1\nmachine:\n  type: worker\n"

func TestConfig_LegacyAndDocumentsBecomeSpecs(t *testing.T) {
	engine := settle(t, main+`  network:
    interfaces:
      - deviceSelector: {hardwareAddr: "02:00:5E:10:*:0a"}
        mtu: 1400
        addresses: [192.0.2.5/24, 2001:db8::5]
        routes:
          - {network: 0.0.0.0/0, gateway: 192.0.2.1}
          - {network: 198.51.100.0/24, gateway: 192.0.2.9, source: 192.0.2.5, metric: 5, mtu: 1300}
      - {interface: bond0, bond: {interfaces: [enp0s9], mode: active-backup}, addresses: [192.0.2.77/24]}
---
apiVersion: v1alpha1
kind: LinkConfig
name: lan0
up: false
addresses: [{address: 203.0.113.5/24}]
routes:
  - {destination: 10.0.0.0/8, gateway: 203.0.113.1, table: "100"}
---
apiVersion: v1alpha1
kind: LinkAliasConfig
name: lan0
selector: {match: 'mac(link.permanent_addr) == "02:00:5e:10:00:0b"'}
---
apiVersion: v1alpha1
kind: DummyLinkConfig
name: dummy0
hardwareAddr: 02:00:5e:10:00:ff
addresses: [{address: 198.51.100.7/32}]
---
apiVersion: v1alpha1
kind: BlackholeRouteConfig
name: 203.0.113.128/25
---
apiVersion: v1alpha1
kind: RoutingRuleConfig
name: "1000"
src: 192.0.2.0/24
table: "100"
---
apiVersion: v1alpha1
kind: RoutingRuleConfig
name: "2000"
fwMark: 7
action: prohibit
`)
	aliases := specs(t, engine, spec.LinkAliasSpecs)
	if diff := cmp.Diff(map[string]spec.LinkAliasSpecSpec{"enp0s3": {Alias: "lan0"}}, aliases); diff != "" {
		t.Errorf("aliases (-want +got):\n%s", diff)
	}
	// The mirror gives the alias; here the test does.
	err := engine.Commit(t.Context(), "test", func(s *resource.Session) error {
		l := machine["enp0s3"]
		l.Alias = "lan0"
		spec.LinkStatuses.Put(s, "enp0s3", l)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := engine.Settled(t.Context()); err != nil {
		t.Fatal(err)
	}
	links := specs(t, engine, spec.LinkSpecs)
	for name, want := range map[string]spec.LinkSpecSpec{
		"lo":     {Name: "lo", Up: true, Type: spec.LinkTypeLoopback, Layer: value.LayerDefault},
		"enp0s2": {Name: "enp0s2", Up: true, Type: spec.LinkTypeEther, MTU: 1400, Layer: value.LayerConfiguration},
		"enp0s3": {Name: "enp0s3", Layer: value.LayerConfiguration},
		"dummy0": {Name: "dummy0", Up: true, Logical: true, Kind: "dummy", Type: spec.LinkTypeEther, HardwareAddr: mac("02:00:5e:10:00:ff"), Layer: value.LayerConfiguration},
	} {
		if diff := cmp.Diff(want, links[name]); diff != "" {
			t.Errorf("link %s (-want +got):\n%s", name, diff)
		}
	}
	if len(links) != 4 {
		t.Errorf("links are %v, want 4: what is no card and not in the config is left alone", ids(links))
	}
	for what, pair := range map[string][2][]string{
		"addresses": {ids(specs(t, engine, spec.AddressSpecs)), {
			"dummy0/198.51.100.7/32", "enp0s2/192.0.2.5/24", "enp0s2/2001:db8::5/128", "enp0s3/203.0.113.5/24", "lo/127.0.0.1/8",
		}},
		"routes": {ids(specs(t, engine, spec.RouteSpecs)), {
			"100/inet4/203.0.113.1/10.0.0.0/8/1024", "inet4//203.0.113.128/25/1024", "inet4/192.0.2.1//1024", "inet4/192.0.2.9/198.51.100.0/24/5",
		}},
		"rules": {ids(specs(t, engine, spec.RoutingRuleSpecs)), {"inet4/01000", "inet4/02000", "inet6/02000"}},
	} {
		if diff := cmp.Diff(pair[1], pair[0]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", what, diff)
		}
	}
}

func TestConfig_IgnoredLinkIsLeftAlone(t *testing.T) {
	engine := settle(t, main+"  network:\n    interfaces:\n      - {interface: enp0s3, ignore: true, addresses: [192.0.2.5/24]}\n")
	if got := ids(specs(t, engine, spec.LinkSpecs)); !slices.Equal(got, []string{"enp0s2", "lo"}) {
		t.Errorf("links are %v, want no wish for enp0s3", got)
	}
}

func TestBR27_DefaultRouteWithoutGatewayKeepsItsFamily(t *testing.T) {
	engine := settle(t, main+"  network:\n    interfaces:\n      - {interface: wg0, routes: [{network: \"::/0\", metric: 512}, {network: 0.0.0.0/0, metric: 513}]}\n")
	want := map[string]spec.RouteSpecSpec{
		"wg0/inet6///512": {
			Family: value.FamilyInet6, OutLinkName: "wg0", Table: spec.RoutingTableMain, Priority: 512, Scope: spec.ScopeGlobal,
			Type: spec.RouteTypeUnicast, Protocol: spec.RouteProtocolStatic, Layer: value.LayerConfiguration,
		},
		"wg0/inet4///513": {
			Family: value.FamilyInet4, OutLinkName: "wg0", Table: spec.RoutingTableMain, Priority: 513, Scope: spec.ScopeLink,
			Type: spec.RouteTypeUnicast, Protocol: spec.RouteProtocolStatic, Layer: value.LayerConfiguration,
		},
	}
	equal := cmp.Comparer(func(a, b netip.Prefix) bool { return a == b })
	equalAddr := cmp.Comparer(func(a, b netip.Addr) bool { return a == b })
	if diff := cmp.Diff(want, specs(t, engine, spec.RouteSpecs), equal, equalAddr); diff != "" {
		t.Errorf("routes (-want +got):\n%s", diff)
	}
}

func TestS08_RulesAtTheKernelsPrioritiesAreNoWishes(t *testing.T) {
	for _, priority := range []string{"0", "32766", "32767", "nonsense"} {
		engine := settle(t, main+"---\napiVersion: v1alpha1\nkind: RoutingRuleConfig\nname: \""+priority+"\"\ntable: \"100\"\n")
		if got := ids(specs(t, engine, spec.RoutingRuleSpecs)); len(got) != 0 {
			t.Errorf("priority %s: rules %v, want none", priority, got)
		}
	}
}

func TestS10_SelectorsIgnoreCaseAndMatchCardsOnly(t *testing.T) {
	var links []resource.Resource[spec.LinkStatusSpec]
	for _, name := range ids(machine) {
		l := resource.Resource[spec.LinkStatusSpec]{Spec: machine[name]}
		l.ID = name
		links = append(links, l)
	}
	no := false
	for name, test := range map[string]struct {
		selector *v1alpha1.NetworkDeviceSelector
		want     []string
	}{
		"nothing":          {nil, nil},
		"empty":            {&v1alpha1.NetworkDeviceSelector{}, nil},
		"upper case":       {&v1alpha1.NetworkDeviceSelector{HardwareAddr: "02:00:5E:10:00:0A"}, []string{"enp0s2"}},
		"permanent":        {&v1alpha1.NetworkDeviceSelector{PermanentAddr: "02:00:5E:*:0B"}, []string{"enp0s3"}},
		"star":             {&v1alpha1.NetworkDeviceSelector{HardwareAddr: "02:00:5e:*"}, []string{"enp0s2", "enp0s3"}},
		"two stars":        {&v1alpha1.NetworkDeviceSelector{BusPath: "0000:*:03*"}, []string{"enp0s3"}},
		"two conditions":   {&v1alpha1.NetworkDeviceSelector{Driver: "virtio_net", BusPath: "*02.0"}, []string{"enp0s2"}},
		"no hardware":      {&v1alpha1.NetworkDeviceSelector{HardwareAddr: "02:00:5e:10:00:0a", Physical: &no}, []string{"enp0s2.7"}},
		"another driver":   {&v1alpha1.NetworkDeviceSelector{Driver: "e1000"}, nil},
		"part of the text": {&v1alpha1.NetworkDeviceSelector{Driver: "virtio"}, nil},
	} {
		if got := Selected(links, test.selector); !slices.Equal(got, test.want) {
			t.Errorf("%s: selected %v, want %v", name, got, test.want)
		}
	}
}
