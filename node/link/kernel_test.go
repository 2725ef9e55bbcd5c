package link

import (
	"context"
	"fmt"
	"net/netip"
	"testing"
	"time"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"github.com/ichor-os/ichor/node/link/spec"
	"github.com/ichor-os/ichor/resource"
	"github.com/ichor-os/ichor/resource/value"
)

const platform, configured = value.LayerPlatform, value.LayerConfiguration

// static gives eth0 an address and a gateway as the platform does.
func static(s *resource.Session) {
	up(s, platform, "eth0")
	address(s, platform, "eth0", "10.5.0.2/24")
	route(s, platform, defaultRoute("10.5.0.1"))
}

func TestNetwork_ComesUpFromWishes(t *testing.T) {
	n := newNode(t)
	began := time.Now()
	n.wish(static)
	n.until("address", n.hasAddress("eth0", "10.5.0.2/24"))
	n.until("default route", n.hasGateway(netlink.FAMILY_V4, "10.5.0.1"))
	n.until("loopback", n.hasAddress("lo", "127.0.0.1/8"))
	t.Logf("network is there after %s", time.Since(began))
}

func TestNetwork_DriftIsPutRight(t *testing.T) {
	n := newNode(t)
	n.wish(static)
	n.until("address", n.hasAddress("eth0", "10.5.0.2/24"))
	n.until("default route", n.hasGateway(netlink.FAMILY_V4, "10.5.0.1"))
	eth0 := n.link("eth0")
	for name, drift := range map[string]func() error{
		"address deleted": func() error {
			return n.by.AddrDel(eth0, &netlink.Addr{IPNet: ipNet(netip.MustParsePrefix("10.5.0.2/24"))})
		},
		"route deleted": func() error {
			return n.by.RouteDel(&netlink.Route{Dst: ipNet(netip.MustParsePrefix("0.0.0.0/0")), LinkIndex: eth0.Attrs().Index, Priority: 1024})
		},
		"gateway changed": func() error {
			return n.by.RouteReplace(&netlink.Route{LinkIndex: eth0.Attrs().Index, Gw: []byte{10, 5, 0, 9}, Priority: 1024})
		},
		"link down": func() error { return n.by.LinkSetDown(eth0) },
	} {
		n.must(drift())
		n.until(name+": address", n.hasAddress("eth0", "10.5.0.2/24"))
		n.until(name+": route", n.hasGateway(netlink.FAMILY_V4, "10.5.0.1"))
	}
}

