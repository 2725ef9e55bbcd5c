package kubernetes

import (
	"github.com/ichor-os/ichor/config/document"
)

// AuthenticationKind is the kind KubeAuthenticationConfig.
var AuthenticationKind = &document.Kind{
	APIVersion: document.V1Alpha1, Kind: "KubeAuthenticationConfig", Since: "1.14",
	New: func() document.Document { return new(AuthenticationConfig) },
	Doc: "Says how the API server tells who calls.",
	Example: `apiVersion: v1alpha1
kind: KubeAuthenticationConfig
configuration:
  apiVersion: apiserver.config.k8s.io/v1
  kind: AuthenticationConfiguration
`,
}

// AuthenticationConfig is a document in Kubernetes' own form: says how the API server tells who calls.
type AuthenticationConfig struct {
	Configuration document.Freeform `yaml:"configuration,omitempty" change:"restart=kube-apiserver" doc:"The configuration, in Kubernetes' own form."`
}

// Kind returns AuthenticationKind.
func (c *AuthenticationConfig) Kind() *document.Kind { return AuthenticationKind }

// Name is empty: there is one such document.
func (c *AuthenticationConfig) Name() string { return "" }

// Validate checks the document.
func (c *AuthenticationConfig) Validate(v *document.Validation) {
	validateFreeform(v, "configuration", c.Configuration)
}
