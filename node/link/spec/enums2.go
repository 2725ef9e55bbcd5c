package spec

import "github.com/ichor-os/ichor/resource/enum"

// LinkFlags are the flags of a link (linux/if.h).
type LinkFlags uint32

// The values of LinkFlags.
const (
	LinkFlagUp           LinkFlags = 1
	LinkFlagBroadcast    LinkFlags = 2
	LinkFlagDebug        LinkFlags = 4
	LinkFlagLoopback     LinkFlags = 8
	LinkFlagPointtopoint LinkFlags = 16
	LinkFlagNotrailers   LinkFlags = 32
	LinkFlagRunning      LinkFlags = 64
	LinkFlagNoarp        LinkFlags = 128
	LinkFlagPromisc      LinkFlags = 256
	LinkFlagAllmulti     LinkFlags = 512
	LinkFlagMaster       LinkFlags = 1024
	LinkFlagSlave        LinkFlags = 2048
	LinkFlagMulticast    LinkFlags = 4096
	LinkFlagPortsel      LinkFlags = 8192
	LinkFlagAutomedia    LinkFlags = 16384
	LinkFlagDynamic      LinkFlags = 32768
	LinkFlagLowerUp      LinkFlags = 65536
	LinkFlagDormant      LinkFlags = 131072
	LinkFlagEcho         LinkFlags = 262144
)

var linkFlagsNames = enum.New(map[LinkFlags]string{
	LinkFlagUp:           "UP",
	LinkFlagBroadcast:    "BROADCAST",
	LinkFlagDebug:        "DEBUG",
	LinkFlagLoopback:     "LOOPBACK",
	LinkFlagPointtopoint: "POINTTOPOINT",
	LinkFlagNotrailers:   "NOTRAILERS",
	LinkFlagRunning:      "RUNNING",
	LinkFlagNoarp:        "NOARP",
	LinkFlagPromisc:      "PROMISC",
	LinkFlagAllmulti:     "ALLMULTI",
	LinkFlagMaster:       "MASTER",
	LinkFlagSlave:        "SLAVE",
	LinkFlagMulticast:    "MULTICAST",
	LinkFlagPortsel:      "PORTSEL",
	LinkFlagAutomedia:    "AUTOMEDIA",
	LinkFlagDynamic:      "DYNAMIC",
	LinkFlagLowerUp:      "LOWER_UP",
	LinkFlagDormant:      "DORMANT",
	LinkFlagEcho:         "ECHO",
})

// String gives the words of the flags.
func (f LinkFlags) String() string { return linkFlagsNames.FlagsText(f, ",") }

// MarshalText gives what String does.
func (f LinkFlags) MarshalText() ([]byte, error) { return []byte(f.String()), nil }

// UnmarshalText reads what MarshalText gives.
func (f *LinkFlags) UnmarshalText(text []byte) error { return linkFlagsNames.ParseFlags(text, ",", f) }

// OperationalState is the state of a link (RFC 2863).
type OperationalState uint8

// The values of OperationalState.
const (
	OperationalStateUnknown        OperationalState = 0
	OperationalStateNotPresent     OperationalState = 1
	OperationalStateDown           OperationalState = 2
	OperationalStateLowerLayerDown OperationalState = 3
	OperationalStateTesting        OperationalState = 4
	OperationalStateDormant        OperationalState = 5
	OperationalStateUp             OperationalState = 6
)

var operationalStateNames = enum.New(map[OperationalState]string{
	OperationalStateUnknown:        "unknown",
	OperationalStateNotPresent:     "notPresent",
	OperationalStateDown:           "down",
	OperationalStateLowerLayerDown: "lowerLayerDown",
	OperationalStateTesting:        "testing",
	OperationalStateDormant:        "dormant",
	OperationalStateUp:             "up",
})

// String gives the word.
func (v OperationalState) String() string { return operationalStateNames.Text(v) }

// MarshalText gives the word.
func (v OperationalState) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText reads a word, or a number that has none.
func (v *OperationalState) UnmarshalText(text []byte) error {
	return operationalStateNames.Parse(text, v)
}

