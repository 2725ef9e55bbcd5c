package spec

import (
	"net/netip"
)

// NfTablesChainSpec is the spec of [NfTablesChains].
type NfTablesChainSpec struct {
	Type     string                `yaml:"type" protobuf:"1"`
	Hook     NfTablesChainHook     `yaml:"hook" protobuf:"2"`
	Priority NfTablesChainPriority `yaml:"priority" protobuf:"3"`
	Policy   NfTablesVerdict       `yaml:"policy" protobuf:"5"`
	Rules    []NfTablesRule        `yaml:"rules" protobuf:"4"`
}

// NfTablesRule is a part of [NfTablesChainSpec].
type NfTablesRule struct {
	MatchIIfName            *NfTablesIfNameMatch         `yaml:"matchIIfName,omitempty" protobuf:"8"`
	MatchOIfName            *NfTablesIfNameMatch         `yaml:"matchOIfName,omitempty" protobuf:"1"`
	MatchMark               *NfTablesMark                `yaml:"matchMark,omitempty" protobuf:"3"`
	MatchConntrackState     *NfTablesConntrackStateMatch `yaml:"matchConntrackState,omitempty" protobuf:"11"`
	MatchSourceAddress      *NfTablesAddressMatch        `yaml:"matchSourceAddress,omitempty" protobuf:"5"`
	MatchDestinationAddress *NfTablesAddressMatch        `yaml:"matchDestinationAddress,omitempty" protobuf:"6"`
	MatchLayer4             *NfTablesLayer4Match         `yaml:"matchLayer4,omitempty" protobuf:"7"`
	MatchLimit              *NfTablesLimitMatch          `yaml:"matchLimit,omitempty" protobuf:"10"`
	ClampMSS                *NfTablesClampMSS            `yaml:"clampMSS,omitempty" protobuf:"9"`
	SetMark                 *NfTablesMark                `yaml:"setMark,omitempty" protobuf:"4"`
	AnonymousCounter        bool                         `yaml:"anonymousCounter,omitempty" protobuf:"12"`
	Verdict                 *NfTablesVerdict             `yaml:"verdict,omitempty" protobuf:"2"`
}

// NfTablesIfNameMatch is a part of [NfTablesRule].
type NfTablesIfNameMatch struct {
	InterfaceName []string      `yaml:"interfaceName" protobuf:"3"`
	Operator      MatchOperator `yaml:"operator" protobuf:"2"`
}

// NfTablesMark is a part of [NfTablesRule].
type NfTablesMark struct {
	Mask  uint32 `yaml:"mask,omitempty" protobuf:"1"`
	Xor   uint32 `yaml:"xor,omitempty" protobuf:"2"`
	Value uint32 `yaml:"value,omitempty" protobuf:"3"`
}

// NfTablesConntrackStateMatch is a part of [NfTablesRule].
type NfTablesConntrackStateMatch struct {
	States []ConntrackState `yaml:"states" protobuf:"1"`
}

// NfTablesAddressMatch is a part of [NfTablesRule].
type NfTablesAddressMatch struct {
	IncludeSubnets []netip.Prefix `yaml:"includeSubnets,omitempty" protobuf:"1"`
	ExcludeSubnets []netip.Prefix `yaml:"excludeSubnets,omitempty" protobuf:"2"`
	Invert         bool           `yaml:"invert,omitempty" protobuf:"3"`
}

// NfTablesLayer4Match is a part of [NfTablesRule].
type NfTablesLayer4Match struct {
	Protocol             Protocol               `yaml:"protocol" protobuf:"1"`
	MatchSourcePort      *NfTablesPortMatch     `yaml:"matchSourcePort,omitempty" protobuf:"2"`
	MatchDestinationPort *NfTablesPortMatch     `yaml:"matchDestinationPort,omitempty" protobuf:"3"`
	MatchICMPType        *NfTablesICMPTypeMatch `yaml:"matchICMPType,omitempty" protobuf:"4"`
}

// NfTablesPortMatch is a part of [NfTablesLayer4Match].
type NfTablesPortMatch struct {
	Ranges []PortRange `yaml:"ranges,omitempty" protobuf:"1"`
}

// PortRange is a part of [NfTablesPortMatch].
type PortRange struct {
	Lo uint16 `yaml:"lo" protobuf:"1"`
	Hi uint16 `yaml:"hi" protobuf:"2"`
}

// NfTablesICMPTypeMatch is a part of [NfTablesLayer4Match].
type NfTablesICMPTypeMatch struct {
	Types []ICMPType `yaml:"types" protobuf:"1"`
}

// NfTablesLimitMatch is a part of [NfTablesRule].
type NfTablesLimitMatch struct {
	PacketRatePerSecond uint64 `yaml:"packetRatePerSecond" protobuf:"1"`
}

// NfTablesClampMSS is a part of [NfTablesRule].
type NfTablesClampMSS struct {
	MTU uint16 `yaml:"mtu" protobuf:"1"`
}
