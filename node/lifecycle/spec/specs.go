package spec

import (
	"log/slog"
	"time"
)

// MachineStatusSpec is the spec of [MachineStatuses].
type MachineStatusSpec struct {
	Stage  Stage               `yaml:"stage" protobuf:"1"`
	Status MachineStatusStatus `yaml:"status" protobuf:"2"`
}

// MachineStatusStatus is a part of [MachineStatusSpec].
type MachineStatusStatus struct {
	Ready           bool             `yaml:"ready" protobuf:"1"`
	UnmetConditions []UnmetCondition `yaml:"unmetConditions" protobuf:"2"`
}

// UnmetCondition is a part of [MachineStatusStatus].
type UnmetCondition struct {
	Name   string `yaml:"name" protobuf:"1"`
	Reason string `yaml:"reason" protobuf:"2"`
}

// MachineResetSignalSpec is the spec of [MachineResetSignals].
type MachineResetSignalSpec struct{}

// DiagnosticSpec is the spec of [Diagnostics].
type DiagnosticSpec struct {
	Message string   `yaml:"message" protobuf:"1"`
	Details []string `yaml:"details" protobuf:"2"`
}

// VersionSpec is the spec of [Versions].
type VersionSpec struct {
	Name    string `yaml:"name" protobuf:"2"`
	Version string `yaml:"version" protobuf:"1"`
}

// SecurityStateSpec is the spec of [SecurityStates].
type SecurityStateSpec struct {
	SecureBoot               bool         `yaml:"secureBoot" protobuf:"1"`
	UKISigningKeyFingerprint string       `yaml:"ukiSigningKeyFingerprint,omitempty" protobuf:"2"`
	PcrSigningKeyFingerprint string       `yaml:"pcrSigningKeyFingerprint,omitempty" protobuf:"3"`
	SELinuxState             SELinuxState `yaml:"selinuxState,omitempty" protobuf:"4"`
	FIPSState                FIPSState    `yaml:"fipsState,omitempty" protobuf:"6"`
	BootedWithUKI            bool         `yaml:"bootedWithUKI,omitempty" protobuf:"5"`
	ModuleSignatureEnforced  bool         `yaml:"moduleSignatureEnforced,omitempty" protobuf:"7"`
}

// BootedEntrySpec is the spec of [BootedEntries].
type BootedEntrySpec struct {
	BootedEntry string `yaml:"bootedEntry,omitempty" protobuf:"1"`
}

// UniqueMachineTokenSpec is the spec of [UniqueMachineTokens].
type UniqueMachineTokenSpec struct {
	Token string `yaml:"token" protobuf:"1"`
}

// EnvironmentSpec is the spec of [Environments].
type EnvironmentSpec struct {
	Variables []string `yaml:"variables" protobuf:"1"`
}

// ExtensionStatusSpec is the spec of [ExtensionStatuses].
type ExtensionStatusSpec struct {
	Image    string   `yaml:"image" protobuf:"1"`
	Metadata Metadata `yaml:"metadata" protobuf:"2"`
}

// Metadata is a part of [ExtensionStatusSpec].
type Metadata struct {
	Name          string        `yaml:"name" protobuf:"1"`
	Version       string        `yaml:"version" protobuf:"2"`
	Author        string        `yaml:"author" protobuf:"3"`
	Description   string        `yaml:"description" protobuf:"4"`
	Compatibility Compatibility `yaml:"compatibility" protobuf:"5"`
	ExtraInfo     string        `yaml:"extraInfo,omitempty" protobuf:"6"`
}

// Compatibility is a part of [Metadata].
type Compatibility struct {
	Talos Constraint `yaml:"talos" protobuf:"1"`
}

// Constraint is a part of [Compatibility].
type Constraint struct {
	Version string `yaml:"version" protobuf:"1"`
}

// SBOMItemSpec is the spec of [SBOMItems].
type SBOMItemSpec struct {
	Name      string   `yaml:"name" protobuf:"1"`
	Version   string   `yaml:"version" protobuf:"2"`
	License   string   `yaml:"license,omitempty" protobuf:"3"`
	CPEs      []string `yaml:"cpes,omitempty" protobuf:"4"`
	PURLs     []string `yaml:"purls,omitempty" protobuf:"5"`
	Extension bool     `yaml:"extension,omitempty" protobuf:"6"`
}

// OOMActionSpec is the spec of [OOMActions].
type OOMActionSpec struct {
	TriggerContext string   `yaml:"triggerContext,omitempty" protobuf:"1"`
	Score          float64  `yaml:"score,omitempty" protobuf:"2"`
	Processes      []string `yaml:"processes,omitempty" protobuf:"3"`
}

// LogValue keeps secrets out of logs.
func (OOMActionSpec) LogValue() slog.Value { return slog.StringValue("redacted") }

// WatchdogTimerConfigSpec is the spec of [WatchdogTimerConfigs].
type WatchdogTimerConfigSpec struct {
	Device  string        `yaml:"device" protobuf:"1"`
	Timeout time.Duration `yaml:"timeout" protobuf:"2"`
}

// WatchdogTimerStatusSpec is the spec of [WatchdogTimerStatuses].
type WatchdogTimerStatusSpec struct {
	Device       string        `yaml:"device" protobuf:"1"`
	Timeout      time.Duration `yaml:"timeout" protobuf:"2"`
	FeedInterval time.Duration `yaml:"feedInterval" protobuf:"3"`
}

// MetaKeySpec is the spec of [MetaKeys].
type MetaKeySpec struct {
	Value string `yaml:"value" protobuf:"1"`
}

// MetaLoadSpec is the spec of [MetaLoads].
type MetaLoadSpec struct {
	Done bool `yaml:"done" protobuf:"1"`
}

// AcquireConfigSpecSpec is the spec of [AcquireConfigSpecs].
type AcquireConfigSpecSpec struct{}

// AcquireConfigStatusSpec is the spec of [AcquireConfigStatuses].
type AcquireConfigStatusSpec struct{}
