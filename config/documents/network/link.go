package network

import (
	"github.com/ichor-os/ichor/config/document"
	"github.com/ichor-os/ichor/config/documents/rules"
)

// LinkKind is the kind LinkConfig.
var LinkKind = &document.Kind{
	APIVersion: document.V1Alpha1, Kind: "LinkConfig", Named: true, Since: "1.13",
	New:           func() document.Document { return new(LinkConfig) },
	ConflictsWith: otherLinks("LinkConfig"),
	Doc:           "Configures a physical link that is there already: its state, addresses and routes.",
	Example: `apiVersion: v1alpha1
kind: LinkConfig
name: eth0
up: true
mtu: 1500
addresses:
  - address: 192.0.2.5/24
routes:
  - gateway: 192.0.2.1
`,
}

// LinkConfig configures an existing link.
type LinkConfig struct {
	DocName    string `yaml:"name" effect:"yes" cut:"network" doc:"Name or alias of the link."`
	CommonLink `yaml:",inline" effect:"yes"`
}

// Kind returns LinkKind.
func (c *LinkConfig) Kind() *document.Kind { return LinkKind }

// Name is the link's name.
func (c *LinkConfig) Name() string { return c.DocName }

// Validate checks the document.
func (c *LinkConfig) Validate(v *document.Validation) {
	rules.NameGiven(v, c.DocName)
	c.validate(v)
	c.CommonLink.advise(v)
}
