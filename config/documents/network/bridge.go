package network

import (
	"github.com/ichor-os/ichor/config/document"
	"github.com/ichor-os/ichor/config/documents/rules"
	"github.com/ichor-os/ichor/config/scalar"
)

// BridgeKind is the kind BridgeConfig.
var BridgeKind = &document.Kind{
	APIVersion: document.V1Alpha1, Kind: "BridgeConfig", Named: true, Since: "1.13",
	New:           func() document.Document { return new(BridgeConfig) },
	ConflictsWith: otherLinks("BridgeConfig"),
	Doc:           "Creates a bridge and puts links into it.",
	Example: `apiVersion: v1alpha1
kind: BridgeConfig
name: br0
links:
  - eth1
  - eth2
stp:
  enabled: true
addresses:
  - address: 192.0.2.1/24
`,
}

// BridgeConfig creates a bridge.
type BridgeConfig struct {
	DocName      string              `yaml:"name" doc:"Name of the bridge to create."`
	HardwareAddr scalar.HardwareAddr `yaml:"hardwareAddr,omitempty" doc:"Hardware address of the bridge, in hex bytes with colons." default:"that of a member"`
	Links        []string            `yaml:"links,omitempty" cut:"network" doc:"Names or aliases of the links that are members of the bridge."`
	STP          BridgeSTP           `yaml:"stp,omitempty" doc:"Spanning tree protocol."`
	VLAN         BridgeVLAN          `yaml:"vlan,omitempty" doc:"Handling of VLAN tags."`
	CommonLink   `yaml:",inline"`
}

// BridgeSTP sets up the spanning tree protocol.
type BridgeSTP struct {
	Enabled *bool `yaml:"enabled,omitempty" cut:"network" doc:"Whether the bridge takes part in the spanning tree protocol." default:"false"`
}

// BridgeVLAN sets up the handling of VLAN tags.
type BridgeVLAN struct {
	Filtering *bool `yaml:"filtering,omitempty" cut:"network" doc:"Whether the bridge passes only the VLANs that a port belongs to." default:"false"`
}

// Kind returns BridgeKind.
func (c *BridgeConfig) Kind() *document.Kind { return BridgeKind }

// Name is the bridge's name.
func (c *BridgeConfig) Name() string { return c.DocName }

// Validate checks the document.
func (c *BridgeConfig) Validate(v *document.Validation) {
	rules.NameGiven(v, c.DocName)
	c.validate(v)
	c.CommonLink.advise(v)
	adviseLinkName(v, c.DocName)
	adviseMembers(v, c.DocName, c.Links)
}
