package network

import (
	"github.com/ichor-os/ichor/config/document"
	"github.com/ichor-os/ichor/config/documents/rules"
)

const maxVLANID = 4094

// VLANKind is the kind VLANConfig.
var VLANKind = &document.Kind{
	APIVersion: document.V1Alpha1, Kind: "VLANConfig", Named: true, Since: "1.13",
	New:           func() document.Document { return new(VLANConfig) },
	ConflictsWith: otherLinks("VLANConfig"),
	Doc:           "Creates a VLAN link on top of another link.",
	Example: `apiVersion: v1alpha1
kind: VLANConfig
name: eth0.30
vlanID: 30
parent: eth0
addresses:
  - address: 192.0.2.5/24
`,
}

// VLANConfig creates a VLAN link.
type VLANConfig struct {
	DocName    string    `yaml:"name" doc:"Name of the link to create."`
	VLANID     uint16    `yaml:"vlanID,omitempty" cut:"network" doc:"VLAN identifier, 1 to 4094."`
	VLANMode   *VLANMode `yaml:"vlanMode,omitempty" cut:"network" doc:"Tag protocol: 802.1q for customer tags, 802.1ad for service tags." enum:"802.1q,802.1ad" default:"802.1q"`
	Parent     string    `yaml:"parent,omitempty" cut:"network" doc:"Name or alias of the link that carries the tagged packets."`
	CommonLink `yaml:",inline"`
}

// Kind returns VLANKind.
func (c *VLANConfig) Kind() *document.Kind { return VLANKind }

// Name is the link's name.
func (c *VLANConfig) Name() string { return c.DocName }

// Mode is the tag protocol in force: 802.1q unless said otherwise.
func (c *VLANConfig) Mode() VLANMode {
	if c.VLANMode == nil {
		return VLANMode8021Q
	}

	return *c.VLANMode
}

// Validate checks the document.
func (c *VLANConfig) Validate(v *document.Validation) {
	rules.NameGiven(v, c.DocName)

	if c.VLANID == 0 || c.VLANID > maxVLANID {
		v.Errorf("vlanID", "VLAN identifier is out of range: %d", c.VLANID).Fix("use a number from 1 to %d", maxVLANID)
	}

	rules.Given(v, "parent", c.Parent)
	c.validate(v)
	c.CommonLink.advise(v)
	adviseLinkName(v, c.DocName)
	adviseMembers(v, c.DocName, []string{c.Parent})
}
