package network

import (
	"fmt"

	"go.yaml.in/yaml/v3"

	"github.com/ichor-os/ichor/config/document"
	"github.com/ichor-os/ichor/config/scalar"
)

// Enumerations of this domain. Names are those of the kernel's tools.
type (
	// VLANMode is a VLAN tag protocol.
	VLANMode = scalar.Enum[vlanModes]
	// BondMode is how a bond spreads packets over its links.
	BondMode = scalar.Enum[bondModes]
	// XmitHashPolicy is what a bond hashes to choose a link.
	XmitHashPolicy = scalar.Enum[xmitHashPolicies]
	// ARPValidate is which ARP probes and replies a bond checks.
	ARPValidate = scalar.Enum[arpValidates]
	// ARPAllTargets is how many ARP targets must answer.
	ARPAllTargets = scalar.Enum[arpAllTargets]
	// LACPRate is how often LACP partners are asked to send.
	LACPRate = scalar.Enum[lacpRates]
	// ADSelect is how a bond chooses its aggregator.
	ADSelect = scalar.Enum[adSelects]
	// ADLACPActive is whether a bond starts LACP itself.
	ADLACPActive = scalar.Enum[adLACPActives]
	// PrimaryReselect is when the primary link takes over again.
	PrimaryReselect = scalar.Enum[primaryReselects]
	// ClientIdentifier is how a DHCP client names itself.
	ClientIdentifier = scalar.Enum[clientIdentifiers]
	// WakeOnLANMode is an event that wakes a sleeping machine.
	WakeOnLANMode = scalar.Enum[wakeOnLANModes]
	// AutoHostname is how a node makes up a host name.
	AutoHostname = scalar.Enum[autoHostnames]
	// DefaultAction is what happens to packets that no rule names.
	DefaultAction = scalar.Enum[defaultActions]
	// Protocol is a protocol that firewall rules know.
	Protocol = scalar.Enum[protocols]
	// DNSProtocol is how a name server is asked.
	DNSProtocol = scalar.Enum[dnsProtocols]
	// RoutingRuleAction is what a routing rule does with a packet.
	RoutingRuleAction = scalar.Enum[routingRuleActions]
)

// Values that rules and nodes ask for.
const (
	VLANMode8021Q  VLANMode = "802.1q"
	VLANMode8021AD VLANMode = "802.1ad"

	BondModeActiveBackup BondMode = "active-backup"
	BondMode8023AD       BondMode = "802.3ad"
	BondModeBalanceTLB   BondMode = "balance-tlb"
	BondModeBalanceALB   BondMode = "balance-alb"
	BondModeBalanceRR    BondMode = "balance-rr"

	ADLACPActiveOn  ADLACPActive = "on"
	ADLACPActiveOff ADLACPActive = "off"

	ClientIdentifierNone ClientIdentifier = "none"
	ClientIdentifierMAC  ClientIdentifier = "mac"
	ClientIdentifierDUID ClientIdentifier = "duid"

	AutoHostnameStable AutoHostname = "stable"
	AutoHostnameOff    AutoHostname = "off"
	AutoHostnameAddr   AutoHostname = "talos-addr"

	DefaultActionAccept DefaultAction = "accept"
	DefaultActionBlock  DefaultAction = "block"

	ProtocolTCP    Protocol = "tcp"
	ProtocolUDP    Protocol = "udp"
	ProtocolICMP   Protocol = "icmp"
	ProtocolICMPv6 Protocol = "icmpv6"

	RoutingRuleUnicast     RoutingRuleAction = "unicast"
	RoutingRuleBlackhole   RoutingRuleAction = "blackhole"
	RoutingRuleUnreachable RoutingRuleAction = "unreachable"
	RoutingRuleProhibit    RoutingRuleAction = "prohibit"
)

type (
	vlanModes          struct{}
	bondModes          struct{}
	xmitHashPolicies   struct{}
	arpValidates       struct{}
	arpAllTargets      struct{}
	lacpRates          struct{}
	adSelects          struct{}
	adLACPActives      struct{}
	primaryReselects   struct{}
	clientIdentifiers  struct{}
	wakeOnLANModes     struct{}
	autoHostnames      struct{}
	defaultActions     struct{}
	protocols          struct{}
	dnsProtocols       struct{}
	routingRuleActions struct{}
)

func (vlanModes) Words() []string { return []string{"802.1q", "802.1ad"} }

func (bondModes) Words() []string {
	return []string{"balance-rr", "active-backup", "balance-xor", "broadcast", "802.3ad", "balance-tlb", "balance-alb"}
}

func (xmitHashPolicies) Words() []string {
	return []string{"layer2", "layer3+4", "layer2+3", "encap2+3", "encap3+4"}
}

func (arpValidates) Words() []string {
	return []string{"none", "active", "backup", "all", "filter", "filter-active", "filter-backup"}
}

func (arpAllTargets) Words() []string     { return []string{"any", "all"} }
func (lacpRates) Words() []string         { return []string{"slow", "fast"} }
func (adSelects) Words() []string         { return []string{"stable", "bandwidth", "count"} }
func (adLACPActives) Words() []string     { return []string{"on", "off"} }
func (primaryReselects) Words() []string  { return []string{"always", "better", "failure"} }
func (clientIdentifiers) Words() []string { return []string{"none", "mac", "duid"} }

func (wakeOnLANModes) Words() []string {
	return []string{"phy", "unicast", "multicast", "broadcast", "magic", "magicsecure", "filter"}
}

func (autoHostnames) Words() []string  { return []string{"stable", "off", "talos-addr"} }
func (defaultActions) Words() []string { return []string{"accept", "block"} }

// Default is the action that is written when none was given.
func (defaultActions) Default() string { return "accept" }

func (dnsProtocols) Words() []string { return []string{"Do53", "DoT", "DoH"} }

func (protocols) Words() []string { return []string{"tcp", "udp", "icmp", "icmpv6"} }

func (routingRuleActions) Words() []string {
	return []string{"unspec", "unicast", "blackhole", "unreachable", "prohibit"}
}

// Absent is the action that means: not given.
func (routingRuleActions) Absent() string { return "unspec" }

// FailOverMAC is which hardware address a bond carries after it has switched
// links: none, active or follow. The kernel's numbers 0 to 2 are read too.
type FailOverMAC string

var failOverMACs = []FailOverMAC{"none", "active", "follow"}

// DecodeYAML reads a word, in lower case, or its number.
func (f *FailOverMAC) DecodeYAML(n *yaml.Node) error {
	text, err := document.TextOf(n)
	if err != nil {
		return err
	}

	for i, word := range failOverMACs {
		if text == string(word) || text == fmt.Sprint(i) {
			*f = word

			return nil
		}
	}

	return fmt.Errorf("value %q: want one of none, active, follow", text)
}

// EncodeYAML writes the word.
func (f FailOverMAC) EncodeYAML() *yaml.Node { return document.Text(string(f)) }

// IsZero tells whether nothing was given.
func (f FailOverMAC) IsZero() bool { return f == "" }

// JSONSchema accepts the words and their numbers.
func (f FailOverMAC) JSONSchema() map[string]any {
	return map[string]any{"enum": []any{"none", "active", "follow", 0, 1, 2, "0", "1", "2"}}
}
