package dhcp

import (
	"net"
	"net/netip"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/insomniacslk/dhcp/dhcpv4"

	"github.com/ichor-os/ichor/node/dhcp/spec"
)

func ack(t *testing.T, modifiers ...dhcpv4.Modifier) *dhcpv4.DHCPv4 {
	t.Helper()
	m, err := dhcpv4.New(append([]dhcpv4.Modifier{
		dhcpv4.WithMessageType(dhcpv4.MessageTypeAck), dhcpv4.WithYourIP(net.IPv4(10, 0, 0, 7)), dhcpv4.WithNetmask(net.CIDRMask(24, 32)),
		dhcpv4.WithServerIP(net.IPv4(10, 0, 0, 1)),
	}, modifiers...)...)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func raw(code dhcpv4.OptionCode, text string) dhcpv4.Modifier {
	return dhcpv4.WithOption(dhcpv4.OptGeneric(code, []byte(text)))
}

func TestBR32_NulBytesInNamesAreSurvived(t *testing.T) {
	l, err := lease4("eth0", ack(t, raw(dhcpv4.OptionHostName, "node7\x00"), raw(dhcpv4.OptionDomainName, "lab.example\x00")), time.Now())
	if err != nil || l.Hostname != "node7" || l.Domain != "lab.example" || len(l.Ignored) > 0 {
		t.Errorf("%+v, %v", l, err)
	}
	for _, bad := range []string{"a b", "-x", "\x00", "x\x00y", "ä", "a..b"} {
		l, err := lease4("eth0", ack(t, raw(dhcpv4.OptionHostName, bad)), time.Now())
		if err != nil || l.Hostname != "" {
			t.Errorf("%q: %q, %v", bad, l.Hostname, err)
		}
	}
}

func TestRoutesOfALease(t *testing.T) {
	prefix, at := netip.MustParsePrefix, netip.MustParseAddr
	classless := func(routes ...*dhcpv4.Route) dhcpv4.Modifier {
		return dhcpv4.WithOption(dhcpv4.OptClasslessStaticRoute(routes...))
	}
	_, ten, err := net.ParseCIDR("10.9.0.0/16")
	if err != nil {
		t.Fatal(err)
	}
	router := dhcpv4.WithRouter(net.IPv4(10, 0, 0, 1), net.IPv4(10, 0, 0, 2))
	for name, test := range map[string]struct {
		modifiers []dhcpv4.Modifier
		want      []spec.Route
	}{
		"the first router is the default route": {[]dhcpv4.Modifier{router}, []spec.Route{{Destination: prefix("0.0.0.0/0"), Gateway: at("10.0.0.1")}}},
		"classless routes go before routers": {
			[]dhcpv4.Modifier{router, classless(&dhcpv4.Route{Dest: ten, Router: net.IPv4(10, 0, 0, 9)})},
			[]spec.Route{{Destination: prefix("10.9.0.0/16"), Gateway: at("10.0.0.9")}},
		},
		"a router out of the subnet is on the link": {
			[]dhcpv4.Modifier{dhcpv4.WithRouter(net.IPv4(192, 0, 2, 1))},
			[]spec.Route{{Destination: prefix("192.0.2.1/32")}, {Destination: prefix("0.0.0.0/0"), Gateway: at("192.0.2.1")}},
		},
		"a classless route without a router is on the link": {
			[]dhcpv4.Modifier{classless(&dhcpv4.Route{Dest: ten, Router: net.IPv4zero})}, []spec.Route{{Destination: prefix("10.9.0.0/16")}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			l, err := lease4("eth0", ack(t, test.modifiers...), time.Now())
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, l.Routes, cmp.Comparer(func(a, b netip.Addr) bool { return a == b }), cmp.Comparer(func(a, b netip.Prefix) bool { return a == b })); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestTimesAreInOrderWhateverTheServerSays(t *testing.T) {
	seconds := func(code dhcpv4.OptionCode, n byte) dhcpv4.Modifier {
		return dhcpv4.WithOption(dhcpv4.OptGeneric(code, []byte{0, 0, 0, n}))
	}
	for _, m := range []*dhcpv4.DHCPv4{
		ack(t),
		ack(t, seconds(dhcpv4.OptionIPAddressLeaseTime, 3)),
		ack(t, seconds(dhcpv4.OptionIPAddressLeaseTime, 100), seconds(dhcpv4.OptionRenewTimeValue, 200), seconds(dhcpv4.OptionRebindingTimeValue, 250)),
		ack(t, seconds(dhcpv4.OptionIPAddressLeaseTime, 100), seconds(dhcpv4.OptionRenewTimeValue, 90), seconds(dhcpv4.OptionRebindingTimeValue, 50)),
	} {
		renew, rebind, end := times(m)
		if renew <= 0 || renew > rebind || rebind > end {
			t.Errorf("%s, %s, %s", renew, rebind, end)
		}
	}
}

func TestLeaseOfNoTimeIsNone(t *testing.T) {
	m := ack(t, dhcpv4.WithOption(dhcpv4.OptGeneric(dhcpv4.OptionIPAddressLeaseTime, []byte{0, 0, 0, 0})))
	if l, err := lease4("eth0", m, time.Now()); err == nil {
		t.Errorf("taken: %+v", l)
	}
}

func FuzzLease(f *testing.F) {
	m, err := dhcpv4.New(dhcpv4.WithMessageType(dhcpv4.MessageTypeAck), dhcpv4.WithYourIP(net.IPv4(10, 0, 0, 7)))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(m.ToBytes())
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := dhcpv4.FromBytes(text)
		if err != nil {
			return
		}
		l, err := lease4("eth0", m, time.Now())
		if err == nil && (!l.Address.IsValid() || l.Until.Before(time.Now())) {
			t.Errorf("lease %+v", l)
		}
		times(m)
	})
}
