package network

import (
	"github.com/ichor-os/ichor/config/document"
	"github.com/ichor-os/ichor/config/documents/rules"
)

// Layer2VIPKind is the kind Layer2VIPConfig.
var Layer2VIPKind = &document.Kind{
	APIVersion: document.V1Alpha1, Kind: "Layer2VIPConfig", Named: true, Since: "1.13",
	New:           func() document.Document { return new(Layer2VIPConfig) },
	ConflictsWith: []string{"HCloudVIPConfig"},
	Doc:           "Shares an address among the control plane nodes: one of them holds it and announces it on the local network.",
	Example: `apiVersion: v1alpha1
kind: Layer2VIPConfig
name: 192.0.2.100
link: eth0
`,
}

// Layer2VIPConfig shares an address.
type Layer2VIPConfig struct {
	DocName string `yaml:"name" effect:"yes" change:"live" cut:"network" doc:"Shared address, without prefix length."`
	Link    string `yaml:"link" effect:"yes" change:"live" cut:"network" doc:"Name or alias of the link that carries the address."`
}

// Kind returns Layer2VIPKind.
func (c *Layer2VIPConfig) Kind() *document.Kind { return Layer2VIPKind }

// Name is the shared address.
func (c *Layer2VIPConfig) Name() string { return c.DocName }

// Validate checks the document.
func (c *Layer2VIPConfig) Validate(v *document.Validation) {
	rules.AddressName(v, c.DocName)
	rules.Given(v, "link", c.Link)
}
