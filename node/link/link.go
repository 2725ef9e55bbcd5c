// Package link brings the network of a node into the wanted state: links, their
// addresses, routes and routing rules.
//
// Sources show what the kernel has as the Status kinds. Reconcilers and other
// nouns put wishes into the namespace network-config, with ids layer/id; Merge
// turns them into the final Spec kinds of the namespace network, and mirrors
// bring those into the kernel. What no wish names is never touched: not links,
// addresses or routes of CNI plugins, nor what somebody made by hand.
//
// Who asks for addresses (DHCP), which of them count as the node's, and names
// are not here.
package link

import (
	"fmt"
	"net"
	"net/netip"
	"sync"

	"github.com/vishvananda/netlink"
	"github.com/vishvananda/netns"
	"golang.org/x/sys/unix"

	"github.com/ichor-os/ichor/node/link/spec"
	"github.com/ichor-os/ichor/resource"
)

// Kernel is the network namespace that blocks work on. Make it with [Open].
type Kernel struct {
	ns     netns.NsHandle
	handle *netlink.Handle
	// Sys is where the kernel shows devices, /sys/class/net.
	sys string

	conflicts *conflicts

	mu   sync.Mutex
	made made
}

// made is what we know to be ours in the kernel.
type made struct {
	// routes names the resource whose route we put into each slot of a table.
	routes map[slot]string
	rules  map[string]spec.RoutingRuleSpecSpec
	// links lists the links that we created.
	links map[string]bool
	// mtu keeps what a link had before we changed it.
	mtu map[string]int
}

// Open gives the network namespace of the caller's thread.
func Open() (*Kernel, error) { return openAt(netns.None(), "/sys/class/net") }

func openAt(ns netns.NsHandle, sys string) (*Kernel, error) {
	handle, err := netlink.NewHandleAt(ns, unix.NETLINK_ROUTE)
	if err != nil {
		return nil, fmt.Errorf("open netlink: %w", err)
	}
	return &Kernel{ns: ns, handle: handle, sys: sys, conflicts: newConflicts(), made: made{
		routes: map[slot]string{}, rules: map[string]spec.RoutingRuleSpecSpec{}, links: map[string]bool{}, mtu: map[string]int{},
	}}, nil
}

// Blocks lists the blocks of this noun: sources, layers, merges and mirrors.
func Blocks(k *Kernel) []resource.Block {
	blocks := append(sources(k), layers()...)
	blocks = append(blocks, merges()...)
	return append(blocks, mirrors(k)...)
}

func ipNet(p netip.Prefix) *net.IPNet {
	return &net.IPNet{IP: p.Addr().AsSlice(), Mask: net.CIDRMask(p.Bits(), p.Addr().BitLen())}
}

func prefix(n *net.IPNet) netip.Prefix {
	if n == nil {
		return netip.Prefix{}
	}
	bits, _ := n.Mask.Size()
	return netip.PrefixFrom(addr(n.IP), bits)
}

func addr(ip net.IP) netip.Addr {
	a, _ := netip.AddrFromSlice(ip)
	return a.Unmap()
}
