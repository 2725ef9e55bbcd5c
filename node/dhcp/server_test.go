package dhcp_test

import (
	"fmt"
	"log/slog"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/vishvananda/netlink"
	"github.com/vishvananda/netns"
	"golang.org/x/sys/unix"

	configspec "github.com/ichor-os/ichor/node/config/spec"
	"github.com/ichor-os/ichor/node/dhcp"
	"github.com/ichor-os/ichor/node/dhcp/spec"
	dnsspec "github.com/ichor-os/ichor/node/dns/spec"
	"github.com/ichor-os/ichor/node/link"
	linkspec "github.com/ichor-os/ichor/node/link/spec"
	"github.com/ichor-os/ichor/resource"
)

const insideVariable = "ICHOR_TEST_INSIDE_NETNS"

// inNamespace runs the test again, in a process that has a network namespace of
// its own, and tells whether this is that process.
func inNamespace(t *testing.T) bool {
	t.Helper()
	if os.Getenv(insideVariable) != "" {
		return true
	}
	if os.Getuid() != 0 {
		t.Skip("needs root for network namespaces")
	}
	if _, err := exec.LookPath("dnsmasq"); err != nil {
		t.Skip("needs dnsmasq (Debian package dnsmasq-base)")
	}
	cmd := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Env = append(os.Environ(), insideVariable+"=1")
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNET, Pdeathsig: syscall.SIGKILL}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	return false
}

// network is a node's namespace and a server's, joined by a cable from eth0 to
// srv0.
type network struct {
	t      *testing.T
	server netns.NsHandle
	engine *resource.Engine
}

func newNetwork(t *testing.T) *network {
	t.Helper()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	own, err := netns.Get()
	must(t, err)
	server, err := netns.New()
	must(t, err)
	must(t, netns.Set(own))
	t.Cleanup(func() { server.Close() })
	attrs := netlink.NewLinkAttrs()
	attrs.Name = "eth0"
	must(t, netlink.LinkAdd(&netlink.Veth{LinkAttrs: attrs, PeerName: "srv0"}))
	peer, err := netlink.LinkByName("srv0")
	must(t, err)
	must(t, netlink.LinkSetNsFd(peer, int(server)))
	handle, err := netlink.NewHandleAt(server)
	must(t, err)
	defer handle.Close()
	peer, err = handle.LinkByName("srv0")
	must(t, err)
	for _, text := range []string{"10.77.0.1/24", "10.78.0.1/24", "fd77::1/64"} {
		a, err := netlink.ParseAddr(text)
		must(t, err)
		a.Flags = unix.IFA_F_NODAD
		must(t, handle.AddrAdd(peer, a))
	}
	must(t, handle.LinkSetUp(peer))
	n := &network{t: t, server: server}
	n.start()
	return n
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// start runs the blocks of links and of DHCP on the node's side.
func (n *network) start() {
	n.t.Helper()
	kernel, err := link.Open()
	must(n.t, err)
	n.engine = resource.New(resource.Options{})
	clients := &dhcp.Clients{Log: slog.New(slog.NewTextHandler(os.Stderr, nil)), Hostname: func() string { return "asking" }}
	must(n.t, n.engine.Add(append(link.Blocks(kernel), clients.Blocks()...)...))
	go n.engine.Run(n.t.Context())
}

// config puts a config in force.
func (n *network) config(text string) {
	n.t.Helper()
	must(n.t, n.engine.Commit(n.t.Context(), "test", func(s *resource.Session) error {
		configspec.MachineConfigs.Put(s, configspec.Active, configspec.MachineConfigSpec{Documents: []byte("version: v1alpha1\nmachine:\n  type: worker\n" + text)})
		return nil
	}))
}

// serve runs a DHCP server until the test ends or the result is called.
func (n *network) serve(args ...string) (stop func()) {
	n.t.Helper()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	own, err := netns.Get()
	must(n.t, err)
	defer own.Close()
	must(n.t, netns.Set(n.server))
	cmd := exec.Command("dnsmasq", append([]string{
		"--keep-in-foreground", "--conf-file=/dev/null", "--port=0", "--interface=srv0", "--bind-interfaces", "--dhcp-authoritative",
		"--log-facility=-", "--user=root", "--pid-file=", "--no-ping",
		"--dhcp-leasefile=" + filepath.Join(n.t.TempDir(), "leases"),
	}, args...)...)
	cmd.Stderr = os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	err = cmd.Start()
	must(n.t, netns.Set(own))
	must(n.t, err)
	stopped := false
	stop = func() {
		if !stopped {
			stopped = true
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
		}
	}
	n.t.Cleanup(stop)
	return stop
}

// until waits for a state of the node.
func (n *network) until(what string, is func() bool) {
	n.t.Helper()
	for deadline := time.Now().Add(3 * time.Minute); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if is() {
			return
		}
	}
	n.t.Fatalf("%s: not after three minutes; leases %v", what, n.leases())
}

func (n *network) leases() (all []spec.LeaseSpec) {
	_ = n.engine.View(n.t.Context(), func(s *resource.Session) error {
		for _, l := range spec.Leases.List(s) {
			all = append(all, l.Spec)
		}
		return nil
	})
	return all
}

