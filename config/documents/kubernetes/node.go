package kubernetes

import (
	"maps"
	"slices"

	"github.com/ichor-os/ichor/config/document"
	"github.com/ichor-os/ichor/config/documents/rules"
	"github.com/ichor-os/ichor/config/scalar"
)

// NodeKind is the kind KubeNodeConfig.
var NodeKind = &document.Kind{
	APIVersion: document.V1Alpha1, Kind: "KubeNodeConfig", Since: "1.14",
	New: func() document.Document { return new(NodeConfig) },
	Doc: "Says how the node registers with Kubernetes.",
	Example: `apiVersion: v1alpha1
kind: KubeNodeConfig
nodeIP:
  validSubnets:
    - 192.0.2.0/24
labels:
  topology.kubernetes.io/zone: z1
taints:
  dedicated: storage:NoSchedule
`,
}

// NodeConfig says how the node registers.
type NodeConfig struct {
	SkipNodeRegistration *bool             `yaml:"skipNodeRegistration,omitempty" change:"restart=kubelet" doc:"Whether the node does not register at all." default:"false"`
	RegisterWithFQDN     *bool             `yaml:"registerWithFQDN,omitempty" change:"restart=kubelet" doc:"Whether the node's name holds its domain." default:"false"`
	NodeIP               NodeIP            `yaml:"nodeIP,omitempty" change:"restart=kubelet" doc:"Which of the node's addresses it registers with."`
	Labels               map[string]string `yaml:"labels,omitempty" doc:"Labels of the node."`
	Annotations          map[string]string `yaml:"annotations,omitempty" doc:"Annotations of the node."`
	Taints               map[string]string `yaml:"taints,omitempty" doc:"Taints of the node: key to value:Effect."`
}

// NodeIP chooses among the node's addresses.
type NodeIP struct {
	ValidSubnets []string `yaml:"validSubnets,omitempty" doc:"Networks that the address must lie in; a leading ! excludes."`
}

// Kind returns NodeKind.
func (c *NodeConfig) Kind() *document.Kind { return NodeKind }

// Name is empty: there is one such document.
func (c *NodeConfig) Name() string { return "" }

// Validate checks the document.
func (c *NodeConfig) Validate(v *document.Validation) {
	for i, s := range c.NodeIP.ValidSubnets {
		if err := scalar.CheckSubnetFilter(s); err != nil {
			v.At("nodeIP").Item("validSubnets", i).Errorf("", "%s", err).Fix("write 10.0.0.0/8 or 10.0.0.1, with ! in front to exclude")
		}
	}

	for _, key := range slices.Sorted(maps.Keys(c.Labels)) {
		rules.LabelKey(v.At("labels"), key)
		rules.LabelValue(v.At("labels"), key, c.Labels[key])
	}

	for _, key := range slices.Sorted(maps.Keys(c.Annotations)) {
		rules.LabelKey(v.At("annotations"), key)
	}

	for _, key := range slices.Sorted(maps.Keys(c.Taints)) {
		rules.LabelKey(v.At("taints"), key)
		rules.Taint(v.At("taints"), key, c.Taints[key])
	}
}
