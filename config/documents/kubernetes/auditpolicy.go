package kubernetes

import (
	"github.com/ichor-os/ichor/config/document"
)

// AuditPolicyKind is the kind KubeAuditPolicyConfig.
var AuditPolicyKind = &document.Kind{
	APIVersion: document.V1Alpha1, Kind: "KubeAuditPolicyConfig", Since: "1.14",
	New: func() document.Document { return new(AuditPolicyConfig) },
	Doc: "Says what the API server writes to its audit log.",
	Example: `apiVersion: v1alpha1
kind: KubeAuditPolicyConfig
configuration:
  apiVersion: audit.k8s.io/v1
  kind: Policy
  rules:
    - level: Metadata
`,
}

// AuditPolicyConfig is a document in Kubernetes' own form: says what the API server writes to its audit log.
type AuditPolicyConfig struct {
	Configuration document.Freeform `yaml:"configuration,omitempty" merge:"replace" change:"restart=kube-apiserver" doc:"The configuration, in Kubernetes' own form."`
}

// Kind returns AuditPolicyKind.
func (c *AuditPolicyConfig) Kind() *document.Kind { return AuditPolicyKind }

// Name is empty: there is one such document.
func (c *AuditPolicyConfig) Name() string { return "" }

// Validate checks the document.
func (c *AuditPolicyConfig) Validate(v *document.Validation) {
	validateFreeform(v, "configuration", c.Configuration)
}