// Port is the connector of a network card (linux/ethtool.h).
type Port int32

// The values of Port.
const (
	PortTwistedPair  Port = 0
	PortAui          Port = 1
	PortMii          Port = 2
	PortFibre        Port = 3
	PortBnc          Port = 4
	PortDirectAttach Port = 5
	PortNone         Port = 239
	PortOther        Port = 255
)

var portNames = enum.New(map[Port]string{
	PortTwistedPair:  "TwistedPair",
	PortAui:          "AUI",
	PortMii:          "MII",
	PortFibre:        "Fibre",
	PortBnc:          "BNC",
	PortDirectAttach: "DirectAttach",
	PortNone:         "None",
	PortOther:        "Other",
})

// String gives the word.
func (v Port) String() string { return portNames.Text(v) }

// MarshalText gives the word.
func (v Port) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText reads a word, or a number that has none.
func (v *Port) UnmarshalText(text []byte) error { return portNames.Parse(text, v) }

// Duplex is the duplex mode of a link (linux/ethtool.h).
type Duplex int32

// The values of Duplex.
const (
	DuplexHalf    Duplex = 0
	DuplexFull    Duplex = 1
	DuplexUnknown Duplex = 255
)

var duplexNames = enum.New(map[Duplex]string{
	DuplexHalf:    "Half",
	DuplexFull:    "Full",
	DuplexUnknown: "Unknown",
})

// String gives the word.
func (v Duplex) String() string { return duplexNames.Text(v) }

// MarshalText gives the word.
func (v Duplex) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText reads a word, or a number that has none.
func (v *Duplex) UnmarshalText(text []byte) error { return duplexNames.Parse(text, v) }

// Scope is how far an address or route reaches (rtnetlink).
type Scope uint8

// The values of Scope.
const (
	ScopeGlobal  Scope = 0
	ScopeSite    Scope = 200
	ScopeLink    Scope = 253
	ScopeHost    Scope = 254
	ScopeNowhere Scope = 255
)

var scopeNames = enum.New(map[Scope]string{
	ScopeGlobal:  "global",
	ScopeSite:    "site",
	ScopeLink:    "link",
	ScopeHost:    "host",
	ScopeNowhere: "nowhere",
})

// String gives the word.
func (v Scope) String() string { return scopeNames.Text(v) }

// MarshalText gives the word.
func (v Scope) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText reads a word, or a number that has none.
func (v *Scope) UnmarshalText(text []byte) error { return scopeNames.Parse(text, v) }

// AddressFlags are the flags of an address (linux/if_addr.h).
type AddressFlags uint32

// The values of AddressFlags.
const (
	AddressFlagTemporary     AddressFlags = 1
	AddressFlagNodad         AddressFlags = 2
	AddressFlagOptimistic    AddressFlags = 4
	AddressFlagDadfailed     AddressFlags = 8
	AddressFlagHome          AddressFlags = 16
	AddressFlagDeprecated    AddressFlags = 32
	AddressFlagTentative     AddressFlags = 64
	AddressFlagPermanent     AddressFlags = 128
	AddressFlagMngmtmpaddr   AddressFlags = 256
	AddressFlagNoprefixroute AddressFlags = 512
	AddressFlagMcautojoin    AddressFlags = 1024
	AddressFlagStableprivacy AddressFlags = 2048
)

var addressFlagsNames = enum.New(map[AddressFlags]string{
	AddressFlagTemporary:     "temporary",
	AddressFlagNodad:         "nodad",
	AddressFlagOptimistic:    "optimistic",
	AddressFlagDadfailed:     "dadfailed",
	AddressFlagHome:          "home",
	AddressFlagDeprecated:    "deprecated",
	AddressFlagTentative:     "tentative",
	AddressFlagPermanent:     "permanent",
	AddressFlagMngmtmpaddr:   "mngmtmpaddr",
	AddressFlagNoprefixroute: "noprefixroute",
	AddressFlagMcautojoin:    "mcautojoin",
	AddressFlagStableprivacy: "stableprivacy",
})

// String gives the words of the flags.
func (f AddressFlags) String() string { return addressFlagsNames.FlagsText(f, ",") }

