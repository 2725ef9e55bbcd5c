package runtime

import (
	"github.com/ichor-os/ichor/config/document"
)

// SysfsKind is the kind SysfsConfig.
var SysfsKind = &document.Kind{
	APIVersion: document.V1Alpha1, Kind: "SysfsConfig", Since: "1.14",
	New: func() document.Document { return new(SysfsConfig) },
	Doc: "Sets values below /sys.",
	Example: `apiVersion: v1alpha1
kind: SysfsConfig
params:
  devices.system.cpu.cpu0.cpufreq.scaling_governor: performance
`,
}

// SysfsConfig sets values below /sys.
type SysfsConfig struct {
	Params map[string]string `yaml:"params,omitempty" effect:"yes" doc:"Values by name; dots or slashes separate the parts of a name."`
}

// Kind returns SysfsKind.
func (c *SysfsConfig) Kind() *document.Kind { return SysfsKind }

// Name is empty: there is one such document.
func (c *SysfsConfig) Name() string { return "" }

// Validate checks the document.
func (c *SysfsConfig) Validate(v *document.Validation) {
	checkParams(v, c.Params)
}
