package kubernetes

import (
	"net/netip"

	"github.com/ichor-os/ichor/config/document"
	"github.com/ichor-os/ichor/config/documents/rules"
	"github.com/ichor-os/ichor/config/documents/v1alpha1"
)

// KubeletKind is the kind KubeletConfig.
var KubeletKind = &document.Kind{
	APIVersion: document.V1Alpha1, Kind: "KubeletConfig", Since: "1.14",
	New: func() document.Document { return new(KubeletConfig) },
	Doc: "Runs the kubelet.",
	Example: `apiVersion: v1alpha1
kind: KubeletConfig
image: registry.example.com/kubelet:v1.36.3
config:
  maxPods: 180
clusterDNS:
  - 10.96.0.10
`,
}

// KubeletConfig runs the kubelet.
type KubeletConfig struct {
	Image                               string                       `yaml:"image" change:"restart=kubelet" doc:"Image of the kubelet, with its version."`
	Config                              document.Freeform            `yaml:"config,omitempty" change:"restart=kubelet" doc:"Further keys of KubeletConfiguration. Keys that the system sets itself are refused."`
	ExtraArgs                           map[string]v1alpha1.Argument `yaml:"extraArgs,omitempty" merge:"perkey" change:"restart=kubelet" doc:"Further flags, name to value. A list gives the flag several times."`
	ClusterDNS                          []string                     `yaml:"clusterDNS,omitempty" change:"restart=kubelet" doc:"Addresses of the cluster's name server." default:"the tenth address of the service network"`
	DefaultRuntimeSeccompProfileEnabled *bool                        `yaml:"defaultRuntimeSeccompProfileEnabled,omitempty" change:"restart=kubelet" doc:"Whether pods without a profile get the runtime's default one." default:"true"`
}

// systemKeys are the keys of KubeletConfiguration that the system sets itself.
var systemKeys = []string{
	"apiVersion", "authentication", "authorization", "cgroupRoot", "kind", "kubeletCgroups", "port", "protectKernelDefaults",
	"resolvConf", "rotateCertificates", "systemCgroups", "staticPodPath", "seccompDefault",
}

// Kind returns KubeletKind.
func (c *KubeletConfig) Kind() *document.Kind { return KubeletKind }

// Name is empty: there is one such document.
func (c *KubeletConfig) Name() string { return "" }

// Validate checks the document.
func (c *KubeletConfig) Validate(v *document.Validation) {
	rules.Image(v, "image", c.Image)
	validateFlags(v, c.ExtraArgs)

	for _, key := range systemKeys {
		if _, given := c.Config[key]; given {
			v.At("config").Errorf(key, "key is set by the system itself").Fix("remove it")
		}
	}

	for i, a := range c.ClusterDNS {
		if _, err := netip.ParseAddr(a); err != nil {
			v.Item("clusterDNS", i).Errorf("", "value is no IP address: %q", a).Fix("write 10.96.0.10")
		}
	}
}