// addresses are the addresses of eth0 inside of a network.
func addresses(t *testing.T, family int, inside string) (all []netip.Addr) {
	t.Helper()
	eth0, err := netlink.LinkByName("eth0")
	must(t, err)
	list, err := netlink.AddrList(eth0, family)
	must(t, err)
	for _, a := range list {
		if found, ok := netip.AddrFromSlice(a.IP); ok && netip.MustParsePrefix(inside).Contains(found.Unmap()) {
			all = append(all, found.Unmap())
		}
	}
	return all
}

func gateway(t *testing.T, family int) string {
	t.Helper()
	list, err := netlink.RouteListFiltered(family, &netlink.Route{Table: unix.RT_TABLE_MAIN}, netlink.RT_FILTER_TABLE)
	must(t, err)
	for _, r := range list {
		if ones := 0; r.Dst == nil || func() bool { ones, _ = r.Dst.Mask.Size(); return ones == 0 }() {
			return r.Gw.String()
		}
	}
	return ""
}

func TestLease_ComesRenewsAndIsReplaced(t *testing.T) {
	t.Parallel()
	if !inNamespace(t) {
		return
	}
	n := newNetwork(t)
	short := []string{"--dhcp-option=option:T1,2s", "--dhcp-option=option:T2,4s"}
	stop := n.serve(append(short, "--dhcp-range=10.77.0.50,10.77.0.60,255.255.255.0,2m", "--dhcp-option=option:router,10.77.0.1",
		"--dhcp-option=option:dns-server,10.77.0.53", "--dhcp-option=option:domain-name,lab.example", "--dhcp-option=option:mtu,1400",
		"--dhcp-option=option:ntp-server,10.77.0.123", "--dhcp-host=*:*:*:*:*:*,node7")...)
	n.config("  network:\n    interfaces:\n      - interface: eth0\n        dhcp: true\n        dhcpOptions: {routeMetric: 512}\n")
	n.until("address", func() bool { return len(addresses(t, netlink.FAMILY_V4, "10.77.0.0/24")) == 1 })
	n.until("gateway", func() bool { return gateway(t, netlink.FAMILY_V4) == "10.77.0.1" })
	n.until("MTU", func() bool {
		eth0, err := netlink.LinkByName("eth0")
		return err == nil && eth0.Attrs().MTU == 1400
	})
	first := n.leases()[0]
	if first.Domain != "lab.example" || fmt.Sprint(first.DNSServers, first.TimeServers) != "[10.77.0.53] [10.77.0.123]" || first.Metric != 512 {
		t.Errorf("lease is %+v", first)
	}
	must(t, n.engine.View(t.Context(), func(s *resource.Session) error {
		r, ok := dnsspec.ResolverSpecs.In(linkspec.Config).Get(s, "operator/dhcp4/eth0")
		if !ok || fmt.Sprint(r.DNSServers, r.SearchDomains) != "[10.77.0.53] [lab.example]" {
			t.Errorf("resolvers are %v %+v", ok, r)
		}
		return nil
	}))
	n.until("renewal", func() bool { l := n.leases(); return len(l) == 1 && l[0].Until.After(first.Until) })

	// The network is numbered anew: the server refuses to renew.
	stop()
	n.serve(append(short, "--dhcp-range=10.78.0.50,10.78.0.60,255.255.255.0,2m", "--dhcp-option=option:router,10.78.0.1")...)
	n.until("new address", func() bool { return len(addresses(t, netlink.FAMILY_V4, "10.78.0.0/24")) == 1 })
	n.until("old address gone", func() bool { return len(addresses(t, netlink.FAMILY_V4, "10.77.0.0/24")) == 0 })
	n.until("new gateway", func() bool { return gateway(t, netlink.FAMILY_V4) == "10.78.0.1" })

	// Who does not want a lease any more has none.
	n.config("  network:\n    interfaces:\n      - interface: eth0\n")
	n.until("address gone", func() bool { return len(addresses(t, netlink.FAMILY_V4, "10.78.0.0/24")) == 0 })
}

func TestLease6_AddressByServerAndRouteByAdvertisement(t *testing.T) {
	t.Parallel()
	if !inNamespace(t) {
		return
	}
	n := newNetwork(t)
	n.serve("--enable-ra", "--dhcp-range=fd77::50,fd77::60,64,2m", "--dhcp-option=option6:dns-server,[fd77::53]",
		"--dhcp-option=option6:ntp-server,[fd77::123]", "--dhcp-option=option:T1,2s", "--dhcp-option=option:T2,4s")
	n.config("---\napiVersion: v1alpha1\nkind: DHCPv6Config\nname: eth0\n---\napiVersion: v1alpha1\nkind: LinkConfig\nname: eth0\nup: true\n")
	n.until("address", func() bool {
		for _, a := range addresses(t, netlink.FAMILY_V6, "fd77::/64") {
			if a.Compare(netip.MustParseAddr("fd77::50")) >= 0 && a.Compare(netip.MustParseAddr("fd77::60")) <= 0 {
				return true
			}
		}
		return false
	})
	n.until("gateway", func() bool { return strings.HasPrefix(gateway(t, netlink.FAMILY_V6), "fe80::") })
	first := n.leases()
	if len(first) != 1 || fmt.Sprint(first[0].DNSServers, first[0].TimeServers) != "[fd77::53] [fd77::123]" {
		t.Fatalf("leases are %+v", first)
	}
	n.until("renewal", func() bool { l := n.leases(); return len(l) == 1 && l[0].Until.After(first[0].Until) })
	if again := n.leases()[0].Address; again != first[0].Address {
		t.Errorf("the address changed from %s to %s when it was renewed", first[0].Address, again)
	}
}
