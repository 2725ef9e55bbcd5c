package network

import (
	"github.com/ichor-os/ichor/config/document"
	"github.com/ichor-os/ichor/config/documents/rules"
)

// StaticHostKind is the kind StaticHostConfig.
var StaticHostKind = &document.Kind{
	APIVersion: document.V1Alpha1, Kind: "StaticHostConfig", Named: true, Since: "1.13",
	New: func() document.Document { return new(StaticHostConfig) },
	Doc: "Adds an entry to the node's hosts file.",
	Example: `apiVersion: v1alpha1
kind: StaticHostConfig
name: 192.0.2.44
hostnames:
  - registry
  - registry.example.com
`,
}

// StaticHostConfig is an entry of the hosts file.
type StaticHostConfig struct {
	DocName   string   `yaml:"name" effect:"yes" doc:"Address that the names stand for."`
	Hostnames []string `yaml:"hostnames" effect:"yes" doc:"Names for the address."`
}

// Kind returns StaticHostKind.
func (c *StaticHostConfig) Kind() *document.Kind { return StaticHostKind }

// Name is the address.
func (c *StaticHostConfig) Name() string { return c.DocName }

// Validate checks the document.
func (c *StaticHostConfig) Validate(v *document.Validation) {
	rules.AddressName(v, c.DocName)

	if len(c.Hostnames) == 0 {
		v.Errorf("hostnames", "no host name is given").Fix("list at least one name")
	}

	for i, name := range c.Hostnames {
		adviseHostname(v.Item("hostnames", i), "", name)
	}
}
