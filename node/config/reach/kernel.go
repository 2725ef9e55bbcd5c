package reach

import (
	"bufio"
	"context"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/netip"
	"os"
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

// Gateways implements Network.
func (Kernel) Gateways() ([]netip.Addr, error) {
	routes, err := netlink.RouteListFiltered(netlink.FAMILY_ALL, &netlink.Route{Table: unix.RT_TABLE_MAIN}, netlink.RT_FILTER_TABLE)
	if err != nil {
		return nil, fmt.Errorf("list routes: %w", err)
	}
	var gateways []netip.Addr
	add := func(ip net.IP, link int) {
		address, ok := netip.AddrFromSlice(ip)
		if !ok {
			return
		}
		if address = address.Unmap(); address.IsLinkLocalUnicast() && address.Is6() {
			address = address.WithZone(strconv.Itoa(link))
		}
		gateways = append(gateways, address)
	}
	for _, r := range routes {
		if r.Dst != nil && !r.Dst.IP.IsUnspecified() {
			continue
		}
		if r.Dst != nil {
			if ones, _ := r.Dst.Mask.Size(); ones != 0 {
				continue
			}
		}
		add(r.Gw, r.LinkIndex)
		for _, hop := range r.MultiPath {
			add(hop.Gw, hop.LinkIndex)
		}
	}
	return gateways, nil
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
