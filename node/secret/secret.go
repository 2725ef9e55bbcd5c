// Package secret derives the secrets of a node from its config: the authorities
// and, on nodes that hold an authority's key, the certificates that its programs
// use. Certificates are renewed in time, and made anew when the names in them or
// their authority change; who uses them writes them where they are read.
package secret

import (
	"context"
	"fmt"
	"net/netip"
	"net/url"
	"strings"

	"github.com/ichor-os/ichor/config/documents/v1alpha1"
	"github.com/ichor-os/ichor/config/scalar"
	configspec "github.com/ichor-os/ichor/node/config/spec"
	"github.com/ichor-os/ichor/node/secret/spec"
	"github.com/ichor-os/ichor/pki"
	"github.com/ichor-os/ichor/resource"
	"github.com/ichor-os/ichor/resource/value"
)

// Ids of the resources.
const (
	OSRoot          = "os"
	EtcdRoot        = "etcd"
	KubernetesRoot  = "k8s"
	Etcd            = "etcd"
	Kubernetes      = "k8s-certs"
	KubernetesCerts = "k8s-dynamic-certs"
	Kubelet         = "kubelet"
	SANsAPI         = "api"
	SANsKubernetes  = "k8s"
	SANsEtcd        = "etcd"
)

// Blocks are the reconcilers about secrets.
func Blocks() []resource.Block {
	return []resource.Block{
		resource.Reconciler("root-secrets", reconcileRoots),
		resource.Reconciler("cert-sans", reconcileSANs),
		resource.Reconciler("etcd-secrets", reconcileEtcd),
		resource.Reconciler("kubernetes-certificates", reconcileCertificates),
		resource.Reconciler("kubernetes-secrets", reconcileKubeconfigs),
		resource.Reconciler("kubelet-secrets", reconcileKubelet),
	}
}

// IsControlPlane reports whether a config makes the machine one of the control
// plane.
func IsControlPlane(c *v1alpha1.Config) bool {
	return c.Machine != nil && (c.Machine.Type == "controlplane" || c.Machine.Type == "init")
}

// reconcileRoots takes the authorities and shared secrets from the config.
func reconcileRoots(_ context.Context, s *resource.Session) error {
	c, ok, err := configspec.Config(s)
	if err != nil || !ok || c.Main() == nil {
		return err
	}
	main := c.Main()
	if main.Machine != nil {
		ips, names := split(main.Machine.CertSANs)
		spec.OSRootSecrets.Put(s, OSRoot, spec.OSRootSecretSpec{
			IssuingCA: pairOf(main.Machine.CA), AcceptedCAs: accepted(main.Machine.AcceptedCAs, main.Machine.CA),
			CertSANIPs: ips, CertSANDNSNames: names, Token: main.Machine.Token,
		})
	}
	cluster := main.Cluster
	if cluster == nil || cluster.ControlPlane == nil || cluster.ControlPlane.Endpoint == nil {
		return nil
	}
	root, err := kubernetesRoot(main)
	if err != nil {
		return err
	}
	spec.KubernetesRootSecrets.Put(s, KubernetesRoot, root)
	if IsControlPlane(main) && cluster.Etcd != nil && cluster.Etcd.CA != nil {
		spec.EtcdRootSecrets.Put(s, EtcdRoot, spec.EtcdRootSecretSpec{EtcdCA: pairOf(cluster.Etcd.CA)})
	}
	return nil
}

func kubernetesRoot(main *v1alpha1.Config) (spec.KubernetesRootSecretSpec, error) {
	cluster := main.Cluster
	network := cluster.Network
	if network == nil {
		network = &v1alpha1.ClusterNetworkConfig{}
	}
	port := cluster.ControlPlane.LocalAPIServerPort
	if port == 0 {
		port = 6443
	}
	endpoint := *cluster.ControlPlane.Endpoint.URL
	root := spec.KubernetesRootSecretSpec{
		Name: cluster.ClusterName, Endpoint: &endpoint,
		LocalEndpoint: &url.URL{Scheme: "https", Host: fmt.Sprintf("127.0.0.1:%d", port)},
		DNSDomain:     network.DNSDomain,
		IssuingCA:     pairOf(cluster.CA), AcceptedCAs: accepted(cluster.AcceptedCAs, cluster.CA), AggregatorCA: pairOf(cluster.AggregatorCA),
		AesCBCEncryptionSecret: cluster.AESCBCEncryptionSecret, SecretboxEncryptionSecret: cluster.SecretboxEncryptionSecret,
	}
	if root.Name == "" {
		root.Name = "kubernetes"
	}
	if root.DNSDomain == "" {
		root.DNSDomain = "cluster.local"
	}
	root.CertSANs = []string{endpoint.Hostname()}
	if cluster.APIServer != nil {
		root.CertSANs = append(root.CertSANs, cluster.APIServer.CertSANs...)
	}
	services := network.ServiceSubnets
	if len(services) == 0 {
		services = []string{"10.96.0.0/12"}
	}
	for _, subnet := range services {
		prefix, err := netip.ParsePrefix(strings.TrimSpace(subnet))
		if err != nil {
			return root, fmt.Errorf("read cluster.network.serviceSubnets: %w", err)
		}
		root.APIServerIPs = append(root.APIServerIPs, prefix.Masked().Addr().Next())
	}
	if cluster.ServiceAccount != nil {
		root.ServiceAccount = &value.Key{Key: value.Base64(cluster.ServiceAccount.Key)}
	}
	root.BootstrapTokenID, root.BootstrapTokenSecret, _ = strings.Cut(cluster.Token, ".")
	return root, nil
}

func pairOf(p *scalar.CertificateAndKey) *value.CertificateAndKey {
	if p == nil {
		return nil
	}
	return &value.CertificateAndKey{Crt: value.Base64(p.Crt), Key: value.Base64(p.Key)}
}

// accepted lists the authorities that count: the issuing one and the further.
func accepted(further []*scalar.Certificate, issuing *scalar.CertificateAndKey) []*value.Certificate {
	var list []*value.Certificate
	if issuing != nil {
		list = append(list, &value.Certificate{Crt: value.Base64(issuing.Crt)})
	}
	for _, c := range further {
		if c != nil {
			list = append(list, &value.Certificate{Crt: value.Base64(c.Crt)})
		}
	}
	return list
}

// Bundle joins authorities to one PEM text.
func Bundle(list []*value.Certificate) []byte {
	var out []byte
	for _, c := range list {
		out = append(out, []byte(strings.TrimSpace(string(c.Crt))+"\n")...)
	}
	return out
}

// authority loads an authority that can sign; false says that the node does not
// hold its key.
func authority(p *value.CertificateAndKey) (*pki.Authority, bool, error) {
	if p == nil || len(p.Key) == 0 {
		return nil, false, nil
	}
	a, err := pki.LoadAuthority(pki.Pair{Crt: p.Crt, Key: p.Key})
	return a, err == nil, err
}

func split(names []string) (ips []netip.Addr, hosts []string) {
	for _, name := range names {
		if ip, err := netip.ParseAddr(name); err == nil {
			ips = append(ips, ip)
		} else if name != "" {
			hosts = append(hosts, name)
		}
	}
	return ips, hosts
}
