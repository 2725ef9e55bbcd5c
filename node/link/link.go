// Package link configures network interfaces: up, with their addresses and
// routes.
package link

import (
	"errors"
	"fmt"
	"net"
	"net/netip"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// Static is an interface with fixed addresses.
type Static struct {
	Name      string
	Addresses []netip.Prefix
	// Gateway of the default route; the zero value is none.
	Gateway netip.Addr
}

// Apply puts the interface, and the loopback one, into the wanted state. What
// is there already is left alone.
func Apply(want Static) error {
	lo, err := netlink.LinkByName("lo")
	if err != nil {
		return fmt.Errorf("find link: lo: %w", err)
	}
	if err := netlink.LinkSetUp(lo); err != nil {
		return fmt.Errorf("set link up: lo: %w", err)
	}
	l, err := netlink.LinkByName(want.Name)
	if err != nil {
		return fmt.Errorf("find link: %s: %w", want.Name, err)
	}
	for _, prefix := range want.Addresses {
		address := &netlink.Addr{IPNet: &net.IPNet{
			IP:   prefix.Addr().AsSlice(),
			Mask: net.CIDRMask(prefix.Bits(), prefix.Addr().BitLen()),
		}}
		if err := netlink.AddrAdd(l, address); err != nil && !errors.Is(err, unix.EEXIST) {
			return fmt.Errorf("add address: %s: %s: %w", want.Name, prefix, err)
		}
	}
	if err := netlink.LinkSetUp(l); err != nil {
		return fmt.Errorf("set link up: %s: %w", want.Name, err)
	}
	if !want.Gateway.IsValid() {
		return nil
	}
	route := &netlink.Route{LinkIndex: l.Attrs().Index, Gw: want.Gateway.AsSlice()}
	if err := netlink.RouteReplace(route); err != nil {
		return fmt.Errorf("add default route: %s: %w", want.Gateway, err)
	}
	return nil
}
