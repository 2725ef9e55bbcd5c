package spec

import "github.com/ichor-os/ichor/resource/enum"

// Stage is where a machine is in its life.
type Stage int32

// The values of Stage.
const (
	StageUnknown      Stage = 0
	StageBooting      Stage = 1
	StageInstalling   Stage = 2
	StageMaintenance  Stage = 3
	StageRunning      Stage = 4
	StageRebooting    Stage = 5
	StageShuttingDown Stage = 6
	StageResetting    Stage = 7
	StageUpgrading    Stage = 8
)

var stageNames = enum.New(map[Stage]string{
	StageUnknown:      "unknown",
	StageBooting:      "booting",
	StageInstalling:   "installing",
	StageMaintenance:  "maintenance",
	StageRunning:      "running",
	StageRebooting:    "rebooting",
	StageShuttingDown: "shutting down",
	StageResetting:    "resetting",
	StageUpgrading:    "upgrading",
})

// String gives the word.
func (v Stage) String() string { return stageNames.Text(v) }

// MarshalText gives the word.
func (v Stage) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText reads a word, or a number that has none.
func (v *Stage) UnmarshalText(text []byte) error { return stageNames.Parse(text, v) }

// SELinuxState is how far SELinux is on.
type SELinuxState int32

// The values of SELinuxState.
const (
	SELinuxStateDisabled   SELinuxState = 0
	SELinuxStatePermissive SELinuxState = 1
	SELinuxStateEnforcing  SELinuxState = 2
)

var selinuxStateNames = enum.New(map[SELinuxState]string{
	SELinuxStateDisabled:   "disabled",
	SELinuxStatePermissive: "permissive",
	SELinuxStateEnforcing:  "enforcing",
})

// String gives the word.
func (v SELinuxState) String() string { return selinuxStateNames.Text(v) }

// MarshalText gives the word.
func (v SELinuxState) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText reads a word, or a number that has none.
func (v *SELinuxState) UnmarshalText(text []byte) error { return selinuxStateNames.Parse(text, v) }

// FIPSState is how far FIPS 140 is on.
type FIPSState int32

// The values of FIPSState.
const (
	FIPSStateDisabled FIPSState = 0
	FIPSStateEnabled  FIPSState = 1
	FIPSStateStrict   FIPSState = 2
)

var fipsStateNames = enum.New(map[FIPSState]string{
	FIPSStateDisabled: "disabled",
	FIPSStateEnabled:  "enabled",
	FIPSStateStrict:   "strict",
})

// String gives the word.
func (v FIPSState) String() string { return fipsStateNames.Text(v) }

// MarshalText gives the word.
func (v FIPSState) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText reads a word, or a number that has none.
func (v *FIPSState) UnmarshalText(text []byte) error { return fipsStateNames.Parse(text, v) }
