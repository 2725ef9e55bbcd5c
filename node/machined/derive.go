package machined

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"fmt"
	"time"

	machineconfig "github.com/ichor-os/ichor/config"
	"github.com/ichor-os/ichor/config/documents/v1alpha1"
	"github.com/ichor-os/ichor/config/scalar"
	"github.com/ichor-os/ichor/node/etcd"
	filespec "github.com/ichor-os/ichor/node/file/spec"
	"github.com/ichor-os/ichor/node/kube"
	"github.com/ichor-os/ichor/node/kubelet"
	"github.com/ichor-os/ichor/pki"
	"github.com/ichor-os/ichor/version"
)

type fileSpec = filespec.File

// clusterSettings are what the config means for the nouns of the cluster.
type clusterSettings struct {
	controlPlane  bool
	etcd          etcd.Settings
	kubelet       kubelet.Settings
	kube          kube.Settings
	adminLifetime time.Duration
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

func arguments(in map[string]v1alpha1.Argument) map[string][]string {
	out := map[string][]string{}
	for name, argument := range in {
		out[name] = argument.Values
	}
	return out
}

// derive turns a config into the settings of each noun.
func derive(config *machineconfig.Config, n *node) (*clusterSettings, error) {
	machine, cluster := config.Main().Machine, config.Main().Cluster
	if cluster == nil || cluster.ControlPlane == nil || cluster.ControlPlane.Endpoint == nil {
		return nil, fmt.Errorf("cluster.controlPlane.endpoint is missing")
	}
	s := &clusterSettings{controlPlane: machine.Type == "controlplane" || machine.Type == "init", adminLifetime: pki.AdminLifetime}
	if cluster.AdminKubeconfig != nil && cluster.AdminKubeconfig.CertLifetime > 0 {
		s.adminLifetime = cluster.AdminKubeconfig.CertLifetime
	}
	network := cluster.Network
	if network == nil {
		network = &v1alpha1.ClusterNetworkConfig{}
	}
	endpoint := cluster.ControlPlane.Endpoint.String()
	secretbox, err := base64.StdEncoding.DecodeString(cluster.SecretboxEncryptionSecret)
	if err != nil {
		return nil, fmt.Errorf("cluster.secretboxEncryptionSecret: %w", err)
	}
	s.kube = kube.Settings{
		ClusterName:    orDefault(cluster.ClusterName, "kubernetes"),
		NodeName:       n.platform.Hostname,
		Address:        n.address(),
		Endpoint:       endpoint,
		Port:           orDefault(cluster.ControlPlane.LocalAPIServerPort, 6443),
		PodNets:        orList(network.PodSubnets, "10.244.0.0/16"),
		ServiceNets:    orList(network.ServiceSubnets, "10.96.0.0/12"),
		Domain:         orDefault(network.DNSDomain, "cluster.local"),
		CA:             pairOf(cluster.CA),
		AggregatorCA:   pairOf(cluster.AggregatorCA),
		SecretboxKey:   secretbox,
		CertSANs:       []string{cluster.ControlPlane.Endpoint.Hostname()},
		Images:         images(cluster),
		CNI:            "flannel",
		BootstrapToken: cluster.Token,
		Namespaced:     true,
	}
	if network.CNI != nil && network.CNI.Name != "" {
		s.kube.CNI = network.CNI.Name
	}
	if cluster.ServiceAccount != nil {
		s.kube.ServiceAccountKey = cluster.ServiceAccount.Key
	}
	if cluster.Etcd != nil {
		s.kube.EtcdCA = pairOf(cluster.Etcd.CA)
		s.etcd.Extra = arguments(cluster.Etcd.ExtraArgs)
	}
	s.further(cluster)
	s.etcd.Image = version.EtcdImage
	if cluster.Etcd != nil && cluster.Etcd.Image != "" {
		s.etcd.Image = cluster.Etcd.Image
	}
	s.etcd.Name, s.etcd.Address, s.etcd.CA = n.platform.Hostname, n.address(), s.kube.EtcdCA
	return s, s.deriveKubelet(machine, cluster, n)
}

// further takes the arguments and switches of the components.
func (s *clusterSettings) further(cluster *v1alpha1.ClusterConfig) {
	if api := cluster.APIServer; api != nil {
		s.kube.CertSANs = append(s.kube.CertSANs, api.CertSANs...)
		s.kube.APIServerArgs = arguments(api.ExtraArgs)
	}
	if cluster.ControllerManager != nil {
		s.kube.ControllerManagerArgs = arguments(cluster.ControllerManager.ExtraArgs)
	}
	if cluster.Scheduler != nil {
		s.kube.SchedulerArgs = arguments(cluster.Scheduler.ExtraArgs)
	}
	s.kube.ProxyDisabled = cluster.Proxy != nil && isTrue(cluster.Proxy.Disabled)
	s.kube.DNSDisabled = cluster.CoreDNS != nil && isTrue(cluster.CoreDNS.Disabled)
}

func (s *clusterSettings) deriveKubelet(machine *v1alpha1.MachineConfig, cluster *v1alpha1.ClusterConfig, n *node) error {
	dns, err := s.kube.ServiceIP(10)
	if err != nil {
		return err
	}
	s.kubelet = kubelet.Settings{
		Image:      "ghcr.io/siderolabs/kubelet:v" + version.Kubernetes,
		NodeName:   n.platform.Hostname,
		Address:    n.address(),
		Server:     s.kube.Endpoint,
		CA:         s.kube.CA,
		Token:      cluster.Token,
		ClusterDNS: []string{dns.String()},
		Domain:     s.kube.Domain,
		Namespaced: true,
	}
	if s.controlPlane {
		s.kubelet.Server = s.kube.LocalServer()
		if !isTrue(cluster.AllowSchedulingOnControlPlane) && !isTrue(cluster.AllowSchedulingOnMasters) {
			s.kubelet.Taints = append(s.kubelet.Taints, "node-role.kubernetes.io/control-plane=:NoSchedule")
		}
	}
	for name, value := range machine.NodeLabels {
		s.kubelet.Labels = append(s.kubelet.Labels, name+"="+value)
	}
	if k := machine.Kubelet; k != nil {
		s.kubelet.Image = orDefault(k.Image, s.kubelet.Image)
		s.kubelet.Extra = arguments(k.ExtraArgs)
		s.kubelet.ClusterDNS = orList(k.ClusterDNS, s.kubelet.ClusterDNS...)
	}
	return nil
}

func isTrue(b *bool) bool { return b != nil && *b }

func orList(list []string, fallback ...string) []string {
	if len(list) == 0 {
		return fallback
	}
	return list
}

// images are the config's, or those of the default Kubernetes version.
func images(cluster *v1alpha1.ClusterConfig) kube.Images {
	component := func(name string) string { return "registry.k8s.io/" + name + ":v" + version.Kubernetes }
	out := kube.Images{
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

// tarball packs one file as clients expect the kubeconfig.
func tarball(name string, content []byte) ([]byte, error) {
	var buffer bytes.Buffer
	zipped := gzip.NewWriter(&buffer)
	archive := tar.NewWriter(zipped)
	if err := archive.WriteHeader(&tar.Header{Name: name, Mode: 0o600, Size: int64(len(content)), Typeflag: tar.TypeReg}); err != nil {
		return nil, err
	}
	if _, err := archive.Write(content); err != nil {
		return nil, err
	}
	if err := archive.Close(); err != nil {
		return nil, err
	}
	if err := zipped.Close(); err != nil {
		return nil, err
	}
	return buffer.Bytes(), nil
}
