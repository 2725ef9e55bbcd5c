package spec

import "github.com/ichor-os/ichor/resource/enum"

// LinkType is the hardware type of a link (linux/if_arp.h).
type LinkType uint16

// The values of LinkType.
const (
	LinkTypeNetrom             LinkType = 0
	LinkTypeEther              LinkType = 1
	LinkTypeEether             LinkType = 2
	LinkTypeAx25               LinkType = 3
	LinkTypePronet             LinkType = 4
	LinkTypeChaos              LinkType = 5
	LinkTypeIeee802            LinkType = 6
	LinkTypeArcnet             LinkType = 7
	LinkTypeAtalk              LinkType = 8
	LinkTypeDlci               LinkType = 15
	LinkTypeAtm                LinkType = 19
	LinkTypeMetricom           LinkType = 23
	LinkTypeIeee1394           LinkType = 24
	LinkTypeEui64              LinkType = 27
	LinkTypeInfiniband         LinkType = 32
	LinkTypeSlip               LinkType = 256
	LinkTypeCslip              LinkType = 257
	LinkTypeSlip6              LinkType = 258
	LinkTypeCslip6             LinkType = 259
	LinkTypeRsrvd              LinkType = 260
	LinkTypeAdapt              LinkType = 264
	LinkTypeRose               LinkType = 270
	LinkTypeX25                LinkType = 271
	LinkTypeHwx25              LinkType = 272
	LinkTypeCan                LinkType = 280
	LinkTypePpp                LinkType = 512
	LinkTypeHdlc               LinkType = 513
	LinkTypeLapb               LinkType = 516
	LinkTypeDdcmp              LinkType = 517
	LinkTypeRawhdlc            LinkType = 518
	LinkTypeTunnel             LinkType = 768
	LinkTypeTunnel6            LinkType = 769
	LinkTypeFrad               LinkType = 770
	LinkTypeSkip               LinkType = 771
	LinkTypeLoopback           LinkType = 772
	LinkTypeLocaltlk           LinkType = 773
	LinkTypeFddi               LinkType = 774
	LinkTypeBif                LinkType = 775
	LinkTypeSit                LinkType = 776
	LinkTypeIpddp              LinkType = 777
	LinkTypeIpgre              LinkType = 778
	LinkTypePimreg             LinkType = 779
	LinkTypeHippi              LinkType = 780
	LinkTypeAsh                LinkType = 781
	LinkTypeEconet             LinkType = 782
	LinkTypeIrda               LinkType = 783
	LinkTypeFcpp               LinkType = 784
	LinkTypeFcal               LinkType = 785
	LinkTypeFcpl               LinkType = 786
	LinkTypeFcfabric           LinkType = 787
	LinkTypeIeee802tr          LinkType = 800
	LinkTypeIeee80211          LinkType = 801
	LinkTypeIeee80211prism     LinkType = 802
	LinkTypeIeee80211Radiotap  LinkType = 803
	LinkTypeIeee8021154        LinkType = 804
	LinkTypeIeee8021154monitor LinkType = 805
	LinkTypePhonet             LinkType = 820
	LinkTypePhonetpipe         LinkType = 821
	LinkTypeCaif               LinkType = 822
	LinkTypeIp6gre             LinkType = 823
	LinkTypeNetlink            LinkType = 824
	LinkTypeLowPAN             LinkType = 825
	LinkTypeNone               LinkType = 65534
	LinkTypeVoid               LinkType = 65535
)

