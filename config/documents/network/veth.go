package network

import (
	"github.com/ichor-os/ichor/config/document"
	"github.com/ichor-os/ichor/config/documents/rules"
)

// VethKind is the kind VethConfig.
var VethKind = &document.Kind{
	APIVersion: document.V1Alpha1, Kind: "VethConfig", Named: true, Since: "1.14",
	New:           func() document.Document { return new(VethConfig) },
	ConflictsWith: otherLinks("VethConfig"),
	Doc:           "Creates a pair of virtual Ethernet links, joined like the ends of a cable.",
	Example: `apiVersion: v1alpha1
kind: VethConfig
name: veth0
peer:
  name: veth1
addresses:
  - address: 192.0.2.1/31
`,
}

// VethConfig creates a pair of links.
type VethConfig struct {
	DocName    string   `yaml:"name" doc:"Name of the first end."`
	Peer       VethPeer `yaml:"peer" cut:"network" doc:"The other end."`
	CommonLink `yaml:",inline"`
}

// VethPeer is the other end of the pair.
type VethPeer struct {
	Name       string `yaml:"name" doc:"Name of the other end."`
	CommonLink `yaml:",inline"`
}

// Kind returns VethKind.
func (c *VethConfig) Kind() *document.Kind { return VethKind }

// Name is the name of the first end.
func (c *VethConfig) Name() string { return c.DocName }

// Validate checks the document.
func (c *VethConfig) Validate(v *document.Validation) {
	rules.NameGiven(v, c.DocName)

	peer := v.At("peer")

	if rules.Given(peer, "name", c.Peer.Name) && c.Peer.Name == c.DocName {
		peer.Errorf("name", "both ends have the same name: %q", c.DocName).Fix("give the other end a name of its own")
	}

	c.validate(v)
	c.Peer.validate(peer)
	c.CommonLink.advise(v)
	c.Peer.CommonLink.advise(peer)
	adviseLinkName(v, c.DocName)
}
