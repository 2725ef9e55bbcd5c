package block

import (
	"time"

	"github.com/ichor-os/ichor/config/document"
	"github.com/ichor-os/ichor/config/documents/rules"
)

// FilesystemTrimKind is the kind FilesystemTrimConfig.
var FilesystemTrimKind = &document.Kind{
	APIVersion: document.V1Alpha1, Kind: "FilesystemTrimConfig", Since: "1.14",
	New: func() document.Document { return new(FilesystemTrimConfig) },
	Doc: "Tells disks from time to time which blocks mounted file systems no longer use.",
	Example: `apiVersion: v1alpha1
kind: FilesystemTrimConfig
interval: 168h0m0s
`,
}

// FilesystemTrimConfig sets up the upkeep of file systems.
type FilesystemTrimConfig struct {
	Interval time.Duration `yaml:"interval,omitempty" doc:"Time between two runs; 0 runs never." default:"168h0m0s"`
}

// Kind returns FilesystemTrimKind.
func (c *FilesystemTrimConfig) Kind() *document.Kind { return FilesystemTrimKind }

// Name is empty: there is one such document.
func (c *FilesystemTrimConfig) Name() string { return "" }

// Validate checks the document.
func (c *FilesystemTrimConfig) Validate(v *document.Validation) {
	rules.NotNegative(v, "interval", c.Interval)
}
