package kubernetes

import (
	"slices"

	"github.com/ichor-os/ichor/config/document"
	"github.com/ichor-os/ichor/config/documents/rules"
	"github.com/ichor-os/ichor/config/documents/v1alpha1"
)

// ProxyKind is the kind KubeProxyConfig.
var ProxyKind = &document.Kind{
	APIVersion: document.V1Alpha1, Kind: "KubeProxyConfig", Since: "1.14",
	New: func() document.Document { return new(ProxyConfig) },
	Doc: "Runs kube-proxy on every node of the cluster.",
	Example: `apiVersion: v1alpha1
kind: KubeProxyConfig
enabled: true
image: registry.k8s.io/kube-proxy:v1.36.3
mode: nftables
`,
}

// ProxyConfig runs kube-proxy.
type ProxyConfig struct {
	Enabled   *bool                        `yaml:"enabled,omitempty" doc:"Whether kube-proxy runs." default:"true"`
	Image     string                       `yaml:"image" doc:"Image of kube-proxy, with its version."`
	Mode      string                       `yaml:"mode,omitempty" doc:"How services are reached: iptables, ipvs or nftables."`
	Config    document.Freeform            `yaml:"config,omitempty" doc:"KubeProxyConfiguration, in Kubernetes' own form."`
	ExtraArgs map[string]v1alpha1.Argument `yaml:"extraArgs,omitempty" merge:"perkey" change:"live" doc:"Further flags, name to value. A list gives the flag several times."`
	Resources *v1alpha1.ResourcesConfig    `yaml:"resources,omitempty" doc:"Share of the machine that kube-proxy may use."`
}

// Kind returns ProxyKind.
func (c *ProxyConfig) Kind() *document.Kind { return ProxyKind }

// Name is empty: there is one such document.
func (c *ProxyConfig) Name() string { return "" }

// Validate checks the document.
func (c *ProxyConfig) Validate(v *document.Validation) {
	rules.Image(v, "image", c.Image)
	validateResources(v, c.Resources)
	validateFlags(v, c.ExtraArgs)

	if c.Mode != "" && !slices.Contains([]string{"iptables", "ipvs", "nftables"}, c.Mode) {
		v.Advisef("mode", "kube-proxy does not know the mode %q", c.Mode).Fix("use iptables, ipvs or nftables")
	}
}
