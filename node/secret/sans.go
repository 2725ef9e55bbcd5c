package secret

import (
	"context"
	"net/netip"
	"slices"
	"strings"

	configspec "github.com/ichor-os/ichor/node/config/spec"
	kubeletspec "github.com/ichor-os/ichor/node/kubelet/spec"
	"github.com/ichor-os/ichor/node/secret/spec"
	"github.com/ichor-os/ichor/resource"
)

// reconcileSANs gathers the names by which the node's servers are known.
func reconcileSANs(_ context.Context, s *resource.Session) error {
	root, ok := spec.KubernetesRootSecrets.Get(s, KubernetesRoot)
	if !ok {
		return nil
	}
	node, ok := kubeletspec.Nodenames.Get(s, "nodename")
	if !ok {
		return resource.Hold("waiting for the node's name")
	}
	settled, ok := kubeletspec.SettledAddresses.Get(s)
	if !ok {
		return resource.Hold("waiting for the node's addresses")
	}
	osRoot, _ := spec.OSRootSecrets.Get(s, OSRoot)
	spec.CertSANs.Put(s, SANsAPI, sans(node.Nodename,
		append(slices.Clone(settled.Addresses), osRoot.CertSANIPs...), append([]string{node.Nodename}, osRoot.CertSANDNSNames...)))

	c, ok, err := configspec.Config(s)
	if err != nil || !ok || c.Main() == nil || !IsControlPlane(c.Main()) {
		return err
	}
	local := []netip.Addr{netip.MustParseAddr("127.0.0.1"), netip.IPv6Loopback()}
	further, hosts := split(root.CertSANs)
	spec.CertSANs.Put(s, SANsKubernetes, sans(node.Nodename,
		slices.Concat(local, settled.Addresses, root.APIServerIPs, further),
		append([]string{
			node.Nodename, "localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc", "kubernetes.default.svc." + root.DNSDomain,
		}, hosts...)))
	spec.CertSANs.Put(s, SANsEtcd, sans(node.Nodename,
		slices.Concat(local, settled.Addresses), []string{node.Nodename, "localhost"}))
	return nil
}

// sans puts names in order, so that the order of their sources changes nothing.
func sans(fqdn string, ips []netip.Addr, hosts []string) spec.CertSANSpec {
	ips, hosts = slices.Clone(ips), slices.Clone(hosts)
	slices.SortFunc(ips, netip.Addr.Compare)
	for i := range hosts {
		hosts[i] = strings.ToLower(hosts[i])
	}
	slices.Sort(hosts)
	return spec.CertSANSpec{IPs: slices.Compact(ips), DNSNames: slices.Compact(hosts), FQDN: fqdn}
}

// namesOf lists names as certificate templates take them.
func namesOf(s spec.CertSANSpec) []string {
	names := slices.Clone(s.DNSNames)
	for _, ip := range s.IPs {
		names = append(names, ip.String())
	}
	return names
}
