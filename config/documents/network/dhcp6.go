package network

import (
	"github.com/ichor-os/ichor/config/document"
	"github.com/ichor-os/ichor/config/documents/rules"
)

// DHCPv6Kind is the kind DHCPv6Config.
var DHCPv6Kind = &document.Kind{
	APIVersion: document.V1Alpha1, Kind: "DHCPv6Config", Named: true, Since: "1.13",
	New: func() document.Document { return new(DHCPv6Config) },
	Doc: "Runs a DHCPv6 client on a link.",
	Example: `apiVersion: v1alpha1
kind: DHCPv6Config
name: eth0
clientIdentifier: duid
duidRaw: 00:03:00:01:02:00:5e:10:00:07
`,
}

// DHCPv6Config runs a DHCPv6 client.
type DHCPv6Config struct {
	DocName      string `yaml:"name" effect:"yes" change:"live" cut:"network" doc:"Name or alias of the link that asks for a lease."`
	DHCPLease    `yaml:",inline"`
	DHCPIdentity `yaml:",inline"`
}

// Kind returns DHCPv6Kind.
func (c *DHCPv6Config) Kind() *document.Kind { return DHCPv6Kind }

// Name is the link's name.
func (c *DHCPv6Config) Name() string { return c.DocName }

// Validate checks the document.
func (c *DHCPv6Config) Validate(v *document.Validation) {
	rules.NameGiven(v, c.DocName)
	c.validate(v)
}