// MarshalText gives what String does.
func (f AddressFlags) MarshalText() ([]byte, error) { return []byte(f.String()), nil }

// UnmarshalText reads what MarshalText gives.
func (f *AddressFlags) UnmarshalText(text []byte) error {
	return addressFlagsNames.ParseFlags(text, ",", f)
}

// RouteType is what a route does with packets (rtnetlink).
type RouteType uint8

// The values of RouteType.
const (
	RouteTypeUnspec      RouteType = 0
	RouteTypeUnicast     RouteType = 1
	RouteTypeLocal       RouteType = 2
	RouteTypeBroadcast   RouteType = 3
	RouteTypeAnycast     RouteType = 4
	RouteTypeMulticast   RouteType = 5
	RouteTypeBlackhole   RouteType = 6
	RouteTypeUnreachable RouteType = 7
	RouteTypeProhibit    RouteType = 8
	RouteTypeThrow       RouteType = 9
	RouteTypeNat         RouteType = 10
	RouteTypeXresolve    RouteType = 11
)

var routeTypeNames = enum.New(map[RouteType]string{
	RouteTypeUnspec:      "unspec",
	RouteTypeUnicast:     "unicast",
	RouteTypeLocal:       "local",
	RouteTypeBroadcast:   "broadcast",
	RouteTypeAnycast:     "anycast",
	RouteTypeMulticast:   "multicast",
	RouteTypeBlackhole:   "blackhole",
	RouteTypeUnreachable: "unreachable",
	RouteTypeProhibit:    "prohibit",
	RouteTypeThrow:       "throw",
	RouteTypeNat:         "nat",
	RouteTypeXresolve:    "xresolve",
})

// String gives the word.
func (v RouteType) String() string { return routeTypeNames.Text(v) }

// MarshalText gives the word.
func (v RouteType) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText reads a word, or a number that has none.
func (v *RouteType) UnmarshalText(text []byte) error { return routeTypeNames.Parse(text, v) }

// RouteFlags are the flags of a route (linux/rtnetlink.h).
type RouteFlags uint32

// The values of RouteFlags.
const (
	RouteFlagNotify      RouteFlags = 256
	RouteFlagCloned      RouteFlags = 512
	RouteFlagEqualize    RouteFlags = 1024
	RouteFlagPrefix      RouteFlags = 2048
	RouteFlagLookuptable RouteFlags = 4096
	RouteFlagFibmatch    RouteFlags = 8192
	RouteFlagOffload     RouteFlags = 16384
	RouteFlagTrap        RouteFlags = 32768
)

var routeFlagsNames = enum.New(map[RouteFlags]string{
	RouteFlagNotify:      "notify",
	RouteFlagCloned:      "cloned",
	RouteFlagEqualize:    "equalize",
	RouteFlagPrefix:      "prefix",
	RouteFlagLookuptable: "lookuptable",
	RouteFlagFibmatch:    "fibmatch",
	RouteFlagOffload:     "offload",
	RouteFlagTrap:        "trap",
})

// String gives the words of the flags.
func (f RouteFlags) String() string { return routeFlagsNames.FlagsText(f, ",") }

// MarshalText gives what String does.
func (f RouteFlags) MarshalText() ([]byte, error) { return []byte(f.String()), nil }

// UnmarshalText reads what MarshalText gives.
func (f *RouteFlags) UnmarshalText(text []byte) error {
	return routeFlagsNames.ParseFlags(text, ",", f)
}

// RouteProtocol is who made a route (rtnetlink).
type RouteProtocol uint8

