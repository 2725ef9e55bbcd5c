package runtime

import (
	"maps"
	"slices"
	"strings"

	"github.com/ichor-os/ichor/config/document"
)

// SysctlKind is the kind SysctlConfig.
var SysctlKind = &document.Kind{
	APIVersion: document.V1Alpha1, Kind: "SysctlConfig", Since: "1.14",
	New: func() document.Document { return new(SysctlConfig) },
	Doc: "Sets kernel parameters below /proc/sys.",
	Example: `apiVersion: v1alpha1
kind: SysctlConfig
params:
  net.ipv4.ip_forward: "1"
`,
}

// SysctlConfig sets kernel parameters below /proc/sys.
type SysctlConfig struct {
	Params map[string]string `yaml:"params,omitempty" effect:"yes" doc:"Values by name; dots or slashes separate the parts of a name."`
}

// Kind returns SysctlKind.
func (c *SysctlConfig) Kind() *document.Kind { return SysctlKind }

// Name is empty: there is one such document.
func (c *SysctlConfig) Name() string { return "" }

// Validate checks the document.
func (c *SysctlConfig) Validate(v *document.Validation) {
	checkParams(v, c.Params)
}

// checkParams demands that names stay in their tree.
func checkParams(v *document.Validation, params map[string]string) {
	for _, name := range slices.Sorted(maps.Keys(params)) {
		if name == "" || strings.HasPrefix(name, "/") || strings.Contains(name, "..") {
			v.At("params").Errorf(name, "name is not valid: %q", name).Fix("use a name such as net.ipv4.ip_forward")
		}
	}
}