func TestNetwork_LeavesForeignThingsAlone(t *testing.T) {
	n := newNode(t)
	attrs := netlink.NewLinkAttrs()
	attrs.Name, attrs.MTU = "cni0", 1450
	n.must(n.by.LinkAdd(&netlink.Bridge{LinkAttrs: attrs}))
	cni := n.link("cni0")
	n.must(n.by.AddrAdd(cni, &netlink.Addr{IPNet: ipNet(netip.MustParsePrefix("10.244.0.1/24"))}))
	n.must(n.by.LinkSetUp(cni))
	n.wish(static)
	n.until("address", n.hasAddress("eth0", "10.5.0.2/24"))
	n.until("default route", n.hasGateway(netlink.FAMILY_V4, "10.5.0.1"))
	eth0 := n.link("eth0")
	n.must(n.by.AddrAdd(eth0, &netlink.Addr{IPNet: ipNet(netip.MustParsePrefix("192.0.2.7/24"))}))
	foreign := &netlink.Route{LinkIndex: eth0.Attrs().Index, Dst: ipNet(netip.MustParsePrefix("198.51.100.0/24")), Gw: []byte{10, 5, 0, 7}, Priority: 1024}
	n.must(n.by.RouteAdd(foreign))

	// A wish for the same destination and metric waits instead of taking it.
	n.wish(func(s *resource.Session) {
		route(s, configured, spec.RouteSpecSpec{Dst: netip.MustParsePrefix("198.51.100.0/24"), Gateway: netip.MustParseAddr("10.5.0.8"), OutLinkName: "eth0", Priority: 1024})
		address(s, configured, "eth0", "10.6.0.2/24")
	})
	n.until("wish after", n.hasAddress("eth0", "10.6.0.2/24"))
	n.must(n.by.LinkSetMTU(eth0, 1400))
	n.wish(func(s *resource.Session) {
		p := netip.MustParsePrefix("10.6.0.2/24")
		spec.AddressSpecs.In(spec.Config).Delete(s, spec.Layered(configured, spec.AddressID("eth0", p)))
	})
	n.until("wish gone", not(n.hasAddress("eth0", "10.6.0.2/24")))

	if !n.hasAddress("eth0", "192.0.2.7/24")() || !n.hasAddress("cni0", "10.244.0.1/24")() {
		t.Error("an address of somebody else has gone")
	}
	if l := n.link("cni0"); l.Attrs().MTU != 1450 || l.Attrs().RawFlags&unix.IFF_UP == 0 {
		t.Errorf("cni0 is changed: %+v", l.Attrs())
	}
	if mtu := n.link("eth0").Attrs().MTU; mtu != 1400 {
		t.Errorf("MTU is %d, want the 1400 that nobody asked to change", mtu)
	}
	list, err := n.by.RouteListFiltered(netlink.FAMILY_V4, foreign, netlink.RT_FILTER_DST)
	if err != nil || len(list) != 1 || list[0].Gw.String() != "10.5.0.7" {
		t.Errorf("routes to 198.51.100.0/24: %v, %v; want the foreign one alone", list, err)
	}
}

func TestNetwork_GatewayOfConfigTakesThePlaceOfThePlatforms(t *testing.T) {
	n := newNode(t)
	n.wish(static)
	n.until("platform's gateway", n.hasGateway(netlink.FAMILY_V4, "10.5.0.1"))
	other := defaultRoute("10.5.0.254")
	n.wish(func(s *resource.Session) { route(s, configured, other) })
	n.until("config's gateway", n.hasGateway(netlink.FAMILY_V4, "10.5.0.254"))
	n.wish(func(s *resource.Session) {
		spec.RouteSpecs.In(spec.Config).Delete(s, spec.Layered(configured, other.Normal().ID()))
	})
	n.until("platform's gateway again", n.hasGateway(netlink.FAMILY_V4, "10.5.0.1"))
}

func TestNetwork_WorksWithIPv6Alone(t *testing.T) {
	n := newNode(t)
	n.wish(func(s *resource.Session) {
		up(s, platform, "eth0")
		address(s, platform, "eth0", "fd00:5::2/64")
		route(s, platform, defaultRoute("fd00:5::1"))
	})
	n.until("address", n.hasAddress("eth0", "fd00:5::2/64"))
	n.until("default route", n.hasGateway(netlink.FAMILY_V6, "fd00:5::1"))
	n.must(n.by.LinkSetDown(n.link("eth0")))
	n.until("address after down", n.hasAddress("eth0", "fd00:5::2/64"))
	n.until("default route after down", n.hasGateway(netlink.FAMILY_V6, "fd00:5::1"))
	n.wish(func(s *resource.Session) { route(s, configured, defaultRoute("fd00:5::9")) })
	n.until("gateway of config", n.hasGateway(netlink.FAMILY_V6, "fd00:5::9"))
}

