package network

import (
	"github.com/ichor-os/ichor/config/document"
	"github.com/ichor-os/ichor/config/documents/rules"
)

// HCloudVIPKind is the kind HCloudVIPConfig.
var HCloudVIPKind = &document.Kind{
	APIVersion: document.V1Alpha1, Kind: "HCloudVIPConfig", Named: true, Since: "1.13",
	New:           func() document.Document { return new(HCloudVIPConfig) },
	ConflictsWith: []string{"Layer2VIPConfig"},
	Doc:           "Shares an address among the control plane nodes on Hetzner Cloud: the node that holds it has the provider route it there.",
	Example: `apiVersion: v1alpha1
kind: HCloudVIPConfig
name: 198.51.100.1
link: eth1
apiToken: example-token
`,
}

// HCloudVIPConfig shares an address through the provider's API.
type HCloudVIPConfig struct {
	DocName  string `yaml:"name" doc:"Shared address, without prefix length."`
	Link     string `yaml:"link" cut:"network" doc:"Name or alias of the link that carries the address."`
	APIToken string `yaml:"apiToken" secret:"true" doc:"Token for the provider's API, with the right to change the address."`
}

// Kind returns HCloudVIPKind.
func (c *HCloudVIPConfig) Kind() *document.Kind { return HCloudVIPKind }

// Name is the shared address.
func (c *HCloudVIPConfig) Name() string { return c.DocName }

// Validate checks the document.
func (c *HCloudVIPConfig) Validate(v *document.Validation) {
	rules.AddressName(v, c.DocName)
	rules.Given(v, "link", c.Link)
	rules.Given(v, "apiToken", c.APIToken)
}
