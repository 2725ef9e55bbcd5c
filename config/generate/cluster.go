package generate

import (
	"github.com/ichor-os/ichor/config/document"
	"github.com/ichor-os/ichor/config/documents/v1alpha1"
	"github.com/ichor-os/ichor/config/scalar"
)

func (g *generator) cluster() *v1alpha1.ClusterConfig {
	cluster := &v1alpha1.ClusterConfig{
		ID:           g.Secrets.Cluster.ID,
		Secret:       g.Secrets.Cluster.Secret,
		ControlPlane: &v1alpha1.ControlPlaneConfig{Endpoint: g.endpoint},
		Network: &v1alpha1.ClusterNetworkConfig{
			DNSDomain:      g.DNSDomain,
			PodSubnets:     []string{"10.244.0.0/16"},
			ServiceSubnets: []string{"10.96.0.0/12"},
		},
		Token:     g.Secrets.Secrets.BootstrapToken,
		CA:        g.authority(g.Secrets.Certs.K8s),
		Discovery: g.discovery(),
	}
	if g.controlPlane || g.Contract.since(8) {
		cluster.ClusterName = g.ClusterName
	}
	if g.controlPlane {
		g.controlPlaneParts(cluster)
	}
	return cluster
}

func (g *generator) controlPlaneParts(cluster *v1alpha1.ClusterConfig) {
	cluster.AESCBCEncryptionSecret = g.Secrets.Secrets.AESCBCEncryptionSecret
	if g.Contract.since(3) {
		cluster.SecretboxEncryptionSecret = g.Secrets.Secrets.SecretboxEncryptionSecret
	}
	cluster.AggregatorCA = g.authority(g.Secrets.Certs.K8sAggregator)
	cluster.ServiceAccount = &scalar.Key{Key: scalar.Base64(g.Secrets.Certs.K8sServiceAccount.Key)}
	cluster.APIServer = g.apiServer()
	cluster.ControllerManager = &v1alpha1.ControllerManagerConfig{Image: g.image("registry.k8s.io/kube-controller-manager")}
	cluster.Proxy = &v1alpha1.ProxyConfig{Image: g.image("registry.k8s.io/kube-proxy")}
	cluster.Scheduler = &v1alpha1.SchedulerConfig{Image: g.image("registry.k8s.io/kube-scheduler")}
	cluster.Etcd = &v1alpha1.EtcdConfig{CA: g.authority(g.Secrets.Certs.Etcd)}
}

func (g *generator) apiServer() *v1alpha1.APIServerConfig {
	server := &v1alpha1.APIServerConfig{
		Image:    g.image("registry.k8s.io/kube-apiserver"),
		CertSANs: g.AdditionalSANs,
	}
	if !g.Contract.since(12) {
		server.CertSANs = append([]string{g.endpoint.Hostname()}, g.AdditionalSANs...)
		server.DisablePodSecurityPolicy = yes()
	}
	if g.Contract.since(1) {
		server.AdmissionControl = []*v1alpha1.AdmissionPluginConfig{{Name: "PodSecurity", Configuration: podSecurity()}}
	}
	if g.Contract.since(3) {
		server.AuditPolicy = document.Freeform{
			"apiVersion": "audit.k8s.io/v1",
			"kind":       "Policy",
			"rules":      []any{map[string]any{"level": "Metadata"}},
		}
	}
	return server
}

// podSecurity lets workloads run that follow the baseline profile, and warns
// below the restricted one.
func podSecurity() document.Freeform {
	return document.Freeform{
		"apiVersion": "pod-security.admission.config.k8s.io/v1alpha1",
		"kind":       "PodSecurityConfiguration",
		"defaults": map[string]any{
			"enforce": "baseline", "enforce-version": "latest",
			"audit": "restricted", "audit-version": "latest",
			"warn": "restricted", "warn-version": "latest",
		},
		"exemptions": map[string]any{
			"usernames":      []any{},
			"runtimeClasses": []any{},
			"namespaces":     []any{"kube-system"},
		},
	}
}

func (g *generator) discovery() *v1alpha1.ClusterDiscoveryConfig {
	discovery := &v1alpha1.ClusterDiscoveryConfig{Enabled: &g.Discovery}
	discovery.Registries.Kubernetes.Disabled = yesIf(g.Contract.since(2))
	return discovery
}