func TestNetwork_ThousandRoutes(t *testing.T) {
	n := newNode(t)
	n.wish(static)
	n.until("address", n.hasAddress("eth0", "10.5.0.2/24"))
	n.until("default route", n.hasGateway(netlink.FAMILY_V4, "10.5.0.1"))
	const many = 1000
	count := func() int {
		list, err := n.by.RouteListFiltered(netlink.FAMILY_V4, &netlink.Route{Protocol: unix.RTPROT_STATIC, Table: 100}, netlink.RT_FILTER_PROTOCOL|netlink.RT_FILTER_TABLE)
		n.must(err)
		return len(list)
	}
	each := func(i int) spec.RouteSpecSpec {
		return spec.RouteSpecSpec{
			Dst: netip.MustParsePrefix(fmt.Sprintf("172.16.%d.%d/32", i/250, i%250)), Gateway: netip.MustParseAddr("10.5.0.1"),
			OutLinkName: "eth0", Priority: 1024, Table: 100,
		}
	}
	began := time.Now()
	n.wish(func(s *resource.Session) {
		for i := range many {
			route(s, configured, each(i))
		}
	})
	n.until("all routes", func() bool { return count() == many })
	t.Logf("%d routes are there after %s", many, time.Since(began))
	if took := time.Since(began); took > 15*time.Second {
		t.Errorf("%d routes took %s", many, took)
	}
	n.must(n.by.LinkSetDown(n.link("eth0")))
	n.until("all routes after down", func() bool { return count() == many })
	began = time.Now()
	n.wish(func(s *resource.Session) {
		for i := range many {
			spec.RouteSpecs.In(spec.Config).Delete(s, spec.Layered(configured, each(i).Normal().ID()))
		}
	})
	n.until("no routes", func() bool { return count() == 0 })
	t.Logf("and gone after %s", time.Since(began))
}

func TestNetwork_MTUComesBackWhenNobodyWantsItChanged(t *testing.T) {
	n := newNode(t)
	mtu := func(want int) func() bool { return func() bool { return n.link("eth0").Attrs().MTU == want } }
	n.wish(func(s *resource.Session) { up(s, configured, "eth0", func(l *spec.LinkSpecSpec) { l.MTU = 1380 }) })
	n.until("MTU", mtu(1380))
	n.must(n.by.LinkSetMTU(n.link("eth0"), 1300))
	n.until("MTU after drift", mtu(1380))
	n.wish(func(s *resource.Session) { spec.LinkSpecs.In(spec.Config).Delete(s, spec.Layered(configured, "eth0")) })
	n.until("MTU of before", mtu(1500))
}

func TestNetwork_BlackholesAndRules(t *testing.T) {
	n := newNode(t)
	rule := spec.RoutingRuleSpecSpec{
		Family: value.FamilyInet4, Src: netip.MustParsePrefix("192.0.2.0/24"), Table: 100, Priority: 1000,
		Action: spec.RoutingRuleActionUnicast, Layer: configured,
	}
	id := spec.Layered(configured, spec.RoutingRuleID(rule.Family, rule.Priority))
	hole := spec.RouteSpecSpec{Dst: netip.MustParsePrefix("198.51.100.0/24"), Type: spec.RouteTypeBlackhole, Priority: 4096}
	hole6 := spec.RouteSpecSpec{Dst: netip.MustParsePrefix("2001:db8::/32"), Type: spec.RouteTypeBlackhole, Priority: 4096}
	n.wish(func(s *resource.Session) {
		spec.RoutingRuleSpecs.In(spec.Config).Put(s, id, rule)
		route(s, configured, hole)
		route(s, configured, hole6)
	})
	rules := func() (found []netlink.Rule) {
		list, err := n.by.RuleList(netlink.FAMILY_V4)
		n.must(err)
		for _, r := range list {
			if r.Priority == 1000 {
				found = append(found, r)
			}
		}
		return found
	}
	holes := func() int {
		list, err := n.by.RouteListFiltered(netlink.FAMILY_ALL, &netlink.Route{Type: unix.RTN_BLACKHOLE}, netlink.RT_FILTER_TYPE)
		n.must(err)
		return len(list)
	}
	n.until("rule", func() bool { return len(rules()) == 1 && rules()[0].Table == 100 })
	n.until("blackholes", func() bool { return holes() == 2 })
	n.must(n.by.RuleDel(&rules()[0]))
	n.until("rule after drift", func() bool { return len(rules()) == 1 })
	rule.Table = 101
	n.wish(func(s *resource.Session) { spec.RoutingRuleSpecs.In(spec.Config).Put(s, id, rule) })
	n.until("rule with the other table alone", func() bool { return len(rules()) == 1 && rules()[0].Table == 101 })
	n.wish(func(s *resource.Session) {
		spec.RoutingRuleSpecs.In(spec.Config).Delete(s, id)
		spec.RouteSpecs.In(spec.Config).Delete(s, spec.Layered(configured, hole.Normal().ID()))
		spec.RouteSpecs.In(spec.Config).Delete(s, spec.Layered(configured, hole6.Normal().ID()))
	})
	n.until("no rule", func() bool { return len(rules()) == 0 })
	n.until("no blackhole", func() bool { return holes() == 0 })
}

