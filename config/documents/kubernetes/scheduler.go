package kubernetes

import (
	"github.com/ichor-os/ichor/config/document"
	"github.com/ichor-os/ichor/config/documents/rules"
	"github.com/ichor-os/ichor/config/documents/v1alpha1"
)

// SchedulerKind is the kind KubeSchedulerConfig.
var SchedulerKind = &document.Kind{
	APIVersion: document.V1Alpha1, Kind: "KubeSchedulerConfig", Since: "1.14",
	New: func() document.Document { return new(SchedulerConfig) },
	Doc: "Runs the Kubernetes scheduler on a control plane node.",
	Example: `apiVersion: v1alpha1
kind: KubeSchedulerConfig
enabled: true
image: registry.k8s.io/kube-scheduler:v1.36.3
config:
  parallelism: 24
`,
}

// SchedulerConfig runs the scheduler.
type SchedulerConfig struct {
	Enabled   *bool                        `yaml:"enabled,omitempty" change:"restart=kube-scheduler" doc:"Whether the scheduler runs here." default:"true"`
	Image     string                       `yaml:"image" change:"restart=kube-scheduler" doc:"Image of the scheduler, with its version."`
	Config    document.Freeform            `yaml:"config,omitempty" change:"restart=kube-scheduler" doc:"KubeSchedulerConfiguration, in Kubernetes' own form."`
	ExtraArgs map[string]v1alpha1.Argument `yaml:"extraArgs,omitempty" merge:"perkey" change:"restart=kube-scheduler" doc:"Further flags, name to value. A list gives the flag several times."`
	Env       map[string]string            `yaml:"env,omitempty" secret:"true" change:"restart=kube-scheduler" doc:"Environment variables of the scheduler."`
	Resources *v1alpha1.ResourcesConfig    `yaml:"resources,omitempty" change:"restart=kube-scheduler" doc:"Share of the machine that the scheduler may use."`
}

// Kind returns SchedulerKind.
func (c *SchedulerConfig) Kind() *document.Kind { return SchedulerKind }

// Name is empty: there is one such document.
func (c *SchedulerConfig) Name() string { return "" }

// Validate checks the document.
func (c *SchedulerConfig) Validate(v *document.Validation) {
	rules.Image(v, "image", c.Image)
	validateResources(v, c.Resources)
	validateFlags(v, c.ExtraArgs)
}
