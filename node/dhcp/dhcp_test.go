package dhcp

import (
	"context"
	"log/slog"
	"net"
	"net/netip"
	"os"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/insomniacslk/dhcp/dhcpv4"
	"github.com/insomniacslk/dhcp/dhcpv4/server4"
	"github.com/vishvananda/netlink"
	"github.com/vishvananda/netns"

	"github.com/ichor-os/ichor/node/dhcp/spec"
	linkspec "github.com/ichor-os/ichor/node/link/spec"
)

func operator() linkspec.OperatorSpecSpec {
	return linkspec.OperatorSpecSpec{
		Operator: linkspec.OperatorDhcp4, LinkName: "eth0", RequireUp: true,
		Dhcp4: linkspec.DHCP4OperatorSpec{RouteMetric: 1024, ClientIdentifier: linkspec.ClientIdentifierSpec{ClientIdentifier: linkspec.ClientIdentifierMAC}},
	}
}

func ack(t *testing.T, options ...dhcpv4.Option) *dhcpv4.DHCPv4 {
	t.Helper()
	m, err := dhcpv4.New(dhcpv4.WithYourIP(net.IPv4(10, 0, 0, 7)))
	if err != nil {
		t.Fatal(err)
	}
	m.UpdateOption(dhcpv4.OptSubnetMask(net.CIDRMask(24, 32)))
	for _, o := range options {
		m.UpdateOption(o)
	}
	return m
}

func TestBR32_ANulByteInANameIsNoPartOfIt(t *testing.T) {
	l, err := read(ack(t, dhcpv4.OptHostName("node7\x00"), dhcpv4.OptDomainName("lab.example\x00")), operator())
	if err != nil || l.Hostname != "node7" || l.Domainname != "lab.example" {
		t.Errorf("name %q in %q, %v; want node7 in lab.example", l.Hostname, l.Domainname, err)
	}
	l, err = read(ack(t, dhcpv4.OptHostName("no name!"), dhcpv4.OptDomainName("-bad-")), operator())
	if err != nil || l.Hostname != "" || l.Domainname != "" || !l.Address.IsValid() {
		t.Errorf("lease %+v, %v; want one with an address and without bad names", l, err)
	}
}

