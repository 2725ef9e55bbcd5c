package spec

import "github.com/ichor-os/ichor/resource/enum"

// NfTablesChainHook is where a chain sits.
type NfTablesChainHook int32

// The values of NfTablesChainHook.
const (
	NfTablesChainHookPrerouting  NfTablesChainHook = 0
	NfTablesChainHookInput       NfTablesChainHook = 1
	NfTablesChainHookForward     NfTablesChainHook = 2
	NfTablesChainHookOutput      NfTablesChainHook = 3
	NfTablesChainHookPostrouting NfTablesChainHook = 4
)

var nfTablesChainHookNames = enum.New(map[NfTablesChainHook]string{
	NfTablesChainHookPrerouting:  "prerouting",
	NfTablesChainHookInput:       "input",
	NfTablesChainHookForward:     "forward",
	NfTablesChainHookOutput:      "output",
	NfTablesChainHookPostrouting: "postrouting",
})

// String gives the word.
func (v NfTablesChainHook) String() string { return nfTablesChainHookNames.Text(v) }

// MarshalText gives the word.
func (v NfTablesChainHook) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText reads a word, or a number that has none.
func (v *NfTablesChainHook) UnmarshalText(text []byte) error {
	return nfTablesChainHookNames.Parse(text, v)
}

// NfTablesChainPriority is the order of chains at a hook.
type NfTablesChainPriority int32

// The values of NfTablesChainPriority.
const (
	NfTablesChainPriorityFirst           NfTablesChainPriority = -2147483648
	NfTablesChainPriorityConntrackDefrag NfTablesChainPriority = -400
	NfTablesChainPriorityRaw             NfTablesChainPriority = -300
	NfTablesChainPrioritySELinuxFirst    NfTablesChainPriority = -225
	NfTablesChainPriorityConntrack       NfTablesChainPriority = -200
	NfTablesChainPriorityMangle          NfTablesChainPriority = -150
	NfTablesChainPriorityDstnat          NfTablesChainPriority = -100
	NfTablesChainPriorityFilter          NfTablesChainPriority = 0
	NfTablesChainPrioritySecurity        NfTablesChainPriority = 50
	NfTablesChainPrioritySrcnat          NfTablesChainPriority = 100
	NfTablesChainPrioritySELinuxLast     NfTablesChainPriority = 225
	NfTablesChainPriorityConntrackHelper NfTablesChainPriority = 300
	NfTablesChainPriorityLast            NfTablesChainPriority = 2147483647
)

var nfTablesChainPriorityNames = enum.New(map[NfTablesChainPriority]string{
	NfTablesChainPriorityFirst:           "first",
	NfTablesChainPriorityConntrackDefrag: "conntrack-defrag",
	NfTablesChainPriorityRaw:             "raw",
	NfTablesChainPrioritySELinuxFirst:    "selinux-first",
	NfTablesChainPriorityConntrack:       "conntrack",
	NfTablesChainPriorityMangle:          "mangle",
	NfTablesChainPriorityDstnat:          "dstnat",
	NfTablesChainPriorityFilter:          "filter",
	NfTablesChainPrioritySecurity:        "security",
	NfTablesChainPrioritySrcnat:          "srcnat",
	NfTablesChainPrioritySELinuxLast:     "selinux-last",
	NfTablesChainPriorityConntrackHelper: "conntrack-helper",
	NfTablesChainPriorityLast:            "last",
})

// String gives the word.
func (v NfTablesChainPriority) String() string { return nfTablesChainPriorityNames.Text(v) }

// MarshalText gives the word.
func (v NfTablesChainPriority) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText reads a word, or a number that has none.
func (v *NfTablesChainPriority) UnmarshalText(text []byte) error {
	return nfTablesChainPriorityNames.Parse(text, v)
}

// NfTablesVerdict is what becomes of a packet.
type NfTablesVerdict int32

// The values of NfTablesVerdict.
const (
	NfTablesVerdictDrop   NfTablesVerdict = 0
	NfTablesVerdictAccept NfTablesVerdict = 1
)

