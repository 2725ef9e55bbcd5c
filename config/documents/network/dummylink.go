package network

import (
	"github.com/ichor-os/ichor/config/document"
	"github.com/ichor-os/ichor/config/documents/rules"
	"github.com/ichor-os/ichor/config/scalar"
)

// DummyLinkKind is the kind DummyLinkConfig.
var DummyLinkKind = &document.Kind{
	APIVersion: document.V1Alpha1, Kind: "DummyLinkConfig", Named: true, Since: "1.13",
	New:           func() document.Document { return new(DummyLinkConfig) },
	ConflictsWith: otherLinks("DummyLinkConfig"),
	Doc:           "Creates a dummy link, which holds addresses but sends nothing.",
	Example: `apiVersion: v1alpha1
kind: DummyLinkConfig
name: dummy0
addresses:
  - address: 198.51.100.7/32
`,
}

// DummyLinkConfig creates a dummy link.
type DummyLinkConfig struct {
	DocName      string              `yaml:"name" effect:"yes" cut:"network" doc:"Name of the link to create."`
	HardwareAddr scalar.HardwareAddr `yaml:"hardwareAddr,omitempty" effect:"yes" doc:"Hardware address of the link, in hex bytes with colons." default:"chosen by the kernel"`
	CommonLink   `yaml:",inline" effect:"yes"`
}

// Kind returns DummyLinkKind.
func (c *DummyLinkConfig) Kind() *document.Kind { return DummyLinkKind }

// Name is the link's name.
func (c *DummyLinkConfig) Name() string { return c.DocName }

// Validate checks the document.
func (c *DummyLinkConfig) Validate(v *document.Validation) {
	rules.NameGiven(v, c.DocName)
	c.validate(v)
	c.CommonLink.advise(v)
	adviseLinkName(v, c.DocName)
}
