package runtime

import (
	"io/fs"

	"github.com/ichor-os/ichor/config/document"
	"github.com/ichor-os/ichor/config/documents/rules"
	"github.com/ichor-os/ichor/config/scalar"
)

// EtcFileKind is the kind EtcFileConfig.
var EtcFileKind = &document.Kind{
	APIVersion: document.V1Alpha1, Kind: "EtcFileConfig", Named: true, Since: "1.14",
	New: func() document.Document { return new(EtcFileConfig) },
	Doc: "Puts a file below /etc.",
	Example: `apiVersion: v1alpha1
kind: EtcFileConfig
name: multipath.conf
mode: 0o644
contents: |
  defaults {
  }
`,
}

// EtcFileConfig puts a file below /etc.
type EtcFileConfig struct {
	DocName  string           `yaml:"name" doc:"Path of the file below /etc."`
	Mode     *scalar.FileMode `yaml:"mode,omitempty" doc:"Permissions of the file." default:"0o644"`
	Contents string           `yaml:"contents,omitempty" doc:"What the file holds."`
}

// Kind returns EtcFileKind.
func (c *EtcFileConfig) Kind() *document.Kind { return EtcFileKind }

// Name is the file's path.
func (c *EtcFileConfig) Name() string { return c.DocName }

// Validate checks the document.
func (c *EtcFileConfig) Validate(v *document.Validation) {
	if rules.NameGiven(v, c.DocName) && !fs.ValidPath(c.DocName) {
		v.Errorf("name", "name is no path below /etc: %q", c.DocName).Fix("use a path such as multipath.conf or foo/bar.conf, without .. and leading slash")
	}

	if c.Mode != nil && *c.Mode > maxMode {
		v.Errorf("mode", "permissions are out of range: %s", *c.Mode).Fix("use at most 0o777")
	}
}

const maxMode = 0o777
