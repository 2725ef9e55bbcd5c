package cri

import (
	"strings"

	"github.com/ichor-os/ichor/config/document"
	"github.com/ichor-os/ichor/config/documents/rules"
)

// CustomizationKind is the kind CRICustomizationConfig.
var CustomizationKind = &document.Kind{
	APIVersion: document.V1Alpha1, Kind: "CRICustomizationConfig", Named: true, Since: "1.14",
	New: func() document.Document { return new(CustomizationConfig) },
	Doc: "Adds a part to containerd's configuration.",
	Example: `apiVersion: v1alpha1
kind: CRICustomizationConfig
name: 20-metrics
content: |
  [metrics]
    address = "127.0.0.1:11234"
`,
}

// CustomizationConfig adds to containerd's configuration.
type CustomizationConfig struct {
	DocName string `yaml:"name" change:"reboot" effect:"yes" doc:"Name of the part; parts are read in the order of their names."`
	Content string `yaml:"content,omitempty" change:"reboot" effect:"yes" doc:"The part, in TOML."`
}

// Kind returns CustomizationKind.
func (c *CustomizationConfig) Kind() *document.Kind { return CustomizationKind }

// Name is the name of the part.
func (c *CustomizationConfig) Name() string { return c.DocName }

// Validate checks the document.
func (c *CustomizationConfig) Validate(v *document.Validation) {
	if rules.NameGiven(v, c.DocName) && strings.Contains(c.DocName, "/") {
		v.Errorf("name", "name holds a slash: %q", c.DocName).Fix("use the name of a file, without folder")
	}

	rules.Given(v, "content", c.Content)
}