func TestBR27_KernelTakesDefaultRoutesWithoutGateway(t *testing.T) {
	n := newNode(t)
	n.wish(func(s *resource.Session) {
		up(s, configured, "eth0")
		route(s, configured, spec.RouteSpecSpec{Dst: netip.MustParsePrefix("::/0"), OutLinkName: "eth0", Priority: 512})
		route(s, configured, spec.RouteSpecSpec{Dst: netip.MustParsePrefix("0.0.0.0/0"), OutLinkName: "eth0", Priority: 512})
	})
	for _, id := range []string{"eth0/inet6///512", "eth0/inet4///512"} {
		n.until(id, func() bool {
			_, ok := specs(t, n.engine, spec.RouteStatuses)[id]
			return ok
		})
	}
}

// TestNetwork_FlapRestartsNothing counts what a reader of the final specs, such
// as one that starts services by them, sees of an address that goes for a
// second: the specs say what is wanted, and that does not change.
func TestNetwork_FlapRestartsNothing(t *testing.T) {
	n := newNode(t)
	n.wish(static)
	n.until("address", n.hasAddress("eth0", "10.5.0.2/24"))
	n.until("default route", n.hasGateway(netlink.FAMILY_V4, "10.5.0.1"))
	runs := make(chan struct{}, 100)
	n.must(n.engine.Add(resource.Reconciler("reader", func(_ context.Context, s *resource.Session) error {
		runs <- struct{}{}
		spec.AddressSpecs.List(s)
		spec.RouteSpecs.List(s)
		spec.LinkSpecs.List(s)
		return nil
	})))
	<-runs
	eth0 := n.link("eth0")
	for end := time.Now().Add(time.Second); time.Now().Before(end); {
		err := n.by.AddrDel(eth0, &netlink.Addr{IPNet: ipNet(netip.MustParsePrefix("10.5.0.2/24"))})
		if err != nil && !missing(err) {
			t.Fatal(err)
		}
	}
	n.until("address", n.hasAddress("eth0", "10.5.0.2/24"))
	n.until("default route", n.hasGateway(netlink.FAMILY_V4, "10.5.0.1"))
	if more := len(runs); more != 0 {
		t.Errorf("the reader ran %d times more, want none", more)
	}
}

