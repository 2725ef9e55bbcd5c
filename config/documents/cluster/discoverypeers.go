package cluster

import (
	"net/netip"
	"regexp"

	"github.com/ichor-os/ichor/config/document"
)

// DiscoveryPeersKind is the kind DiscoveryPeersConfig.
var DiscoveryPeersKind = &document.Kind{
	APIVersion: document.IchorV1Alpha1, Kind: "DiscoveryPeersConfig", Since: "1.13",
	New: func() document.Document { return new(DiscoveryPeersConfig) },
	Doc: "Names nodes of the cluster that are asked for the others, so that nodes find each other without a service on the internet.",
	Example: `apiVersion: ichor.dev/v1alpha1
kind: DiscoveryPeersConfig
peers:
  - 192.0.2.11
  - node-2.example.com
  - '[2001:db8::13]:50001'
`,
}

// DiscoveryPeersConfig names nodes to ask for the others.
type DiscoveryPeersConfig struct {
	Peers []string `yaml:"peers" effect:"yes" change:"reboot" doc:"Addresses or names of nodes, with a port where it is not 50001."`
}

// Kind returns DiscoveryPeersKind.
func (c *DiscoveryPeersConfig) Kind() *document.Kind { return DiscoveryPeersKind }

// Name is empty: there is one such document.
func (c *DiscoveryPeersConfig) Name() string { return "" }

// Validate checks the document.
func (c *DiscoveryPeersConfig) Validate(v *document.Validation) {
	if len(c.Peers) == 0 {
		v.Errorf("peers", "no node is given").Fix("list at least one node, or remove the document")
	}

	for i, p := range c.Peers {
		if !peerPattern.MatchString(p) {
			if _, err := netip.ParseAddr(p); err != nil {
				v.Item("peers", i).Errorf("", "value is no node: %q", p).Fix("use an address or a name, with a port if it is not 50001")
			}
		}
	}
}

// peerPattern matches a name, an IPv4 address or an IPv6 address in brackets,
// with an optional port.
var peerPattern = regexp.MustCompile(`^([A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?|\[[0-9a-fA-F:]+\])(:[0-9]{1,5})?$`)
