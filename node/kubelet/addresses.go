package kubelet

import (
	"context"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"time"

	machineconfig "github.com/ichor-os/ichor/config"
	"github.com/ichor-os/ichor/config/documents/v1alpha1"
	configspec "github.com/ichor-os/ichor/node/config/spec"
	dnsspec "github.com/ichor-os/ichor/node/dns/spec"
	"github.com/ichor-os/ichor/node/kubelet/spec"
	linkspec "github.com/ichor-os/ichor/node/link/spec"
	"github.com/ichor-os/ichor/resource"
)

// settle is how long other addresses must stand before they count.
const settle = 5 * time.Second

// reconcileSettled shows the node's addresses once they have stood for a while;
// the first ones count at once.
func reconcileSettled(_ context.Context, s *resource.Session) error {
	seen, ok := linkspec.NodeAddresses.Get(s, "routed")
	if !ok {
		seen, ok = linkspec.NodeAddresses.Get(s, "current")
	}
	if !ok {
		return resource.Hold("waiting for the node's addresses")
	}
	now := usable(seen.Addresses)
	old, had := spec.SettledAddresses.Get(s)
	if !had && len(now) == 0 {
		return resource.Hold("waiting for an address of the node")
	}
	next := spec.SettledAddressSpec{Addresses: old.Addresses}
	switch {
	case !had:
		next.Addresses = now
	case slices.Equal(now, old.Addresses) || len(now) == 0:
		// As it was, or nothing that anybody could be started with.
	case !slices.Equal(now, old.Next):
		next.Next, next.Since = now, s.Now()
		s.WakeAfter(settle)
	case s.Now().Sub(old.Since) < settle:
		next = old
		s.WakeAfter(settle - s.Now().Sub(old.Since))
	default:
		next.Addresses = now
	}
	spec.SettledAddresses.Put(s, "", next)
	return nil
}

// usable are the addresses by which others can reach the node.
func usable(prefixes []netip.Prefix) []netip.Addr {
	var out []netip.Addr
	for _, p := range prefixes {
		a := p.Addr().Unmap()
		if a.IsValid() && !a.IsLoopback() && !a.IsLinkLocalUnicast() && !a.IsMulticast() && !a.IsUnspecified() && !slices.Contains(out, a) {
			out = append(out, a)
		}
	}
	return out
}

// reconcileNodename names the Kubernetes node after the host.
func reconcileNodename(_ context.Context, s *resource.Session) error {
	c, ok, err := configspec.Config(s)
	if err != nil || !ok || c.Main() == nil || c.Main().Machine == nil {
		return err
	}
	host, ok := dnsspec.HostnameStatuses.Resource(s, "hostname")
	if !ok {
		return resource.Hold("waiting for the host name")
	}
	settings := kubeletOf(c.Main())
	name := host.Spec.Hostname
	if isTrue(settings.RegisterWithFQDN) && host.Spec.Domainname != "" && !strings.Contains(name, ".") {
		name += "." + host.Spec.Domainname
	}
	spec.Nodenames.Put(s, "nodename", spec.NodenameSpec{
		Nodename: strings.ToLower(name), HostnameVersion: host.Version.String(), SkipNodeRegistration: isTrue(settings.SkipNodeRegistration),
	})
	return nil
}

func kubeletOf(c *v1alpha1.Config) *v1alpha1.KubeletConfig {
	if c.Machine == nil || c.Machine.Kubelet == nil {
		return &v1alpha1.KubeletConfig{}
	}
	return c.Machine.Kubelet
}