func TestNetwork_CreatesAndRemovesLinksOfAKind(t *testing.T) {
	forms["bridge"] = form{make: func(_ spec.LinkSpecSpec, attrs netlink.LinkAttrs, _ func(string) (int, error)) (netlink.Link, error) {
		return &netlink.Bridge{LinkAttrs: attrs}, nil
	}}
	t.Cleanup(func() { delete(forms, "bridge") })
	for _, kind := range []string{"dummy", "bridge"} {
		t.Run(kind, func(t *testing.T) {
			n := newNode(t)
			attrs := netlink.NewLinkAttrs()
			attrs.Name = "probe0"
			if kind == "dummy" {
				if err := n.by.LinkAdd(&netlink.Dummy{LinkAttrs: attrs}); err != nil {
					t.Skipf("the kernel makes no dummy links: %v", err)
				}
			}
			there := func() bool {
				l, err := n.by.LinkByName("made0")
				return err == nil && l.Type() == kind && l.Attrs().MTU == 1400 && l.Attrs().HardwareAddr.String() == "02:00:5e:10:00:ff" && l.Attrs().RawFlags&unix.IFF_UP != 0
			}
			n.wish(func(s *resource.Session) {
				up(s, configured, "made0", func(l *spec.LinkSpecSpec) {
					l.Logical, l.Kind, l.MTU, l.HardwareAddr = true, kind, 1400, mac("02:00:5e:10:00:ff")
				})
				address(s, configured, "made0", "198.51.100.7/32")
			})
			n.until("link", there)
			n.until("address", n.hasAddress("made0", "198.51.100.7/32"))
			n.must(n.by.LinkDel(n.link("made0")))
			n.until("link after drift", there)
			n.until("address after drift", n.hasAddress("made0", "198.51.100.7/32"))
			n.wish(func(s *resource.Session) {
				spec.LinkSpecs.In(spec.Config).Delete(s, spec.Layered(configured, "made0"))
				p := netip.MustParsePrefix("198.51.100.7/32")
				spec.AddressSpecs.In(spec.Config).Delete(s, spec.Layered(configured, spec.AddressID("made0", p)))
			})
			n.until("no link", func() bool { _, err := n.by.LinkByName("made0"); return err != nil })
		})
	}
}

func TestNetwork_AddressConflictIsReported(t *testing.T) {
	for name, test := range map[string]struct{ ours, theirs, id string }{
		"IPv4": {"10.5.0.2/24", "10.5.0.2/16", "eth0/10.5.0.2/24"},
		"IPv6": {"fd00:5::2/64", "fd00:5::2/48", "eth0/fd00:5::2/64"},
	} {
		t.Run(name, func(t *testing.T) {
			n, other := newNode(t), newNode(t)
			end := n.link("peer0")
			n.must(n.by.LinkSetName(end, "lan"))
			n.must(n.by.LinkSetNsFd(end, int(other.kernel.ns)))
			lan := other.link("lan")
			n.must(other.by.AddrAdd(lan, &netlink.Addr{IPNet: ipNet(netip.MustParsePrefix(test.theirs)), Flags: unix.IFA_F_NODAD}))
			n.must(other.by.LinkSetUp(lan))
			n.wish(func(s *resource.Session) {
				up(s, platform, "eth0")
				address(s, platform, "eth0", test.ours)
			})
			n.until("conflict shown", func() bool {
				return specs(t, n.engine, spec.AddressStatuses)[test.id].Flags&spec.AddressFlagDadfailed != 0
			})
		})
	}
}

func TestNetwork_NoConflictWithItself(t *testing.T) {
	n := newNode(t)
	n.wish(static)
	n.until("address", n.hasAddress("eth0", "10.5.0.2/24"))
	n.must(n.by.AddrAdd(n.link("peer0"), &netlink.Addr{IPNet: ipNet(netip.MustParsePrefix("10.5.0.1/24"))}))
	peer, eth0 := n.link("peer0"), n.link("eth0")
	// A gratuitous ARP of our own that comes back, as in a bridge.
	socket, err := n.kernel.openARP()
	n.must(err)
	defer socket.file.Close()
	socket.probe(at{peer.Attrs().Index, netip.MustParseAddr("10.5.0.2")}, netlinkAddr(eth0.Attrs().HardwareAddr))
	n.wish(func(s *resource.Session) { address(s, platform, "eth0", "10.5.0.3/24") })
	n.until("next address", n.hasAddress("eth0", "10.5.0.3/24"))
	for id, a := range specs(t, n.engine, spec.AddressStatuses) {
		if a.Flags&spec.AddressFlagDadfailed != 0 {
			t.Errorf("%s is shown as a conflict", id)
		}
	}
}