var linkTypeNames = enum.New(map[LinkType]string{
	LinkTypeNetrom:             "netrom",
	LinkTypeEther:              "ether",
	LinkTypeEether:             "eether",
	LinkTypeAx25:               "ax25",
	LinkTypePronet:             "pronet",
	LinkTypeChaos:              "chaos",
	LinkTypeIeee802:            "ieee802",
	LinkTypeArcnet:             "arcnet",
	LinkTypeAtalk:              "atalk",
	LinkTypeDlci:               "dlci",
	LinkTypeAtm:                "atm",
	LinkTypeMetricom:           "metricom",
	LinkTypeIeee1394:           "ieee1394",
	LinkTypeEui64:              "eui64",
	LinkTypeInfiniband:         "infiniband",
	LinkTypeSlip:               "slip",
	LinkTypeCslip:              "cslip",
	LinkTypeSlip6:              "slip6",
	LinkTypeCslip6:             "cslip6",
	LinkTypeRsrvd:              "rsrvd",
	LinkTypeAdapt:              "adapt",
	LinkTypeRose:               "rose",
	LinkTypeX25:                "x25",
	LinkTypeHwx25:              "hwx25",
	LinkTypeCan:                "can",
	LinkTypePpp:                "ppp",
	LinkTypeHdlc:               "hdlc",
	LinkTypeLapb:               "lapb",
	LinkTypeDdcmp:              "ddcmp",
	LinkTypeRawhdlc:            "rawhdlc",
	LinkTypeTunnel:             "tunnel",
	LinkTypeTunnel6:            "tunnel6",
	LinkTypeFrad:               "frad",
	LinkTypeSkip:               "skip",
	LinkTypeLoopback:           "loopback",
	LinkTypeLocaltlk:           "localtlk",
	LinkTypeFddi:               "fddi",
	LinkTypeBif:                "bif",
	LinkTypeSit:                "sit",
	LinkTypeIpddp:              "ipddp",
	LinkTypeIpgre:              "ipgre",
	LinkTypePimreg:             "pimreg",
	LinkTypeHippi:              "hippi",
	LinkTypeAsh:                "ash",
	LinkTypeEconet:             "econet",
	LinkTypeIrda:               "irda",
	LinkTypeFcpp:               "fcpp",
	LinkTypeFcal:               "fcal",
	LinkTypeFcpl:               "fcpl",
	LinkTypeFcfabric:           "fcfabric",
	LinkTypeIeee802tr:          "ieee802tr",
	LinkTypeIeee80211:          "ieee80211",
	LinkTypeIeee80211prism:     "ieee80211prism",
	LinkTypeIeee80211Radiotap:  "ieee80211_radiotap",
	LinkTypeIeee8021154:        "ieee8021154",
	LinkTypeIeee8021154monitor: "ieee8021154monitor",
	LinkTypePhonet:             "phonet",
	LinkTypePhonetpipe:         "phonetpipe",
	LinkTypeCaif:               "caif",
	LinkTypeIp6gre:             "ip6gre",
	LinkTypeNetlink:            "netlink",
	LinkTypeLowPAN:             "6lowpan",
	LinkTypeNone:               "none",
	LinkTypeVoid:               "void",
})

// String gives the word.
func (v LinkType) String() string { return linkTypeNames.Text(v) }

// MarshalText gives the word.
func (v LinkType) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText reads a word, or a number that has none.
func (v *LinkType) UnmarshalText(text []byte) error { return linkTypeNames.Parse(text, v) }

// VLANProtocol is the tag of a VLAN, by its EtherType.
type VLANProtocol uint16

// The values of VLANProtocol.
const (
	VLANProtocol8021q  VLANProtocol = 33024
	VLANProtocol8021ad VLANProtocol = 34984
)

var vlanProtocolNames = enum.New(map[VLANProtocol]string{
	VLANProtocol8021q:  "802.1q",
	VLANProtocol8021ad: "802.1ad",
})

// String gives the word.
func (v VLANProtocol) String() string { return vlanProtocolNames.Text(v) }

// MarshalText gives the word.
func (v VLANProtocol) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText reads a word, or a number that has none.
func (v *VLANProtocol) UnmarshalText(text []byte) error { return vlanProtocolNames.Parse(text, v) }

// BondMode is how a bond uses its links.
type BondMode uint8

// The values of BondMode.
const (
	BondModeBalanceRr    BondMode = 0
	BondModeActiveBackup BondMode = 1
	BondModeBalanceXor   BondMode = 2
	BondModeBroadcast    BondMode = 3
	BondMode8023ad       BondMode = 4
	BondModeBalanceTLB   BondMode = 5
	BondModeBalanceAlb   BondMode = 6
)

var bondModeNames = enum.New(map[BondMode]string{
	BondModeBalanceRr:    "balance-rr",
	BondModeActiveBackup: "active-backup",
	BondModeBalanceXor:   "balance-xor",
	BondModeBroadcast:    "broadcast",
	BondMode8023ad:       "802.3ad",
	BondModeBalanceTLB:   "balance-tlb",
	BondModeBalanceAlb:   "balance-alb",
})