func TestRead_LetsClasslessRoutesReplaceTheRouter(t *testing.T) {
	route := func(dst, gateway string) spec.RouteSpec {
		var r spec.RouteSpec
		if dst != "" {
			r.Dst = netip.MustParsePrefix(dst)
		}
		if gateway != "" {
			r.Gateway = netip.MustParseAddr(gateway)
		}
		return r
	}
	network := func(text string) *net.IPNet {
		_, n, err := net.ParseCIDR(text)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	router := dhcpv4.OptRouter(net.IPv4(10, 0, 0, 1))
	for name, test := range map[string]struct {
		options []dhcpv4.Option
		want    []spec.RouteSpec
	}{
		"router":         {[]dhcpv4.Option{router}, []spec.RouteSpec{route("", "10.0.0.1")}},
		"router far off": {[]dhcpv4.Option{dhcpv4.OptRouter(net.IPv4(192, 0, 2, 1))}, []spec.RouteSpec{route("192.0.2.1/32", ""), route("", "192.0.2.1")}},
		"classless": {[]dhcpv4.Option{router, dhcpv4.OptClasslessStaticRoute(
			&dhcpv4.Route{Dest: network("0.0.0.0/0"), Router: net.IPv4(10, 0, 0, 2)},
			&dhcpv4.Route{Dest: network("172.16.0.0/12"), Router: net.IPv4(10, 0, 0, 3)},
		)}, []spec.RouteSpec{route("", "10.0.0.2"), route("172.16.0.0/12", "10.0.0.3")}},
	} {
		l, err := read(ack(t, test.options...), operator())
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(test.want, l.Routes, cmp.Comparer(func(a, b netip.Addr) bool { return a == b }), cmp.Comparer(func(a, b netip.Prefix) bool { return a == b })); diff != "" {
			t.Errorf("%s: routes differ (-want +got):\n%s", name, diff)
		}
	}
}

// inNamespace moves the test's thread for good into a network namespace of its
// own with the link eth0, whose other end is server0.
func inNamespace(t *testing.T) {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("making a network namespace needs root")
	}
	runtime.LockOSThread() // the thread ends with the test's goroutine
	ns, err := netns.New()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ns.Close() })
	attrs := netlink.NewLinkAttrs()
	attrs.Name = "eth0"
	must(t, netlink.LinkAdd(&netlink.Veth{LinkAttrs: attrs, PeerName: "server0"}))
	for _, name := range []string{"lo", "eth0", "server0"} {
		l, err := netlink.LinkByName(name)
		must(t, err)
		must(t, netlink.LinkSetUp(l))
		if name == "server0" {
			a, err := netlink.ParseAddr("10.0.0.1/24")
			must(t, err)
			must(t, netlink.AddrAdd(l, a))
		}
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// lessor is a DHCP server that gives one address.
type lessor struct {
	address atomic.Pointer[net.IP]
	silent  atomic.Bool
	renewed atomic.Int32
}

func (s *lessor) answer(conn net.PacketConn, _ net.Addr, m *dhcpv4.DHCPv4) {
	if s.silent.Load() {
		return
	}
	ip := *s.address.Load()
	kind := dhcpv4.MessageTypeOffer
	if m.MessageType() == dhcpv4.MessageTypeRequest {
		kind = dhcpv4.MessageTypeAck
		if asked := m.ClientIPAddr; !asked.IsUnspecified() {
			s.renewed.Add(1)
			if !asked.Equal(ip) {
				kind = dhcpv4.MessageTypeNak
			}
		}
	}
	reply, err := dhcpv4.NewReplyFromRequest(m, dhcpv4.WithMessageType(kind), dhcpv4.WithYourIP(ip), dhcpv4.WithNetmask(net.CIDRMask(24, 32)),
		dhcpv4.WithOption(dhcpv4.OptServerIdentifier(net.IPv4(10, 0, 0, 1))), dhcpv4.WithRouter(net.IPv4(10, 0, 0, 1)), dhcpv4.WithLeaseTime(4))
	if err == nil {
		_, _ = conn.WriteTo(reply.ToBytes(), &net.UDPAddr{IP: net.IPv4bcast, Port: dhcpv4.ClientPort})
	}
}

func TestClient_RenewsRenumbersAndLosesItsLease(t *testing.T) {
	inNamespace(t)
	server := &lessor{}
	first, second := net.IPv4(10, 0, 0, 7), net.IPv4(10, 0, 0, 8)
	server.address.Store(&first)
	listener, err := server4.NewServer("server0", &net.UDPAddr{IP: net.IPv4zero, Port: dhcpv4.ServerPort}, server.answer)
	must(t, err)
	go func() { _ = listener.Serve() }()
	defer listener.Close()

	c := NewClients(slog.New(slog.DiscardHandler), nil)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		until(t, "the lease", func() bool { return c.address("one") == "10.0.0.7/24" })
		until(t, "a renewal", func() bool { return server.renewed.Load() > 0 })
		server.address.Store(&second) // the next renewal is refused
		until(t, "the new address", func() bool { return c.address("one") == "10.0.0.8/24" })
		server.silent.Store(true)
		until(t, "the end of the lease", func() bool { return c.address("one") == "" })
		stop()
	}()
	c.run(ctx, "one", operator()) // opens its sockets on this thread
	<-ended
}

func (c *Clients) address(id string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if l, ok := c.leases[id]; ok {
		return l.Address.String()
	}
	return ""
}

func until(t *testing.T, what string, is func() bool) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); !is(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Errorf("not seen in time: %s", what)
			return
		}
	}
}