// The values of RouteProtocol.
const (
	RouteProtocolUnspec     RouteProtocol = 0
	RouteProtocolRedirect   RouteProtocol = 1
	RouteProtocolKernel     RouteProtocol = 2
	RouteProtocolBoot       RouteProtocol = 3
	RouteProtocolStatic     RouteProtocol = 4
	RouteProtocolRa         RouteProtocol = 9
	RouteProtocolMrt        RouteProtocol = 10
	RouteProtocolZebra      RouteProtocol = 11
	RouteProtocolBird       RouteProtocol = 12
	RouteProtocolDnrouted   RouteProtocol = 13
	RouteProtocolXorp       RouteProtocol = 14
	RouteProtocolNtk        RouteProtocol = 15
	RouteProtocolDhcp       RouteProtocol = 16
	RouteProtocolMrtd       RouteProtocol = 17
	RouteProtocolKeepalived RouteProtocol = 18
	RouteProtocolBabel      RouteProtocol = 42
	RouteProtocolOpenr      RouteProtocol = 99
	RouteProtocolBgp        RouteProtocol = 186
	RouteProtocolIsis       RouteProtocol = 187
	RouteProtocolOspf       RouteProtocol = 188
	RouteProtocolRip        RouteProtocol = 189
	RouteProtocolEigrp      RouteProtocol = 192
)

var routeProtocolNames = enum.New(map[RouteProtocol]string{
	RouteProtocolUnspec:     "unspec",
	RouteProtocolRedirect:   "redirect",
	RouteProtocolKernel:     "kernel",
	RouteProtocolBoot:       "boot",
	RouteProtocolStatic:     "static",
	RouteProtocolRa:         "ra",
	RouteProtocolMrt:        "mrt",
	RouteProtocolZebra:      "zebra",
	RouteProtocolBird:       "bird",
	RouteProtocolDnrouted:   "dnrouted",
	RouteProtocolXorp:       "xorp",
	RouteProtocolNtk:        "ntk",
	RouteProtocolDhcp:       "dhcp",
	RouteProtocolMrtd:       "mrtd",
	RouteProtocolKeepalived: "keepalived",
	RouteProtocolBabel:      "babel",
	RouteProtocolOpenr:      "openr",
	RouteProtocolBgp:        "bgp",
	RouteProtocolIsis:       "isis",
	RouteProtocolOspf:       "ospf",
	RouteProtocolRip:        "rip",
	RouteProtocolEigrp:      "eigrp",
})

// String gives the word.
func (v RouteProtocol) String() string { return routeProtocolNames.Text(v) }

// MarshalText gives the word.
func (v RouteProtocol) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText reads a word, or a number that has none.
func (v *RouteProtocol) UnmarshalText(text []byte) error { return routeProtocolNames.Parse(text, v) }

// RoutingRuleAction is what a routing rule does.
type RoutingRuleAction uint8

// The values of RoutingRuleAction.
const (
	RoutingRuleActionUnspec      RoutingRuleAction = 0
	RoutingRuleActionUnicast     RoutingRuleAction = 1
	RoutingRuleActionBlackhole   RoutingRuleAction = 6
	RoutingRuleActionUnreachable RoutingRuleAction = 7
	RoutingRuleActionProhibit    RoutingRuleAction = 8
)

var routingRuleActionNames = enum.New(map[RoutingRuleAction]string{
	RoutingRuleActionUnspec:      "unspec",
	RoutingRuleActionUnicast:     "unicast",
	RoutingRuleActionBlackhole:   "blackhole",
	RoutingRuleActionUnreachable: "unreachable",
	RoutingRuleActionProhibit:    "prohibit",
})

// String gives the word.
func (v RoutingRuleAction) String() string { return routingRuleActionNames.Text(v) }

// MarshalText gives the word.
func (v RoutingRuleAction) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText reads a word, or a number that has none.
func (v *RoutingRuleAction) UnmarshalText(text []byte) error {
	return routingRuleActionNames.Parse(text, v)
}

// Operator is what finds out addresses.
type Operator int32

// The values of Operator.
const (
	OperatorDhcp4 Operator = 0
	OperatorDhcp6 Operator = 1
	OperatorVIP   Operator = 2
)

var operatorNames = enum.New(map[Operator]string{
	OperatorDhcp4: "dhcp4",
	OperatorDhcp6: "dhcp6",
	OperatorVIP:   "vip",
})

// String gives the word.
func (v Operator) String() string { return operatorNames.Text(v) }

// MarshalText gives the word.
func (v Operator) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText reads a word, or a number that has none.
func (v *Operator) UnmarshalText(text []byte) error { return operatorNames.Parse(text, v) }
