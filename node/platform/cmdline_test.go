package platform

import (
	"net/netip"
	"testing"

	"github.com/google/go-cmp/cmp"

	kernelspec "github.com/ichor-os/ichor/node/kernel/spec"
	linkspec "github.com/ichor-os/ichor/node/link/spec"
	"github.com/ichor-os/ichor/resource"
)

var plain = cmp.Options{
	cmp.Comparer(func(a, b netip.Addr) bool { return a == b }),
	cmp.Comparer(func(a, b netip.Prefix) bool { return a == b }),
}

func TestParseIP_KnownForms(t *testing.T) {
	prefix, at := netip.MustParsePrefix, netip.MustParseAddr
	for text, want := range map[string]ipArgument{
		"dhcp":         {DHCP: true},
		"eth0:dhcp":    {Device: "eth0", DHCP: true},
		":::::eth1:on": {Device: "eth1", DHCP: true},
		"10.5.0.2::10.5.0.1:255.255.255.0:node1:eth0:off": {
			Address: prefix("10.5.0.2/24"), Gateway: at("10.5.0.1"), Hostname: "node1", Device: "eth0",
		},
		"10.5.0.2::10.5.0.1:24::enx525400123456:none:9.9.9.9:1.1.1.1:192.0.2.123": {
			Address: prefix("10.5.0.2/24"), Gateway: at("10.5.0.1"), Device: "enx525400123456",
			DNSServers: []netip.Addr{at("9.9.9.9"), at("1.1.1.1")}, TimeServers: []string{"192.0.2.123"},
		},
		"[2001:db8::2]::[2001:db8::1]:64::eth0": {Address: prefix("2001:db8::2/64"), Gateway: at("2001:db8::1"), Device: "eth0"},
		"10.5.0.2":                              {Address: prefix("10.5.0.2/32")},
	} {
		t.Run(text, func(t *testing.T) {
			got, err := parseIP(text)
			if diff := cmp.Diff(want, got, plain); err != nil || diff != "" {
				t.Errorf("%v %s", err, diff)
			}
		})
	}
}

func TestParseIP_RefusesWhatMakesNoSense(t *testing.T) {
	for _, text := range []string{
		"", ":", "[", "[2001:db8::2", "[2001:db8::2]x", "bootp", "eth0:rarp", "10.5.0.2:::255.0.255.0::eth0", "10.5.0.2:::33::eth0",
		"127.0.0.1:::8::lo", "10.5.0.2::[2001:db8::1]:24::eth0", "x::y", "1:2:3:4:5:6:7:8:9:10:11", "::::::dhcp:x",
	} {
		if got, err := parseIP(text); err == nil {
			t.Errorf("%q is read as %+v", text, got)
		}
	}
}

func TestCommandLine_BecomesWishes(t *testing.T) {
	engine := resource.New(resource.Options{})
	if err := engine.Add(resource.Reconciler("cmdline-network", ReconcileCommandLine)); err != nil {
		t.Fatal(err)
	}
	err := engine.Commit(t.Context(), "test", func(s *resource.Session) error {
		kernelspec.KernelCmdlines.Put(s, "cmdline", kernelspec.KernelCmdlineSpec{
			Cmdline: "console=ttyS0 ip=10.5.0.2::10.5.0.1:24::eth0:off ip=eth1:dhcp ip=nonsense talos.hostname=node1.example.com",
		})
		for _, name := range []string{"eth0", "eth1"} {
			linkspec.LinkStatuses.Put(s, name, linkspec.LinkStatusSpec{Type: linkspec.LinkTypeEther})
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	go engine.Run(t.Context())
	if err := engine.Settled(t.Context()); err != nil {
		t.Fatal(err)
	}
	var got []string
	err = engine.View(t.Context(), func(s *resource.Session) error {
		for _, r := range linkspec.AddressSpecs.In(linkspec.Config).List(s) {
			got = append(got, r.ID)
		}
		for _, r := range linkspec.RouteSpecs.In(linkspec.Config).List(s) {
			got = append(got, r.ID)
		}
		for _, r := range linkspec.OperatorSpecs.In(linkspec.Config).List(s) {
			got = append(got, r.ID)
		}
		return nil
	})
	want := []string{"cmdline/eth0/10.5.0.2/24", "cmdline/inet4/10.5.0.1//1024", "cmdline/dhcp4/eth1"}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v %s", err, diff)
	}
	if len(readCommandLine("ip=nonsense").refused) != 1 || len(readCommandLine("ip=dhcp").refused) != 0 {
		t.Error("arguments that make no sense are not named, or others are")
	}
}

func FuzzParseIP(f *testing.F) {
	for _, text := range []string{"dhcp", "10.5.0.2::10.5.0.1:255.255.255.0:node1:eth0:off", "[2001:db8::2]::[2001:db8::1]:64::eth0"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		a, err := parseIP(text)
		if err == nil && a.Address.IsValid() && (a.Address.Addr().IsLoopback() || a.Address.Bits() < 0) {
			t.Errorf("%q: %+v", text, a)
		}
	})
}