// String gives the word.
func (v BondMode) String() string { return bondModeNames.Text(v) }

// MarshalText gives the word.
func (v BondMode) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText reads a word, or a number that has none.
func (v *BondMode) UnmarshalText(text []byte) error { return bondModeNames.Parse(text, v) }

// BondXmitHashPolicy is how a bond chooses a link.
type BondXmitHashPolicy uint8

// The values of BondXmitHashPolicy.
const (
	BondXmitHashPolicyLayer2  BondXmitHashPolicy = 0
	BondXmitHashPolicyLayer34 BondXmitHashPolicy = 1
	BondXmitHashPolicyLayer23 BondXmitHashPolicy = 2
	BondXmitHashPolicyEncap23 BondXmitHashPolicy = 3
	BondXmitHashPolicyEncap34 BondXmitHashPolicy = 4
)

var bondXmitHashPolicyNames = enum.New(map[BondXmitHashPolicy]string{
	BondXmitHashPolicyLayer2:  "layer2",
	BondXmitHashPolicyLayer34: "layer3+4",
	BondXmitHashPolicyLayer23: "layer2+3",
	BondXmitHashPolicyEncap23: "encap2+3",
	BondXmitHashPolicyEncap34: "encap3+4",
})

// String gives the word.
func (v BondXmitHashPolicy) String() string { return bondXmitHashPolicyNames.Text(v) }

// MarshalText gives the word.
func (v BondXmitHashPolicy) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText reads a word, or a number that has none.
func (v *BondXmitHashPolicy) UnmarshalText(text []byte) error {
	return bondXmitHashPolicyNames.Parse(text, v)
}

// LACPRate is how often LACP asks for packets.
type LACPRate uint8

// The values of LACPRate.
const (
	LACPRateSlow LACPRate = 0
	LACPRateFast LACPRate = 1
)

var lacpRateNames = enum.New(map[LACPRate]string{
	LACPRateSlow: "slow",
	LACPRateFast: "fast",
})

// String gives the word.
func (v LACPRate) String() string { return lacpRateNames.Text(v) }

// MarshalText gives the word.
func (v LACPRate) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText reads a word, or a number that has none.
func (v *LACPRate) UnmarshalText(text []byte) error { return lacpRateNames.Parse(text, v) }

// ARPValidate is which ARP answers a bond believes.
type ARPValidate uint32

// The values of ARPValidate.
const (
	ARPValidateNone         ARPValidate = 0
	ARPValidateActive       ARPValidate = 1
	ARPValidateBackup       ARPValidate = 2
	ARPValidateAll          ARPValidate = 3
	ARPValidateFilter       ARPValidate = 4
	ARPValidateFilterActive ARPValidate = 5
	ARPValidateFilterBackup ARPValidate = 6
)

var arpValidateNames = enum.New(map[ARPValidate]string{
	ARPValidateNone:         "none",
	ARPValidateActive:       "active",
	ARPValidateBackup:       "backup",
	ARPValidateAll:          "all",
	ARPValidateFilter:       "filter",
	ARPValidateFilterActive: "filter-active",
	ARPValidateFilterBackup: "filter-backup",
})

// String gives the word.
func (v ARPValidate) String() string { return arpValidateNames.Text(v) }

// MarshalText gives the word.
func (v ARPValidate) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText reads a word, or a number that has none.
func (v *ARPValidate) UnmarshalText(text []byte) error { return arpValidateNames.Parse(text, v) }

// ARPAllTargets is how many ARP targets must answer.
type ARPAllTargets uint32

// The values of ARPAllTargets.
const (
	ARPAllTargetsAny ARPAllTargets = 0
	ARPAllTargetsAll ARPAllTargets = 1
)

var arpAllTargetsNames = enum.New(map[ARPAllTargets]string{
	ARPAllTargetsAny: "any",
	ARPAllTargetsAll: "all",
})

// String gives the word.
func (v ARPAllTargets) String() string { return arpAllTargetsNames.Text(v) }

