package link

import (
	"context"
	"net/netip"
	"os"
	"runtime"
	"testing"
	"time"

	"github.com/vishvananda/netlink"
	"github.com/vishvananda/netns"
	"golang.org/x/sys/unix"

	"github.com/ichor-os/ichor/node/link/spec"
	"github.com/ichor-os/ichor/resource"
	"github.com/ichor-os/ichor/resource/value"
)

// node is a network namespace of its own with the link eth0, whose other end is
// peer0, and the blocks of this package over it.
type node struct {
	*testing.T
	kernel *Kernel
	engine *resource.Engine
	// by is the kernel's side: what somebody else does.
	by *netlink.Handle
}

func newNode(t *testing.T) *node {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("making a network namespace needs root")
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	before, err := netns.Get()
	if err != nil {
		t.Fatal(err)
	}
	defer before.Close()
	ns, err := netns.New()
	if err != nil {
		t.Fatal(err)
	}
	if err := netns.Set(before); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ns.Close() })
	kernel, err := openAt(ns, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	by, err := netlink.NewHandleAt(ns, unix.NETLINK_ROUTE)
	if err != nil {
		t.Fatal(err)
	}
	attrs := netlink.NewLinkAttrs()
	attrs.Name = "eth0"
	if err := by.LinkAdd(&netlink.Veth{LinkAttrs: attrs, PeerName: "peer0"}); err != nil {
		t.Fatal(err)
	}
	n := &node{T: t, kernel: kernel, by: by}
	n.must(by.LinkSetUp(n.link("peer0")))
	n.engine = resource.New(resource.Options{BackoffMin: 10 * time.Millisecond, Diagnose: func(d resource.Diagnostic) {
		t.Logf("engine: %s: %s: %s", d.Name, d.Kind, d.Message)
	}})
	n.must(n.engine.Add(Blocks(kernel)...))
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- n.engine.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return n
}

func (n *node) must(err error) {
	n.Helper()
	if err != nil {
		n.Fatal(err)
	}
}

func (n *node) link(name string) netlink.Link {
	n.Helper()
	l, err := n.by.LinkByName(name)
	n.must(err)
	return l
}

// wish writes what layers want.
func (n *node) wish(fn func(s *resource.Session)) {
	n.Helper()
	n.must(n.engine.Commit(context.Background(), "test", func(s *resource.Session) error { fn(s); return nil }))
}

// until waits for a state of the kernel.
func (n *node) until(what string, is func() bool) {
	n.Helper()
	deadline := time.Now().Add(20 * time.Second)
	for !is() {
		if time.Now().After(deadline) {
			for _, s := range n.engine.Status() {
				if s.State != resource.StateOK {
					n.Logf("%s: %s: %s", s.Name, s.State, s.Reason)
				}
			}
			n.Fatalf("the kernel does not get there: %s", what)
		}
		time.Sleep(time.Millisecond)
	}
}

func (n *node) hasAddress(link, address string) func() bool {
	return func() bool {
		list, err := n.by.AddrList(n.link(link), netlink.FAMILY_ALL)
		n.must(err)
		for _, a := range list {
			if prefix(a.IPNet).String() == address {
				return true
			}
		}
		return false
	}
}

func not(is func() bool) func() bool { return func() bool { return !is() } }

// gateways lists the gateways of the default routes of a family.
func (n *node) gateways(family int) []string {
	n.Helper()
	list, err := n.by.RouteList(nil, family)
	n.must(err)
	var all []string
	for _, r := range list {
		if r.Gw != nil && (r.Dst == nil || r.Dst.IP.IsUnspecified()) {
			all = append(all, r.Gw.String())
		}
	}
	return all
}

func (n *node) hasGateway(family int, gateway string) func() bool {
	return func() bool {
		all := n.gateways(family)
		return len(all) == 1 && all[0] == gateway
	}
}

func up(s *resource.Session, layer value.Layer, name string, change ...func(*spec.LinkSpecSpec)) {
	l := spec.LinkSpecSpec{Name: name, Up: true, Layer: layer}
	for _, f := range change {
		f(&l)
	}
	spec.LinkSpecs.In(spec.Config).Put(s, spec.Layered(layer, name), l)
}

func address(s *resource.Session, layer value.Layer, link, text string) {
	p := netip.MustParsePrefix(text)
	spec.AddressSpecs.In(spec.Config).Put(s, spec.Layered(layer, spec.AddressID(link, p)), spec.AddressSpecSpec{
		Address: p, LinkName: link, Family: family(p.Addr()), Flags: spec.AddressFlagPermanent, Layer: layer,
	})
}

func route(s *resource.Session, layer value.Layer, r spec.RouteSpecSpec) {
	r.Layer = layer
	r = r.Normal()
	spec.RouteSpecs.In(spec.Config).Put(s, spec.Layered(layer, r.ID()), r)
}

func defaultRoute(gateway string) spec.RouteSpecSpec {
	return spec.RouteSpecSpec{Gateway: netip.MustParseAddr(gateway), OutLinkName: "eth0", Priority: 1024}
}
