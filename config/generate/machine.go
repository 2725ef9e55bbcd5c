package generate

import (
	"github.com/ichor-os/ichor/config/documents/v1alpha1"
	"github.com/ichor-os/ichor/config/scalar"
	"github.com/ichor-os/ichor/pki"
)

// Images of a machine besides the control plane's.
const kubeletImage = "ghcr.io/siderolabs/kubelet"

// excludeFromLoadBalancers keeps control plane machines out of the load
// balancers that clouds make for services.
const excludeFromLoadBalancers = "node.kubernetes.io/exclude-from-external-load-balancers"

// generator makes the documents of one role.
type generator struct {
	Options
	controlPlane bool
	endpoint     *scalar.URL
}

func (g *generator) mainDocument(role Role) *v1alpha1.Config {
	return &v1alpha1.Config{
		Version: "v1alpha1",
		Debug:   new(bool),
		Persist: yes(),
		Machine: g.machine(role),
		Cluster: g.cluster(),
	}
}

func (g *generator) machine(role Role) *v1alpha1.MachineConfig {
	machine := &v1alpha1.MachineConfig{
		Type:     string(role),
		Token:    g.Secrets.TrustdInfo.Token,
		CA:       g.authority(g.Secrets.Certs.OS),
		CertSANs: g.AdditionalSANs,
		Kubelet:  g.kubelet(),
		Install: &v1alpha1.InstallConfig{
			Disk:              g.InstallDisk,
			Image:             g.InstallImage,
			Wipe:              new(bool),
			GrubUseUKICmdline: yesIf(g.Contract.since(12)),
		},
		Features:   g.features(),
		Registries: g.registries(),
	}
	if !g.Contract.since(13) {
		machine.Network = &v1alpha1.NetworkConfig{}
		if g.KubeSpan {
			machine.Network.KubeSpan = &v1alpha1.NetworkKubeSpan{Enabled: yes()}
		}
	}
	if g.controlPlane && g.Contract.since(8) {
		machine.NodeLabels = map[string]string{excludeFromLoadBalancers: ""}
	}
	return machine
}

func (g *generator) kubelet() *v1alpha1.KubeletConfig {
	return &v1alpha1.KubeletConfig{
		Image:                 g.image(kubeletImage),
		DefaultRuntimeSeccomp: yesIf(g.Contract.since(2)),
		DisableManifests:      yesIf(g.Contract.since(3)),
	}
}

func (g *generator) features() *v1alpha1.FeaturesConfig {
	features := &v1alpha1.FeaturesConfig{
		DiskQuotaSupport: yesIf(g.Contract.since(5)),
	}
	if !g.Contract.since(12) {
		features.RBAC = yes()
		features.StableHostname = yesIf(g.Contract.since(2))
		features.ApidCheckExtKeyUsage = yesIf(g.Contract.since(3))
	}
	if g.Contract.since(6) {
		features.KubePrism = &v1alpha1.KubePrism{Enabled: yes(), Port: 7445}
	}
	if g.Contract.since(7) {
		features.HostDNS = &v1alpha1.HostDNSConfig{Enabled: yes(), ForwardKubeDNSToHost: yesIf(g.Contract.since(8))}
	}
	return features
}

// registries are the mirrors where they are not documents of their own.
func (g *generator) registries() v1alpha1.RegistriesConfig {
	if g.Contract.since(12) {
		return v1alpha1.RegistriesConfig{}
	}
	mirrors := map[string]*v1alpha1.RegistryMirrorConfig{}
	for _, mirror := range g.Mirrors {
		mirrors[mirror.Registry] = &v1alpha1.RegistryMirrorConfig{Endpoints: mirror.Endpoints}
	}
	// Machines of 1.2 were made when Kubernetes' images were moving to another registry.
	if g.Contract.since(2) && !g.Contract.since(3) && mirrors["k8s.gcr.io"] == nil {
		mirrors["k8s.gcr.io"] = &v1alpha1.RegistryMirrorConfig{Endpoints: []string{"https://registry.k8s.io", "https://k8s.gcr.io"}}
	}
	return v1alpha1.RegistriesConfig{Mirrors: mirrors}
}

// authority returns a pair for the config, without the key for a worker.
func (g *generator) authority(pair pki.Pair) *scalar.CertificateAndKey {
	ca := &scalar.CertificateAndKey{Crt: pair.Crt}
	if g.controlPlane {
		ca.Key = pair.Key
	}
	return ca
}

// image names an image with the tag of the Kubernetes version.
func (g *generator) image(repository string) string {
	if g.KubernetesVersion == "" {
		return ""
	}
	return repository + ":v" + g.KubernetesVersion
}

func yes() *bool { return yesIf(true) }

// yesIf is true where a condition holds and absent where not.
func yesIf(condition bool) *bool {
	if !condition {
		return nil
	}
	return &condition
}