// MarshalText gives the word.
func (v ARPAllTargets) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText reads a word, or a number that has none.
func (v *ARPAllTargets) UnmarshalText(text []byte) error { return arpAllTargetsNames.Parse(text, v) }

// PrimaryReselect is when a bond returns to its primary link.
type PrimaryReselect uint8

// The values of PrimaryReselect.
const (
	PrimaryReselectAlways  PrimaryReselect = 0
	PrimaryReselectBetter  PrimaryReselect = 1
	PrimaryReselectFailure PrimaryReselect = 2
)

var primaryReselectNames = enum.New(map[PrimaryReselect]string{
	PrimaryReselectAlways:  "always",
	PrimaryReselectBetter:  "better",
	PrimaryReselectFailure: "failure",
})

// String gives the word.
func (v PrimaryReselect) String() string { return primaryReselectNames.Text(v) }

// MarshalText gives the word.
func (v PrimaryReselect) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText reads a word, or a number that has none.
func (v *PrimaryReselect) UnmarshalText(text []byte) error {
	return primaryReselectNames.Parse(text, v)
}

// FailOverMAC is which hardware address a bond shows.
type FailOverMAC uint8

// The values of FailOverMAC.
const (
	FailOverMACNone   FailOverMAC = 0
	FailOverMACActive FailOverMAC = 1
	FailOverMACFollow FailOverMAC = 2
)

var failOverMACNames = enum.New(map[FailOverMAC]string{
	FailOverMACNone:   "none",
	FailOverMACActive: "active",
	FailOverMACFollow: "follow",
})

// String gives the word.
func (v FailOverMAC) String() string { return failOverMACNames.Text(v) }

// MarshalText gives the word.
func (v FailOverMAC) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText reads a word, or a number that has none.
func (v *FailOverMAC) UnmarshalText(text []byte) error { return failOverMACNames.Parse(text, v) }

// ADSelect is how a bond chooses an aggregator.
type ADSelect uint8

// The values of ADSelect.
const (
	ADSelectStable    ADSelect = 0
	ADSelectBandwidth ADSelect = 1
	ADSelectCount     ADSelect = 2
)

var adSelectNames = enum.New(map[ADSelect]string{
	ADSelectStable:    "stable",
	ADSelectBandwidth: "bandwidth",
	ADSelectCount:     "count",
})

// String gives the word.
func (v ADSelect) String() string { return adSelectNames.Text(v) }

// MarshalText gives the word.
func (v ADSelect) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText reads a word, or a number that has none.
func (v *ADSelect) UnmarshalText(text []byte) error { return adSelectNames.Parse(text, v) }

// ADLACPActive is whether a bond speaks LACP first.
type ADLACPActive uint8

// The values of ADLACPActive.
const (
	ADLACPActiveOff ADLACPActive = 0
	ADLACPActiveOn  ADLACPActive = 1
)

var adlacpActiveNames = enum.New(map[ADLACPActive]string{
	ADLACPActiveOff: "off",
	ADLACPActiveOn:  "on",
})

// String gives the word.
func (v ADLACPActive) String() string { return adlacpActiveNames.Text(v) }

// MarshalText gives the word.
func (v ADLACPActive) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText reads a word, or a number that has none.
func (v *ADLACPActive) UnmarshalText(text []byte) error { return adlacpActiveNames.Parse(text, v) }

// RoutingTable is a routing table; most have only a number.
type RoutingTable uint32

// The values of RoutingTable.
const (
	RoutingTableUnspec  RoutingTable = 0
	RoutingTableDefault RoutingTable = 253
	RoutingTableMain    RoutingTable = 254
	RoutingTableLocal   RoutingTable = 255
)

var routingTableNames = enum.New(map[RoutingTable]string{
	RoutingTableUnspec:  "unspec",
	RoutingTableDefault: "default",
	RoutingTableMain:    "main",
	RoutingTableLocal:   "local",
})

// String gives the word.
func (v RoutingTable) String() string { return routingTableNames.Text(v) }

// MarshalText gives the word.
func (v RoutingTable) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText reads a word, or a number that has none.
func (v *RoutingTable) UnmarshalText(text []byte) error { return routingTableNames.Parse(text, v) }
