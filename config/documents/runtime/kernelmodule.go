package runtime

import (
	"strings"

	"github.com/ichor-os/ichor/config/document"
	"github.com/ichor-os/ichor/config/documents/rules"
)

// KernelModuleKind is the kind KernelModuleConfig.
var KernelModuleKind = &document.Kind{
	APIVersion: document.V1Alpha1, Kind: "KernelModuleConfig", Named: true, Since: "1.14",
	New: func() document.Document { return new(KernelModuleConfig) },
	Doc: "Loads a kernel module.",
	Example: `apiVersion: v1alpha1
kind: KernelModuleConfig
name: br_netfilter
parameters:
  - nf_conntrack_max=131072
`,
}

// KernelModuleConfig loads a kernel module.
type KernelModuleConfig struct {
	DocName    string   `yaml:"name" effect:"yes" doc:"Name of the module."`
	Parameters []string `yaml:"parameters,omitempty" change:"reboot" effect:"yes" doc:"Parameters of the module: NAME=value."`
}

// Kind returns KernelModuleKind.
func (c *KernelModuleConfig) Kind() *document.Kind { return KernelModuleKind }

// Name is the module's name.
func (c *KernelModuleConfig) Name() string { return c.DocName }

// Validate checks the document.
func (c *KernelModuleConfig) Validate(v *document.Validation) {
	if rules.NameGiven(v, c.DocName) && strings.ContainsAny(c.DocName, "/ ") {
		v.Errorf("name", "name is no module: %q", c.DocName).Fix("use the module's name, without path and ending")
	}
}
