package kubernetes

import (
	"github.com/ichor-os/ichor/config/document"
	"github.com/ichor-os/ichor/config/documents/v1alpha1"
)

// FlannelCNIKind is the kind KubeFlannelCNIConfig.
var FlannelCNIKind = &document.Kind{
	APIVersion: document.V1Alpha1, Kind: "KubeFlannelCNIConfig", Since: "1.14",
	New: func() document.Document { return new(FlannelCNIConfig) },
	Doc: "Runs flannel as the network of pods.",
	Example: `apiVersion: v1alpha1
kind: KubeFlannelCNIConfig
backendType: vxlan
backendPort: 4789
kubeNetworkPoliciesEnabled: true
`,
}

// FlannelCNIConfig runs flannel.
type FlannelCNIConfig struct {
	BackendType                string                    `yaml:"backendType,omitempty" cut:"network" doc:"How packets travel between nodes, such as vxlan or host-gw." default:"vxlan"`
	BackendPort                uint16                    `yaml:"backendPort,omitempty" cut:"network" doc:"UDP port of the tunnel." default:"4789"`
	BackendMTU                 uint32                    `yaml:"backendMTU,omitempty" cut:"network" doc:"Largest packet, in bytes." default:"that of the node's link less the tunnel's header"`
	BackendExtraConfig         document.Freeform         `yaml:"backendExtraConfig,omitempty" cut:"network" doc:"Further keys of flannel's backend."`
	Resources                  *v1alpha1.ResourcesConfig `yaml:"resources,omitempty" doc:"Share of the machine that flannel may use."`
	ExtraArgs                  []string                  `yaml:"extraArgs,omitempty" doc:"Further flags of flanneld."`
	KubeNetworkPoliciesEnabled *bool                     `yaml:"kubeNetworkPoliciesEnabled,omitempty" doc:"Whether network policies are enforced." default:"false"`
}

// Kind returns FlannelCNIKind.
func (c *FlannelCNIConfig) Kind() *document.Kind { return FlannelCNIKind }

// Name is empty: there is one such document.
func (c *FlannelCNIConfig) Name() string { return "" }

// Validate checks the document.
func (c *FlannelCNIConfig) Validate(v *document.Validation) {
	validateResources(v, c.Resources)
}