// reconcileNodeIPConfig says which addresses the node may have: those of the
// config, and never one of a pod, of a service or shared among nodes.
func reconcileNodeIPConfig(_ context.Context, s *resource.Session) error {
	c, ok, err := configspec.Config(s)
	if err != nil || !ok || c.Main() == nil || c.Main().Machine == nil {
		return err
	}
	var out spec.NodeIPConfigSpec
	if ip := kubeletOf(c.Main()).NodeIP; ip != nil {
		for _, subnet := range ip.ValidSubnets {
			if excluded, ok := strings.CutPrefix(subnet, "!"); ok {
				out.ExcludeSubnets = append(out.ExcludeSubnets, excluded)
			} else {
				out.ValidSubnets = append(out.ValidSubnets, subnet)
			}
		}
	}
	out.ExcludeSubnets = append(out.ExcludeSubnets, Inside(c.Main())...)
	for _, vip := range SharedAddresses(c) {
		out.ExcludeSubnets = append(out.ExcludeSubnets, vip.String())
	}
	spec.NodeIPConfigs.Put(s, "kubelet", out)
	return nil
}

// Inside lists the networks inside the cluster: no node's own address lies in
// them.
func Inside(main *v1alpha1.Config) []string {
	pods, services := []string{"10.244.0.0/16"}, []string{"10.96.0.0/12"}
	if main.Cluster != nil && main.Cluster.Network != nil {
		if n := main.Cluster.Network; len(n.PodSubnets) > 0 {
			pods = n.PodSubnets
		}
		if n := main.Cluster.Network; len(n.ServiceSubnets) > 0 {
			services = n.ServiceSubnets
		}
	}
	return slices.Concat(pods, services)
}

// SharedAddresses are the addresses that wander among control plane nodes.
func SharedAddresses(c *machineconfig.Config) []netip.Addr {
	var out []netip.Addr
	add := func(text string) {
		if a, err := netip.ParseAddr(text); err == nil {
			out = append(out, a)
		}
	}
	for _, d := range c.Documents() {
		switch d.Kind().Kind {
		case "Layer2VIPConfig", "HCloudVIPConfig":
			add(d.Name())
		}
	}
	if main := c.Main(); main != nil && main.Machine != nil && main.Machine.Network != nil {
		for _, device := range main.Machine.Network.Interfaces {
			if device != nil && device.VIP != nil {
				add(device.VIP.IP)
			}
			if device == nil {
				continue
			}
			for _, vlan := range device.Vlans {
				if vlan != nil && vlan.VIP != nil {
					add(vlan.VIP.IP)
				}
			}
		}
	}
	return out
}

// reconcileNodeIPs chooses the node's addresses: the first that counts of each
// family that the cluster uses.
func reconcileNodeIPs(_ context.Context, s *resource.Session) error {
	config, ok := spec.NodeIPConfigs.Get(s, "kubelet")
	if !ok {
		return nil
	}
	settled, ok := spec.SettledAddresses.Get(s)
	if !ok {
		return resource.Hold("waiting for the node's addresses")
	}
	c, ok, err := configspec.Config(s)
	if err != nil || !ok || c.Main() == nil {
		return err
	}
	chosen, err := spec.Choose(settled.Addresses, config.ValidSubnets, config.ExcludeSubnets)
	if err != nil {
		return fmt.Errorf("choose node addresses: %w", err)
	}
	if len(chosen) == 0 {
		return resource.Hold("none of the node's addresses lies in machine.kubelet.nodeIP.validSubnets")
	}
	four, six := families(Inside(c.Main()))
	var out []netip.Addr
	for _, a := range chosen {
		if !slices.ContainsFunc(out, func(b netip.Addr) bool { return a.Is4() == b.Is4() }) && (a.Is4() && four || a.Is6() && six) {
			out = append(out, a)
		}
	}
	if len(out) == 0 {
		out = chosen[:1]
	}
	spec.NodeIPs.Put(s, "kubelet", spec.NodeIPSpec{Addresses: out})
	return nil
}

func families(networks []string) (four, six bool) {
	for _, network := range networks {
		if p, err := netip.ParsePrefix(network); err == nil {
			four, six = four || p.Addr().Is4(), six || p.Addr().Is6()
		}
	}
	return four, six
}
