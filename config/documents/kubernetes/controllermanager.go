package kubernetes

import (
	"github.com/ichor-os/ichor/config/document"
	"github.com/ichor-os/ichor/config/documents/rules"
	"github.com/ichor-os/ichor/config/documents/v1alpha1"
)

// ControllerManagerKind is the kind KubeControllerManagerConfig.
var ControllerManagerKind = &document.Kind{
	APIVersion: document.V1Alpha1, Kind: "KubeControllerManagerConfig", Since: "1.14",
	New: func() document.Document { return new(ControllerManagerConfig) },
	Doc: "Runs the Kubernetes controller manager on a control plane node.",
	Example: `apiVersion: v1alpha1
kind: KubeControllerManagerConfig
enabled: true
image: registry.k8s.io/kube-controller-manager:v1.36.3
extraArgs:
  node-monitor-grace-period: 40s
`,
}

// ControllerManagerConfig runs the controller manager.
type ControllerManagerConfig struct {
	Enabled   *bool                        `yaml:"enabled,omitempty" change:"restart=kube-controller-manager" doc:"Whether the controller manager runs here." default:"true"`
	Image     string                       `yaml:"image" change:"restart=kube-controller-manager" doc:"Image of the controller manager, with its version."`
	ExtraArgs map[string]v1alpha1.Argument `yaml:"extraArgs,omitempty" merge:"perkey" change:"restart=kube-controller-manager" doc:"Further flags, name to value. A list gives the flag several times."`
	Env       map[string]string            `yaml:"env,omitempty" secret:"true" change:"restart=kube-controller-manager" doc:"Environment variables of the controller manager."`
	Resources *v1alpha1.ResourcesConfig    `yaml:"resources,omitempty" change:"restart=kube-controller-manager" doc:"Share of the machine that the controller manager may use."`
}

// Kind returns ControllerManagerKind.
func (c *ControllerManagerConfig) Kind() *document.Kind { return ControllerManagerKind }

// Name is empty: there is one such document.
func (c *ControllerManagerConfig) Name() string { return "" }

// Validate checks the document.
func (c *ControllerManagerConfig) Validate(v *document.Validation) {
	rules.Image(v, "image", c.Image)
	validateResources(v, c.Resources)
	validateFlags(v, c.ExtraArgs)
}
