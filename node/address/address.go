// Package address tells which of the addresses that the kernel has are the
// node's own, by purpose: the one it is known by (default), those it has now
// (current), those that others reach it at (routed), and all it ever had since
// its start (accumulative); each but the first also without those of pods and
// services (-no-k8s), and with those alone (-only-k8s).
//
// Addresses that nodes share, those that every node has, and those that the
// kernel has not found to be free yet are none of the node's.
package address

import (
	"cmp"
	"context"
	"net/netip"
	"slices"

	machineconfig "github.com/ichor-os/ichor/config"
	"github.com/ichor-os/ichor/config/documents/kubernetes"
	"github.com/ichor-os/ichor/config/documents/network"
	configspec "github.com/ichor-os/ichor/node/config/spec"
	"github.com/ichor-os/ichor/node/link/spec"
	"github.com/ichor-os/ichor/resource"
)

// The purposes, and the filters that narrow them.
const (
	primary      = "default"
	current      = "current"
	routed       = "routed"
	accumulative = "accumulative"
	withoutPods  = "no-k8s"
	onlyPods     = "only-k8s"
	sorting      = "default"
)

// Blocks are the reconcilers of this noun.
func Blocks() []resource.Block {
	return []resource.Block{
		resource.Reconciler("node-address-config", reconcileConfig),
		resource.Reconciler("node-addresses", reconcileAddresses),
	}
}

// reconcileConfig says in which order addresses stand, and which of them belong
// to pods and services.
func reconcileConfig(_ context.Context, s *resource.Session) error {
	c, ok, err := configspec.Config(s)
	if err != nil {
		return err
	}
	algorithm := spec.AddressSortAlgorithmV1
	if ok && c.Main() != nil && c.Main().Machine != nil && c.Main().Machine.Features != nil &&
		c.Main().Machine.Features.NodeAddressSortAlgorithm == "v2" {
		algorithm = spec.AddressSortAlgorithmV2
	}
	spec.NodeAddressSortAlgorithms.Put(s, sorting, spec.NodeAddressSortAlgorithmSpec{Algorithm: algorithm})
	if !ok {
		return nil
	}
	if subnets := podSubnets(c); len(subnets) > 0 {
		spec.NodeAddressFilters.Put(s, withoutPods, spec.NodeAddressFilterSpec{ExcludeSubnets: subnets})
		spec.NodeAddressFilters.Put(s, onlyPods, spec.NodeAddressFilterSpec{IncludeSubnets: subnets})
	}
	return nil
}

func podSubnets(c *machineconfig.Config) []netip.Prefix {
	var subnets []netip.Prefix
	for _, d := range c.Documents() {
		if n, ok := d.(*kubernetes.NetworkConfig); ok {
			for _, p := range slices.Concat(n.PodSubnets, n.ServiceSubnets) {
				subnets = append(subnets, p.Prefix)
			}
			return subnets
		}
	}
	main := c.Main()
	if main == nil || main.Cluster == nil || main.Cluster.Network == nil {
		return nil
	}
	for _, text := range slices.Concat(main.Cluster.Network.PodSubnets, main.Cluster.Network.ServiceSubnets) {
		if p, err := netip.ParsePrefix(text); err == nil {
			subnets = append(subnets, p)
		}
	}
	return subnets
}

// shared lists the addresses that the nodes of the control plane share.
func shared(s *resource.Session) (map[netip.Addr]bool, error) {
	all := map[netip.Addr]bool{}
	add := func(text string) {
		if a, err := netip.ParseAddr(text); err == nil {
			all[a.Unmap()] = true
		}
	}
	for _, o := range spec.OperatorSpecs.List(s) {
		if o.Spec.Operator == spec.OperatorVIP {
			all[o.Spec.VIP.IP] = true
		}
	}
	c, ok, err := configspec.Config(s)
	if err != nil || !ok {
		return all, err
	}
	for _, d := range c.Documents() {
		switch v := d.(type) {
		case *network.Layer2VIPConfig:
			add(v.DocName)
		case *network.HCloudVIPConfig:
			add(v.DocName)
		}
	}
	main := c.Main()
	if main == nil || main.Machine == nil || main.Machine.Network == nil {
		return all, nil
	}
	for _, d := range main.Machine.Network.Interfaces {
		if d == nil {
			continue
		}
		if d.VIP != nil {
			add(d.VIP.IP)
		}
		for _, v := range d.Vlans {
			if v != nil && v.VIP != nil {
				add(v.VIP.IP)
			}
		}
	}
	return all, nil
}

