package block

import (
	"time"

	"github.com/ichor-os/ichor/config/document"
	"github.com/ichor-os/ichor/config/documents/rules"
)

// FilesystemScrubKind is the kind FilesystemScrubConfig.
var FilesystemScrubKind = &document.Kind{
	APIVersion: document.V1Alpha1, Kind: "FilesystemScrubConfig", Since: "1.14",
	New: func() document.Document { return new(FilesystemScrubConfig) },
	Doc: "Checks mounted file systems for faults from time to time.",
	Example: `apiVersion: v1alpha1
kind: FilesystemScrubConfig
interval: 168h0m0s
`,
}

// FilesystemScrubConfig sets up the upkeep of file systems.
type FilesystemScrubConfig struct {
	Interval time.Duration `yaml:"interval,omitempty" doc:"Time between two runs; 0 runs never." default:"168h0m0s"`
}

// Kind returns FilesystemScrubKind.
func (c *FilesystemScrubConfig) Kind() *document.Kind { return FilesystemScrubKind }

// Name is empty: there is one such document.
func (c *FilesystemScrubConfig) Name() string { return "" }

// Validate checks the document.
func (c *FilesystemScrubConfig) Validate(v *document.Validation) {
	rules.NotNegative(v, "interval", c.Interval)
}
