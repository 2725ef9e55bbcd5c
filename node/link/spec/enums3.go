package spec

import "github.com/ichor-os/ichor/resource/enum"

// ClientIdentifier is how a DHCP client names itself.
type ClientIdentifier int32

// The values of ClientIdentifier.
const (
	ClientIdentifierNone ClientIdentifier = 0
	ClientIdentifierMAC  ClientIdentifier = 1
	ClientIdentifierDUID ClientIdentifier = 2
)

var clientIdentifierNames = enum.New(map[ClientIdentifier]string{
	ClientIdentifierNone: "none",
	ClientIdentifierMAC:  "mac",
	ClientIdentifierDUID: "duid",
})

// String gives the word.
func (v ClientIdentifier) String() string { return clientIdentifierNames.Text(v) }

// MarshalText gives the word.
func (v ClientIdentifier) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText reads a word, or a number that has none.
func (v *ClientIdentifier) UnmarshalText(text []byte) error {
	return clientIdentifierNames.Parse(text, v)
}

// AddressSortAlgorithm is how addresses are put in order.
type AddressSortAlgorithm int32

// The values of AddressSortAlgorithm.
const (
	AddressSortAlgorithmV1 AddressSortAlgorithm = 0
	AddressSortAlgorithmV2 AddressSortAlgorithm = 1
)

var addressSortAlgorithmNames = enum.New(map[AddressSortAlgorithm]string{
	AddressSortAlgorithmV1: "v1",
	AddressSortAlgorithmV2: "v2",
})

// String gives the word.
func (v AddressSortAlgorithm) String() string { return addressSortAlgorithmNames.Text(v) }

// MarshalText gives the word.
func (v AddressSortAlgorithm) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText reads a word, or a number that has none.
func (v *AddressSortAlgorithm) UnmarshalText(text []byte) error {
	return addressSortAlgorithmNames.Parse(text, v)
}

// WOLMode is what wakes a network card.
type WOLMode uint8

// The values of WOLMode.
const (
	WOLModePhy         WOLMode = 1
	WOLModeUnicast     WOLMode = 2
	WOLModeMulticast   WOLMode = 4
	WOLModeBroadcast   WOLMode = 8
	WOLModeMagic       WOLMode = 32
	WOLModeMagicsecure WOLMode = 64
	WOLModeFilter      WOLMode = 128
)

var wolModeNames = enum.New(map[WOLMode]string{
	WOLModePhy:         "phy",
	WOLModeUnicast:     "unicast",
	WOLModeMulticast:   "multicast",
	WOLModeBroadcast:   "broadcast",
	WOLModeMagic:       "magic",
	WOLModeMagicsecure: "magicsecure",
	WOLModeFilter:      "filter",
})

// String gives the word.
func (v WOLMode) String() string { return wolModeNames.Text(v) }

// MarshalText gives the word.
func (v WOLMode) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText reads a word, or a number that has none.
func (v *WOLMode) UnmarshalText(text []byte) error { return wolModeNames.Parse(text, v) }
