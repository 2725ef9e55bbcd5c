package lifecycle

import (
	"time"

	"github.com/ichor-os/ichor/config/document"
)

// BootHealthKind is the kind BootHealthConfig.
var BootHealthKind = &document.Kind{
	APIVersion: document.IchorV1Alpha1, Kind: "BootHealthConfig", Since: "1.13",
	New: func() document.Document { return new(BootHealthConfig) },
	Doc: "Says how long a new version of the system may take to become healthy before the node goes back to the old one.",
	Example: `apiVersion: ichor.dev/v1alpha1
kind: BootHealthConfig
timeout: 15m0s
`,
}

// BootHealthConfig bounds the first boot of a new version.
type BootHealthConfig struct {
	Timeout time.Duration `yaml:"timeout" doc:"Time from the start of the new version until its API answers and, on a node that was ready before, the kubelet is ready again; at least 1m." default:"10m"`
}

// minTimeout leaves time for images to be read from a slow disk.
const minTimeout = time.Minute

// Kind returns BootHealthKind.
func (c *BootHealthConfig) Kind() *document.Kind { return BootHealthKind }

// Name is empty: there is one such document.
func (c *BootHealthConfig) Name() string { return "" }

// Validate checks the document.
func (c *BootHealthConfig) Validate(v *document.Validation) {
	if c.Timeout < minTimeout {
		v.Errorf("timeout", "time is too short: %s", c.Timeout).Fix("use %s or more", minTimeout)
	}
}
