package network

import (
	"github.com/ichor-os/ichor/config/document"
	"github.com/ichor-os/ichor/config/documents/rules"
	"github.com/ichor-os/ichor/config/scalar"
)

// VRFKind is the kind VRFConfig.
var VRFKind = &document.Kind{
	APIVersion: document.V1Alpha1, Kind: "VRFConfig", Named: true, Since: "1.13",
	New:           func() document.Document { return new(VRFConfig) },
	ConflictsWith: otherLinks("VRFConfig"),
	Doc:           "Creates a virtual routing and forwarding domain: links in it use a routing table of their own.",
	Example: `apiVersion: v1alpha1
kind: VRFConfig
name: vrf-storage
links:
  - eth1
table: "100"
`,
}

// VRFConfig creates a VRF link.
type VRFConfig struct {
	DocName      string              `yaml:"name" doc:"Name of the VRF link to create."`
	HardwareAddr scalar.HardwareAddr `yaml:"hardwareAddr,omitempty" doc:"Hardware address of the link, in hex bytes with colons." default:"chosen by the kernel"`
	Links        []string            `yaml:"links,omitempty" cut:"network" doc:"Names or aliases of the links that belong to the domain."`
	Table        scalar.RoutingTable `yaml:"table" cut:"network" doc:"Routing table of the domain, 1 to 252."`
	CommonLink   `yaml:",inline"`
}

// Kind returns VRFKind.
func (c *VRFConfig) Kind() *document.Kind { return VRFKind }

// Name is the link's name.
func (c *VRFConfig) Name() string { return c.DocName }

// Validate checks the document.
func (c *VRFConfig) Validate(v *document.Validation) {
	rules.NameGiven(v, c.DocName)

	switch c.Table {
	case scalar.TableUnspec:
		v.Errorf("table", "table is missing").Fix("use a number from 1 to 252")
	case scalar.TableDefault, scalar.TableMain, scalar.TableLocal:
		v.Errorf("table", "table is reserved: %s", c.Table).Fix("use a number from 1 to 252")
	}

	c.validate(v)
	c.CommonLink.advise(v)
	adviseLinkName(v, c.DocName)
	adviseMembers(v, c.DocName, c.Links)
}
