package kubernetes

import (
	"github.com/ichor-os/ichor/config/document"
	"github.com/ichor-os/ichor/config/documents/rules"
)

// AdmissionControlKind is the kind KubeAdmissionControlConfig.
var AdmissionControlKind = &document.Kind{
	APIVersion: document.V1Alpha1, Kind: "KubeAdmissionControlConfig", Named: true, Since: "1.14",
	New: func() document.Document { return new(AdmissionControlConfig) },
	Doc: "Configures an admission plugin of the API server.",
	Example: `apiVersion: v1alpha1
kind: KubeAdmissionControlConfig
name: PodSecurity
configuration:
  apiVersion: pod-security.admission.config.k8s.io/v1
  kind: PodSecurityConfiguration
  defaults:
    enforce: baseline
`,
}

// AdmissionControlConfig is a document in Kubernetes' own form: configures an admission plugin of the API server.
type AdmissionControlConfig struct {
	DocName       string            `yaml:"name" change:"restart=kube-apiserver" doc:"Name of the plugin."`
	Configuration document.Freeform `yaml:"configuration,omitempty" change:"restart=kube-apiserver" doc:"The configuration, in Kubernetes' own form."`
}

// Kind returns AdmissionControlKind.
func (c *AdmissionControlConfig) Kind() *document.Kind { return AdmissionControlKind }

// Name is the name of the plugin.
func (c *AdmissionControlConfig) Name() string { return c.DocName }

// Validate checks the document.
func (c *AdmissionControlConfig) Validate(v *document.Validation) {
	rules.NameGiven(v, c.DocName)
	validateFreeform(v, "configuration", c.Configuration)
}