// unusable are the flags of addresses that nobody may use (yet).
const unusable = spec.AddressFlagTentative | spec.AddressFlagDadfailed

// reconcileAddresses sorts the kernel's addresses by purpose.
func reconcileAddresses(_ context.Context, s *resource.Session) error {
	order, ok := spec.NodeAddressSortAlgorithms.Get(s, sorting)
	if !ok {
		return resource.Hold("waiting for the order of addresses")
	}
	vips, err := shared(s)
	if err != nil {
		return err
	}
	now := usable(s, vips)
	Sort(now, order.Algorithm)
	if len(now) == 0 {
		return resource.Hold("waiting for an address")
	}
	ever := slices.Clone(now)
	if before, ok := spec.NodeAddresses.Get(s, accumulative); ok {
		for _, p := range before.Addresses {
			if !slices.Contains(ever, p) && !vips[p.Addr()] {
				ever = append(ever, p)
			}
		}
	}
	Sort(ever, order.Algorithm)
	out := func(id string, addresses []netip.Prefix) {
		spec.NodeAddresses.Put(s, id, spec.NodeAddressSpec{Addresses: addresses, SortAlgorithm: order.Algorithm})
	}
	filters := spec.NodeAddressFilters.List(s)
	own := slices.Clone(now)
	for purpose, addresses := range map[string][]netip.Prefix{current: now, routed: now, accumulative: ever} {
		out(purpose, addresses)
		for _, f := range filters {
			narrowed := filter(addresses, f.Spec)
			out(purpose+"-"+f.ID, narrowed)
			if purpose == current && f.ID == withoutPods {
				own = narrowed
			}
		}
	}
	out(primary, []netip.Prefix{choose(s, own, now)})
	return nil
}

// usable lists the addresses that can be the node's.
func usable(s *resource.Session, vips map[netip.Addr]bool) []netip.Prefix {
	var all []netip.Prefix
	for _, a := range spec.AddressStatuses.List(s) {
		ip := a.Spec.Address.Addr().Unmap()
		if a.Spec.Flags&unusable != 0 || ip.IsLoopback() || ip.IsLinkLocalUnicast() || ip.IsUnspecified() || ip.IsMulticast() ||
			vips[ip] || slices.Contains(all, a.Spec.Address) {
			continue
		}
		all = append(all, a.Spec.Address)
	}
	return all
}

// choose gives the address that the node is known by: that of before as long as
// the node has it, or else the first of its own.
func choose(s *resource.Session, own, now []netip.Prefix) netip.Prefix {
	if len(own) == 0 {
		own = now
	}
	if before, ok := spec.NodeAddresses.Get(s, primary); ok && len(before.Addresses) == 1 && slices.Contains(own, before.Addresses[0]) {
		return before.Addresses[0]
	}
	return own[0]
}

// filter gives the addresses that lie in one of the subnets to include, where
// there are some, and in none to exclude.
func filter(addresses []netip.Prefix, f spec.NodeAddressFilterSpec) []netip.Prefix {
	in := func(subnets []netip.Prefix, a netip.Addr) bool {
		return slices.ContainsFunc(subnets, func(p netip.Prefix) bool { return p.Contains(a) })
	}
	out := make([]netip.Prefix, 0, len(addresses))
	for _, p := range addresses {
		if (len(f.IncludeSubnets) == 0 || in(f.IncludeSubnets, p.Addr())) && !in(f.ExcludeSubnets, p.Addr()) {
			out = append(out, p)
		}
	}
	return out
}

// Sort puts addresses in order: v1 by their value, v2 the longer prefixes of a
// family first.
func Sort(addresses []netip.Prefix, algorithm spec.AddressSortAlgorithm) {
	slices.SortFunc(addresses, func(a, b netip.Prefix) int {
		if algorithm == spec.AddressSortAlgorithmV2 {
			if c := cmp.Or(cmp.Compare(a.Addr().BitLen(), b.Addr().BitLen()), cmp.Compare(b.Bits(), a.Bits())); c != 0 {
				return c
			}
		}
		return cmp.Or(a.Addr().Compare(b.Addr()), cmp.Compare(a.Bits(), b.Bits()))
	})
}
