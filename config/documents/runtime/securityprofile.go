package runtime

import (
	"github.com/ichor-os/ichor/config/document"
)

// SecurityProfileKind is the kind SecurityProfileConfig.
var SecurityProfileKind = &document.Kind{
	APIVersion: document.V1Alpha1, Kind: "SecurityProfileConfig", Since: "1.14",
	New: func() document.Document { return new(SecurityProfileConfig) },
	Doc: "Chooses how strictly the node keeps workloads apart from the system.",
	Example: `apiVersion: v1alpha1
kind: SecurityProfileConfig
workloadIsolation: true
`,
}

// SecurityProfileConfig chooses how strict the node is.
type SecurityProfileConfig struct {
	WorkloadIsolation *bool `yaml:"workloadIsolation,omitempty" change:"reboot" doc:"Whether workloads are kept apart from the system by mandatory rules." default:"false"`
}

// Kind returns SecurityProfileKind.
func (c *SecurityProfileConfig) Kind() *document.Kind { return SecurityProfileKind }

// Name is empty: there is one such document.
func (c *SecurityProfileConfig) Name() string { return "" }

// Validate accepts everything: there is nothing to check.
func (c *SecurityProfileConfig) Validate(*document.Validation) {}
