package kube

import (
	"encoding/base64"
	"fmt"
	"net/netip"

	"github.com/ichor-os/ichor/config/documents/v1alpha1"
	"github.com/ichor-os/ichor/config/scalar"
	"github.com/ichor-os/ichor/pki"
	"github.com/ichor-os/ichor/version"
)

// FromConfig gives the control plane's settings on a node with the name and
// address.
func FromConfig(c *v1alpha1.Config, name string, address netip.Addr) (Settings, error) {
	cluster := c.Cluster
	secretbox, err := base64.StdEncoding.DecodeString(cluster.SecretboxEncryptionSecret)
	if err != nil {
		return Settings{}, fmt.Errorf("cluster.secretboxEncryptionSecret: %w", err)
	}
	network := cluster.Network
	if network == nil {
		network = &v1alpha1.ClusterNetworkConfig{}
	}
	s := Settings{
		ClusterName: orDefault(cluster.ClusterName, "kubernetes"), NodeName: name, Address: address,
		Endpoint:      cluster.ControlPlane.Endpoint.String(),
		Port:          orDefault(cluster.ControlPlane.LocalAPIServerPort, 6443),
		PodNets:       orList(network.PodSubnets, "10.244.0.0/16"),
		ServiceNets:   orList(network.ServiceSubnets, "10.96.0.0/12"),
		Domain:        orDefault(network.DNSDomain, "cluster.local"),
		CA:            pairOf(cluster.CA),
		AggregatorCA:  pairOf(cluster.AggregatorCA),
		SecretboxKey:  secretbox,
		CertSANs:      []string{cluster.ControlPlane.Endpoint.Hostname()},
		Images:        images(cluster),
		CNI:           "flannel",
		AdminLifetime: pki.AdminLifetime,

		BootstrapToken: cluster.Token,
	}
	if network.CNI != nil {
		s.CNI = orDefault(network.CNI.Name, s.CNI)
	}
	if cluster.ServiceAccount != nil {
		s.ServiceAccountKey = cluster.ServiceAccount.Key
	}
	if cluster.Etcd != nil {
		s.EtcdCA = pairOf(cluster.Etcd.CA)
	}
	if cluster.AdminKubeconfig != nil {
		s.AdminLifetime = orDefault(cluster.AdminKubeconfig.CertLifetime, s.AdminLifetime)
	}
	s.further(cluster)
	return s, nil
}

// further takes the arguments and switches of the components.
func (s *Settings) further(cluster *v1alpha1.ClusterConfig) {
	if api := cluster.APIServer; api != nil {
		s.CertSANs = append(s.CertSANs, api.CertSANs...)
		s.APIServerArgs = arguments(api.ExtraArgs)
	}
	if cluster.ControllerManager != nil {
		s.ControllerManagerArgs = arguments(cluster.ControllerManager.ExtraArgs)
	}
	if cluster.Scheduler != nil {
		s.SchedulerArgs = arguments(cluster.Scheduler.ExtraArgs)
	}
	s.ProxyDisabled = cluster.Proxy != nil && isTrue(cluster.Proxy.Disabled)
	s.DNSDisabled = cluster.CoreDNS != nil && isTrue(cluster.CoreDNS.Disabled)
}

func pairOf(p *scalar.CertificateAndKey) pki.Pair {
	if p == nil {
		return pki.Pair{}
	}
	return pki.Pair{Crt: p.Crt, Key: p.Key}
}

func orDefault[T comparable](value, fallback T) T {
	var zero T
	if value == zero {
		return fallback
	}
	return value
}

func orList(list []string, fallback ...string) []string {
	if len(list) == 0 {
		return fallback
	}
	return list
}

func isTrue(b *bool) bool { return b != nil && *b }

func arguments(in map[string]v1alpha1.Argument) map[string][]string {
	out := map[string][]string{}
	for name, argument := range in {
		out[name] = argument.Values
	}
	return out
}

// images are the config's, or those of the default Kubernetes version.
func images(cluster *v1alpha1.ClusterConfig) Images {
	component := func(name string) string { return "registry.k8s.io/" + name + ":v" + version.Kubernetes }
	out := Images{
		APIServer: component("kube-apiserver"), ControllerManager: component("kube-controller-manager"),
		Scheduler: component("kube-scheduler"), Proxy: component("kube-proxy"),
		CoreDNS: version.CoreDNSImage, Flannel: version.FlannelImage,
	}
	if cluster.APIServer != nil {
		out.APIServer = orDefault(cluster.APIServer.Image, out.APIServer)
	}
	if cluster.ControllerManager != nil {
		out.ControllerManager = orDefault(cluster.ControllerManager.Image, out.ControllerManager)
	}
	if cluster.Scheduler != nil {
		out.Scheduler = orDefault(cluster.Scheduler.Image, out.Scheduler)
	}
	if cluster.Proxy != nil {
		out.Proxy = orDefault(cluster.Proxy.Image, out.Proxy)
	}
	if cluster.CoreDNS != nil {
		out.CoreDNS = orDefault(cluster.CoreDNS.Image, out.CoreDNS)
	}
	return out
}
