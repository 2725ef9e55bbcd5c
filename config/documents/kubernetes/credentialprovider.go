package kubernetes

import (
	"github.com/ichor-os/ichor/config/document"
)

// CredentialProviderKind is the kind KubeCredentialProviderConfig.
var CredentialProviderKind = &document.Kind{
	APIVersion: document.V1Alpha1, Kind: "KubeCredentialProviderConfig", Since: "1.14",
	New: func() document.Document { return new(CredentialProviderConfig) },
	Doc: "Has the kubelet ask programs for registry credentials.",
	Example: `apiVersion: v1alpha1
kind: KubeCredentialProviderConfig
configuration:
  apiVersion: kubelet.config.k8s.io/v1
  kind: CredentialProviderConfig
`,
}

// CredentialProviderConfig is a document in Kubernetes' own form: has the kubelet ask programs for registry credentials.
type CredentialProviderConfig struct {
	Configuration document.Freeform `yaml:"configuration,omitempty" change:"restart=kubelet" doc:"The configuration, in Kubernetes' own form."`
}

// Kind returns CredentialProviderKind.
func (c *CredentialProviderConfig) Kind() *document.Kind { return CredentialProviderKind }

// Name is empty: there is one such document.
func (c *CredentialProviderConfig) Name() string { return "" }

// Validate checks the document.
func (c *CredentialProviderConfig) Validate(v *document.Validation) {
	validateFreeform(v, "configuration", c.Configuration)
}
