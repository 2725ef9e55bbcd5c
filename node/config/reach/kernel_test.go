package reach

import (
	"context"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/vishvananda/netlink"
	"github.com/vishvananda/netns"
)

// wire joins this thread's new network namespace, with eth0 as 10.5.0.3/24 and
// fd05::3/64, to another one with 10.5.0.1 and fd05::1.
func wire(t *testing.T) *netlink.Veth {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("needs root for network namespaces")
	}
	runtime.LockOSThread() // never unlocked: the thread ends with the test
	if err := syscall.Unshare(syscall.CLONE_NEWNET); err != nil {
		t.Fatal(err)
	}
	other := exec.Command("sleep", "600")
	other.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNET, Pdeathsig: syscall.SIGKILL}
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = other.Process.Kill(); _ = other.Wait() })
	veth := &netlink.Veth{LinkAttrs: netlink.LinkAttrs{Name: "eth0"}, PeerName: "peer"}
	must(t, netlink.LinkAdd(veth))
	peer, err := netlink.LinkByName("peer")
	must(t, err)
	must(t, netlink.LinkSetNsPid(peer, other.Process.Pid))
	there, err := netns.GetFromPid(other.Process.Pid)
	must(t, err)
	defer there.Close()
	handle, err := netlink.NewHandleAt(there)
	must(t, err)
	defer handle.Close()
	peer, err = handle.LinkByName("peer")
	must(t, err)
	for _, prefix := range []string{"10.5.0.1/24", "fd05::1/64"} {
		must(t, handle.AddrAdd(peer, address(t, prefix)))
	}
	must(t, handle.LinkSetUp(peer))
	for _, prefix := range []string{"10.5.0.3/24", "fd05::3/64"} {
		must(t, netlink.AddrAdd(veth, address(t, prefix)))
	}
	must(t, netlink.LinkSetUp(veth))
	lo, err := netlink.LinkByName("lo")
	must(t, err)
	must(t, netlink.LinkSetUp(lo))
	return veth
}

func address(t *testing.T, prefix string) *netlink.Addr {
	t.Helper()
	a, err := netlink.ParseAddr(prefix)
	must(t, err)
	a.Flags = syscall.IFA_F_NODAD
	return a
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func defaultRoute(t *testing.T, link netlink.Link, gateway string) {
	t.Helper()
	must(t, netlink.RouteReplace(&netlink.Route{LinkIndex: link.Attrs().Index, Gw: net.ParseIP(gateway), Priority: 1024}))
}

func preferred(link netlink.Link, gateway string) *netlink.Route {
	return &netlink.Route{LinkIndex: link.Attrs().Index, Gw: net.ParseIP(gateway), Priority: 10}
}

func TestKernel_WrongGatewayAddressAndBlackholeShow(t *testing.T) {
	link := wire(t)
	defaultRoute(t, link, "10.5.0.1")
	defaultRoute(t, link, "fd05::1")
	w := Witness{Network: Kernel{Port: 50000, Proc: "/proc/thread-self"}}
	look := w.Look(t.Context(), "")
	if strings.Join(look.Gateways, " ") != "IPv4 IPv6" {
		t.Fatalf("gateways that answer: %q", look.Gateways)
	}
	look.Callers = []Caller{{From: netip.MustParseAddr("192.168.1.7"), To: netip.MustParseAddr("10.5.0.3")}}
	for _, step := range []struct {
		name     string
		do, undo func()
		want     string
	}{
		{"nothing", func() {}, func() {}, ""},
		{"wrong gateway", func() { defaultRoute(t, link, "10.5.0.99") }, func() { defaultRoute(t, link, "10.5.0.1") }, "IPv4 does not answer"},
		{"wrong gateway of IPv6", func() { defaultRoute(t, link, "fd05::99") }, func() { defaultRoute(t, link, "fd05::1") }, "IPv6 does not answer"},
		{
			"blackhole", func() { must(t, netlink.RouteAdd(blackhole("192.168.0.0/16"))) },
			func() { must(t, netlink.RouteDel(blackhole("192.168.0.0/16"))) }, "blackhole",
		},
		{
			"wrong gateway that is preferred", func() { must(t, netlink.RouteAdd(preferred(link, "10.5.0.99"))) },
			func() { must(t, netlink.RouteDel(preferred(link, "10.5.0.99"))) }, "IPv4 does not answer",
		},
		{"all is back", func() {}, func() {}, ""},
		{
			"wrong address", func() {
				must(t, netlink.AddrAdd(link, address(t, "10.5.0.77/24")))
				must(t, netlink.AddrDel(link, address(t, "10.5.0.3/24")))
			}, func() {}, "lost its address 10.5.0.3",
		},
	} {
		step.do()
		got := strings.Join(w.Missing(t.Context(), look, ""), "; ")
		if step.want == "" && got != "" || !strings.Contains(got, step.want) {
			t.Errorf("%s: missing %q, want %q", step.name, got, step.want)
		}
		step.undo()
	}
}

func blackhole(prefix string) *netlink.Route {
	_, network, _ := net.ParseCIDR(prefix)
	return &netlink.Route{Dst: network, Type: syscall.RTN_BLACKHOLE}
}

func TestKernel_ListsCallersOfThePort(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	defer listener.Close()
	port := uint16(listener.Addr().(*net.TCPAddr).Port)
	conn, err := (&net.Dialer{Timeout: time.Minute}).DialContext(context.Background(), "tcp", listener.Addr().String())
	must(t, err)
	defer conn.Close()
	callers, err := Kernel{Port: port, Proc: "/proc/thread-self"}.Callers()
	must(t, err)
	want := Caller{From: netip.MustParseAddr("127.0.0.1"), To: netip.MustParseAddr("127.0.0.1")}
	if len(callers) != 1 || callers[0] != want {
		t.Errorf("callers = %v, want one: %v", callers, want)
	}
}