var nfTablesVerdictNames = enum.New(map[NfTablesVerdict]string{
	NfTablesVerdictDrop:   "drop",
	NfTablesVerdictAccept: "accept",
})

// String gives the word.
func (v NfTablesVerdict) String() string { return nfTablesVerdictNames.Text(v) }

// MarshalText gives the word.
func (v NfTablesVerdict) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText reads a word, or a number that has none.
func (v *NfTablesVerdict) UnmarshalText(text []byte) error {
	return nfTablesVerdictNames.Parse(text, v)
}

// MatchOperator is how a value is compared.
type MatchOperator int32

// The values of MatchOperator.
const (
	MatchOperatorEqual    MatchOperator = 0
	MatchOperatorNotEqual MatchOperator = 1
)

var matchOperatorNames = enum.New(map[MatchOperator]string{
	MatchOperatorEqual:    "==",
	MatchOperatorNotEqual: "!=",
})

// String gives the word.
func (v MatchOperator) String() string { return matchOperatorNames.Text(v) }

// MarshalText gives the word.
func (v MatchOperator) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText reads a word, or a number that has none.
func (v *MatchOperator) UnmarshalText(text []byte) error { return matchOperatorNames.Parse(text, v) }

// ConntrackState is what connection tracking knows of a packet.
type ConntrackState uint32

// The values of ConntrackState.
const (
	ConntrackStateInvalid     ConntrackState = 1
	ConntrackStateEstablished ConntrackState = 2
	ConntrackStateRelated     ConntrackState = 4
	ConntrackStateNew         ConntrackState = 8
)

var conntrackStateNames = enum.New(map[ConntrackState]string{
	ConntrackStateInvalid:     "invalid",
	ConntrackStateEstablished: "established",
	ConntrackStateRelated:     "related",
	ConntrackStateNew:         "new",
})

// String gives the word.
func (v ConntrackState) String() string { return conntrackStateNames.Text(v) }

// MarshalText gives the word.
func (v ConntrackState) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText reads a word, or a number that has none.
func (v *ConntrackState) UnmarshalText(text []byte) error { return conntrackStateNames.Parse(text, v) }

// Protocol is a protocol above IP.
type Protocol uint8

// The values of Protocol.
const (
	ProtocolICMP   Protocol = 1
	ProtocolTCP    Protocol = 6
	ProtocolUdp    Protocol = 17
	ProtocolIcmpv6 Protocol = 58
)

var protocolNames = enum.New(map[Protocol]string{
	ProtocolICMP:   "icmp",
	ProtocolTCP:    "tcp",
	ProtocolUdp:    "udp",
	ProtocolIcmpv6: "icmpv6",
})

// String gives the word.
func (v Protocol) String() string { return protocolNames.Text(v) }

// MarshalText gives the word.
func (v Protocol) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText reads a word, or a number that has none.
func (v *Protocol) UnmarshalText(text []byte) error { return protocolNames.Parse(text, v) }

// ICMPType is a type of ICMP message.
type ICMPType uint8

// The values of ICMPType.
const (
	ICMPTypeTimestampRequest   ICMPType = 13
	ICMPTypeTimestampReply     ICMPType = 14
	ICMPTypeAddressMaskRequest ICMPType = 17
	ICMPTypeAddressMaskReply   ICMPType = 18
)

var icmpTypeNames = enum.New(map[ICMPType]string{
	ICMPTypeTimestampRequest:   "timestamp-request",
	ICMPTypeTimestampReply:     "timestamp-reply",
	ICMPTypeAddressMaskRequest: "address-mask-request",
	ICMPTypeAddressMaskReply:   "address-mask-reply",
})

// String gives the word.
func (v ICMPType) String() string { return icmpTypeNames.Text(v) }

// MarshalText gives the word.
func (v ICMPType) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText reads a word, or a number that has none.
func (v *ICMPType) UnmarshalText(text []byte) error { return icmpTypeNames.Parse(text, v) }
