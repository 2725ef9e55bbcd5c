package kubelet

import (
	"fmt"
	"maps"
	"net/netip"
	"slices"

	"github.com/ichor-os/ichor/config/documents/v1alpha1"
	"github.com/ichor-os/ichor/pki"
	"github.com/ichor-os/ichor/version"
)

// controlPlaneTaint keeps workloads off control plane nodes.
const controlPlaneTaint = "node-role.kubernetes.io/control-plane=:NoSchedule"

// FromConfig gives kubelet's settings on a node with the name and address.
func FromConfig(c *v1alpha1.Config, name string, address netip.Addr) (Settings, error) {
	s := Settings{
		Image:    "ghcr.io/siderolabs/kubelet:v" + version.Kubernetes,
		NodeName: name, Address: address,
		Server: c.Cluster.ControlPlane.Endpoint.String(),
		Token:  c.Cluster.Token,
		Domain: "cluster.local",
		Extra:  map[string][]string{},
	}
	if ca := c.Cluster.CA; ca != nil {
		s.CA = pki.Pair{Crt: ca.Crt, Key: ca.Key}
	}
	services := "10.96.0.0/12"
	if network := c.Cluster.Network; network != nil {
		if network.DNSDomain != "" {
			s.Domain = network.DNSDomain
		}
		if len(network.ServiceSubnets) > 0 {
			services = network.ServiceSubnets[0]
		}
	}
	dns, err := tenth(services)
	if err != nil {
		return s, err
	}
	s.ClusterDNS = []string{dns.String()}
	if c.Machine.Type != "worker" {
		port := c.Cluster.ControlPlane.LocalAPIServerPort
		if port == 0 {
			port = 6443
		}
		s.Server = fmt.Sprintf("https://127.0.0.1:%d", port)
		if !isTrue(c.Cluster.AllowSchedulingOnControlPlane) && !isTrue(c.Cluster.AllowSchedulingOnMasters) {
			s.Taints = append(s.Taints, controlPlaneTaint)
		}
	}
	for _, label := range slices.Sorted(maps.Keys(c.Machine.NodeLabels)) {
		s.Labels = append(s.Labels, label+"="+c.Machine.NodeLabels[label])
	}
	if k := c.Machine.Kubelet; k != nil {
		if k.Image != "" {
			s.Image = k.Image
		}
		if len(k.ClusterDNS) > 0 {
			s.ClusterDNS = k.ClusterDNS
		}
		for argument, value := range k.ExtraArgs {
			s.Extra[argument] = value.Values
		}
	}
	return s, nil
}

// tenth is the address of the cluster's name service by convention.
func tenth(network string) (netip.Addr, error) {
	prefix, err := netip.ParsePrefix(network)
	if err != nil {
		return netip.Addr{}, fmt.Errorf("read service network: %w", err)
	}
	address := prefix.Masked().Addr()
	for range 10 {
		address = address.Next()
	}
	return address, nil
}

func isTrue(b *bool) bool { return b != nil && *b }
