package reach

import (
	"bufio"
	"cmp"
	"context"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"net"
	"net/netip"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// Kernel is the Network of the kernel that the process sees.
type Kernel struct {
	// Port of the node's API.
	Port uint16
	// Proc is where proc(5) is mounted.
	Proc string
}

// Own implements Network.
func (Kernel) Own() ([]netip.Addr, error) {
	list, err := netlink.AddrList(nil, netlink.FAMILY_ALL)
	if err != nil {
		return nil, fmt.Errorf("list addresses: %w", err)
	}
	var own []netip.Addr
	for _, a := range list {
		if address, ok := netip.AddrFromSlice(a.IP); ok {
			own = append(own, address.Unmap())
		}
	}
	return own, nil
}

// Gateways implements Network: those of the default routes that the kernel
// prefers, in each address family.
func (Kernel) Gateways() ([]netip.Addr, error) {
	var gateways []netip.Addr
	for _, family := range []int{netlink.FAMILY_V4, netlink.FAMILY_V6} {
		routes, err := netlink.RouteListFiltered(family, &netlink.Route{Table: unix.RT_TABLE_MAIN}, netlink.RT_FILTER_TABLE)
		if err != nil {
			return nil, fmt.Errorf("list routes: %w", err)
		}
		routes = slices.DeleteFunc(routes, func(r netlink.Route) bool { return !isDefault(r) })
		best := slices.MinFunc(append(routes, netlink.Route{Priority: math.MaxInt}), func(a, b netlink.Route) int { return cmp.Compare(a.Priority, b.Priority) })
		for _, r := range routes {
			if r.Priority != best.Priority {
				continue
			}
			gateways = appendGateway(gateways, r.Gw, r.LinkIndex)
			for _, hop := range r.MultiPath {
				gateways = appendGateway(gateways, hop.Gw, hop.LinkIndex)
			}
		}
	}
	return gateways, nil
}

func isDefault(r netlink.Route) bool {
	if r.Dst == nil {
		return true
	}
	ones, _ := r.Dst.Mask.Size()
	return ones == 0 && r.Dst.IP.IsUnspecified()
}

func appendGateway(gateways []netip.Addr, ip net.IP, link int) []netip.Addr {
	address, ok := netip.AddrFromSlice(ip)
	if !ok {
		return gateways
	}
	if address = address.Unmap(); address.Is6() && address.IsLinkLocalUnicast() {
		address = address.WithZone(strconv.Itoa(link))
	}
	return append(gateways, address)
}

// Answers implements Network: it makes the kernel ask for the neighbour's link
// address, and looks at what comes of it.
func (k Kernel) Answers(ctx context.Context, neighbour netip.Addr) bool {
	for {
		k.poke(neighbour)
		state, known := neighbourState(neighbour)
		if known && state&(unix.NUD_REACHABLE|unix.NUD_PERMANENT|unix.NUD_NOARP) != 0 {
			return true
		}
		timer := time.NewTimer(250 * time.Millisecond)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return false
		}
	}
}

// poke sends an empty datagram to the discard port.
func (Kernel) poke(to netip.Addr) {
	conn, err := net.DialUDP("udp", nil, net.UDPAddrFromAddrPort(netip.AddrPortFrom(to, 9)))
	if err != nil {
		return
	}
	_, _ = conn.Write(nil)
	_ = conn.Close()
}

func neighbourState(address netip.Addr) (state int, known bool) {
	list, err := netlink.NeighList(0, netlink.FAMILY_ALL)
	if err != nil {
		return 0, false
	}
	for _, n := range list {
		if found, ok := netip.AddrFromSlice(n.IP); ok && found.Unmap() == address.WithZone("") {
			state, known = state|n.State, true
		}
	}
	return state, known
}

// Route implements Network.
func (Kernel) Route(to netip.Addr) error {
	routes, err := netlink.RouteGet(to.AsSlice())
	switch {
	case errors.Is(err, unix.EINVAL):
		return errors.New("a blackhole route takes them")
	case err != nil:
		return err
	case len(routes) == 0:
		return errors.New("there is no route")
	case routes[0].Type != unix.RTN_UNICAST:
		return fmt.Errorf("a route of type %d takes them", routes[0].Type)
	}
	return nil
}

// Callers implements Network.
func (k Kernel) Callers() ([]Caller, error) {
	var all []Caller
	for _, name := range []string{"tcp", "tcp6"} {
		file, err := os.Open(k.Proc + "/net/" + name)
		if errors.Is(err, fs.ErrNotExist) {
			continue // the kernel has no IPv6
		}
		if err != nil {
			return nil, fmt.Errorf("list connections: %w", err)
		}
		for lines := bufio.NewScanner(file); lines.Scan(); {
			if c, ok := k.caller(strings.Fields(lines.Text())); ok {
				all = append(all, c)
			}
		}
		_ = file.Close()
	}
	return all, nil
}

// caller reads a line of /proc/net/tcp, see proc_net_tcp in the kernel's
// documentation: number, local address, remote address, state.
func (k Kernel) caller(fields []string) (Caller, bool) {
	const established = "01"
	if len(fields) < 4 || fields[3] != established {
		return Caller{}, false
	}
	local, ok := endpointOf(fields[1])
	remote, remoteOK := endpointOf(fields[2])
	if !ok || !remoteOK || local.Port() != k.Port {
		return Caller{}, false
	}
	return Caller{From: remote.Addr(), To: local.Addr()}, true
}

// endpointOf reads address:port; the address is in words of four bytes in the
// computer's order.
func endpointOf(text string) (netip.AddrPort, bool) {
	address, port, _ := strings.Cut(text, ":")
	raw, err := hex.DecodeString(address)
	number, portErr := strconv.ParseUint(port, 16, 16)
	if err != nil || portErr != nil || len(raw)%4 != 0 {
		return netip.AddrPort{}, false
	}
	for i := 0; i < len(raw); i += 4 {
		binary.NativeEndian.PutUint32(raw[i:], binary.BigEndian.Uint32(raw[i:]))
	}
	parsed, ok := netip.AddrFromSlice(raw)
	return netip.AddrPortFrom(parsed.Unmap(), uint16(number)), ok
}
