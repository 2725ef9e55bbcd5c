package validate

import (
	"fmt"
	"net/netip"
	"strings"

	"github.com/ichor-os/ichor/config/document"
	"github.com/ichor-os/ichor/config/documents/v1alpha1"
)

// subnet is a subnet with the place it was given at.
type subnet struct {
	path, use string
	prefix    netip.Prefix
}

// adviseSubnets compares the subnets of pods, services and nodes, and the
// endpoint of the control plane with all of them.
func adviseSubnets(v *document.Validation, c *v1alpha1.Config) {
	inside := clusterSubnets(v, c)

	for i, a := range inside {
		for _, b := range inside[:i] {
			if a.prefix.Overlaps(b.prefix) {
				v.Advisef(a.path, "subnet of %s overlaps with that of %s: %s and %s", a.use, b.use, a.prefix, b.prefix).Fix("use subnets apart from each other")
			}
		}
	}

	for _, n := range nodeSubnets(c) {
		for _, s := range inside {
			if n.prefix.Overlaps(s.prefix) {
				v.Advisef(n.path, "address of the node lies in the subnet of %s: %s in %s", s.use, n.prefix, s.prefix).Fix("use subnets apart from each other")
			}
		}
	}

	if p := c.Cluster.ControlPlane; p != nil && p.Endpoint != nil && p.Endpoint.URL != nil {
		host, err := netip.ParseAddr(p.Endpoint.Hostname())
		if err != nil {
			return
		}

		for _, s := range inside {
			if s.prefix.Contains(host) {
				v.Advisef("cluster.controlPlane.endpoint", "endpoint lies in the subnet of %s: %s in %s", s.use, host, s.prefix).Fix("no machine can be reached there: use an address of the nodes' network")
			}
		}
	}
}

func clusterSubnets(v *document.Validation, c *v1alpha1.Config) []subnet {
	n := c.Cluster.Network
	if n == nil {
		return nil
	}

	var all []subnet

	for _, group := range []struct {
		key, use string
		subnets  []string
	}{{"podSubnets", "pods", n.PodSubnets}, {"serviceSubnets", "services", n.ServiceSubnets}} {
		families := make(map[bool]int)

		for i, text := range group.subnets {
			path := fmt.Sprintf("cluster.network.%s[%d]", group.key, i)

			p, err := netip.ParsePrefix(text)
			if err != nil {
				v.Advisef(path, "not a subnet: %q", text).Fix("write 10.244.0.0/16")

				continue
			}

			if p != p.Masked() {
				v.Advisef(path, "subnet has bits beyond its length: %s", p).Fix("write %s", p.Masked())
			}

			families[p.Addr().Is4()]++
			if families[p.Addr().Is4()] > 1 {
				v.Advisef(path, "Kubernetes takes one subnet of %s of each IP version", group.use).Fix("keep one of each")
			}

			all = append(all, subnet{path: path, use: group.use, prefix: p.Masked()})
		}
	}

	return all
}

// nodeSubnets are the addresses that the machine is given in the main document.
func nodeSubnets(c *v1alpha1.Config) []subnet {
	if c.Machine.Network == nil {
		return nil
	}

	var all []subnet

	add := func(path string, addresses []string) {
		for i, text := range addresses {
			if p, err := netip.ParsePrefix(text); err == nil {
				all = append(all, subnet{path: fmt.Sprintf("%s.addresses[%d]", path, i), use: "nodes", prefix: p})
			}
		}
	}

	for i, d := range c.Machine.Network.Interfaces {
		if d == nil {
			continue
		}

		path := fmt.Sprintf("machine.network.interfaces[%d]", i)
		add(path, d.Addresses)

		for j, vlan := range d.Vlans {
			if vlan != nil {
				add(fmt.Sprintf("%s.vlans[%d]", path, j), vlan.Addresses)
			}
		}
	}

	return all
}

// Bounds of the kernel.
const (
	minMTU  = 68
	maxMTU  = 65535
	maxPort = 65535
)

func advisePorts(v *document.Validation, c *v1alpha1.Config) {
	port := func(path string, p int) {
		if p < 0 || p > maxPort {
			v.Advisef(path, "port is out of range: %d", p).Fix("use 1 to %d", maxPort)
		}
	}

	if k := c.Machine.Features; k != nil && k.KubePrism != nil {
		port("machine.features.kubePrism.port", k.KubePrism.Port)
	}

	if p := c.Cluster.ControlPlane; p != nil {
		port("cluster.controlPlane.localAPIServerPort", p.LocalAPIServerPort)

		if p.Endpoint != nil && p.Endpoint.URL != nil && p.Endpoint.Scheme != "https" {
			v.Advisef("cluster.controlPlane.endpoint", "endpoint is not https: %s", p.Endpoint.Redacted()).Fix("the API server speaks TLS only")
		}
	}

	if c.Machine.Network == nil {
		return
	}

	for i, d := range c.Machine.Network.Interfaces {
		if d != nil && d.MTU != 0 && (d.MTU < minMTU || d.MTU > maxMTU) {
			v.Advisef(fmt.Sprintf("machine.network.interfaces[%d].mtu", i), "MTU is out of range: %d", d.MTU).Fix("use %d to %d", minMTU, maxMTU)
		}
	}

	for i, h := range c.Machine.Network.ExtraHostEntries {
		if h == nil {
			continue
		}

		if _, err := netip.ParseAddr(strings.TrimSpace(h.IP)); err != nil {
			v.Advisef(fmt.Sprintf("machine.network.extraHostEntries[%d].ip", i), "not an address: %q", h.IP).Fix("write 10.0.0.1")
		}
	}
}
