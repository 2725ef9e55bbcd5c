package value

import "github.com/ichor-os/ichor/resource/enum"

// Family is an address family, by its number in Linux.
type Family uint8

// The values of Family.
const (
	FamilyInet4 Family = 2
	FamilyInet6 Family = 10
)

var familyNames = enum.New(map[Family]string{
	FamilyInet4: "inet4",
	FamilyInet6: "inet6",
})

// String gives the word.
func (v Family) String() string { return familyNames.Text(v) }

// MarshalText gives the word.
func (v Family) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText reads a word, or a number that has none.
func (v *Family) UnmarshalText(text []byte) error { return familyNames.Parse(text, v) }

// Layer is where a wish for the network comes from, lowest first.
type Layer int32

// The values of Layer.
const (
	LayerDefault       Layer = 0
	LayerCmdline       Layer = 1
	LayerPlatform      Layer = 2
	LayerOperator      Layer = 3
	LayerConfiguration Layer = 4
)

var layerNames = enum.New(map[Layer]string{
	LayerDefault:       "default",
	LayerCmdline:       "cmdline",
	LayerPlatform:      "platform",
	LayerOperator:      "operator",
	LayerConfiguration: "configuration",
})

// String gives the word.
func (v Layer) String() string { return layerNames.Text(v) }

// MarshalText gives the word.
func (v Layer) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText reads a word, or a number that has none.
func (v *Layer) UnmarshalText(text []byte) error { return layerNames.Parse(text, v) }

// MachineType is what part a machine plays.
type MachineType int32

// The values of MachineType.
const (
	MachineTypeUnknown      MachineType = 0
	MachineTypeInit         MachineType = 1
	MachineTypeControlplane MachineType = 2
	MachineTypeWorker       MachineType = 3
)

var machineTypeNames = enum.New(map[MachineType]string{
	MachineTypeUnknown:      "unknown",
	MachineTypeInit:         "init",
	MachineTypeControlplane: "controlplane",
	MachineTypeWorker:       "worker",
})

// String gives the word.
func (v MachineType) String() string { return machineTypeNames.Text(v) }

// MarshalText gives the word.
func (v MachineType) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText reads a word, or a number that has none.
func (v *MachineType) UnmarshalText(text []byte) error { return machineTypeNames.Parse(text, v) }
