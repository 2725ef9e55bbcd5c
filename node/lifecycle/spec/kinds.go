// Package spec holds the resources about the stage of the machine, its versions, and what is wrong with it.
package spec

import "github.com/ichor-os/ichor/resource"

// The kinds of this noun.
var (
	// MachineStatuses: the stage of the machine, and whether it is ready.
	MachineStatuses = resource.Define[MachineStatusSpec]("MachineStatuses.runtime.talos.dev",
		resource.Namespace("runtime"), resource.DisplayType("MachineStatus"), resource.Columns(
			resource.Column{Name: "Stage", Path: "{.stage}"},
			resource.Column{Name: "Ready", Path: "{.status.ready}"},
		))
	// MachineResetSignals: asks for a reset.
	MachineResetSignals = resource.Define[MachineResetSignalSpec]("MachineResetSignals.runtime.talos.dev",
		resource.Namespace("runtime"), resource.DisplayType("MachineResetSignal"))
	// Diagnostics: something that an operator should mend.
	Diagnostics = resource.Define[DiagnosticSpec]("Diagnostics.runtime.talos.dev",
		resource.Namespace("runtime"), resource.DisplayType("Diagnostic"), resource.Columns(
			resource.Column{Name: "Message", Path: "{.message}"},
		))
	// Versions: the version of the system.
	Versions = resource.Define[VersionSpec]("Versions.runtime.talos.dev",
		resource.Namespace("runtime"), resource.DisplayType("Version"), resource.Columns(
			resource.Column{Name: "Name", Path: "{.name}"},
			resource.Column{Name: "Version", Path: "{.version}"},
		))
	// SecurityStates: how far the boot was verified.
	SecurityStates = resource.Define[SecurityStateSpec]("SecurityStates.talos.dev",
		resource.Namespace("runtime"), resource.DisplayType("SecurityState"), resource.Columns(
			resource.Column{Name: "SecureBoot", Path: "{.secureBoot}"},
			resource.Column{Name: "UKISigningKeyFingerprint", Path: "{.ukiSigningKeyFingerprint}"},
			resource.Column{Name: "PCRSigningKeyFingerprint", Path: "{.pcrSigningKeyFingerprint}"},
			resource.Column{Name: "SELinuxState", Path: "{.selinuxState}"},
			resource.Column{Name: "ModuleSignatureEnforced", Path: "{.moduleSignatureEnforced}"},
		))
	// BootedEntries: the entry of the boot loader that was started.
	BootedEntries = resource.Define[BootedEntrySpec]("BootedEntries.talos.dev",
		resource.Namespace("runtime"), resource.DisplayType("BootedEntry"), resource.Columns(
			resource.Column{Name: "Booted Entry", Path: "{.bootedEntry}"},
		))
	// UniqueMachineTokens: the token that tells this machine from its copies.
	UniqueMachineTokens = resource.Define[UniqueMachineTokenSpec]("UniqueMachineTokens.runtime.talos.dev",
		resource.Namespace("runtime"), resource.DisplayType("UniqueMachineToken"), resource.Columns(
			resource.Column{Name: "Token", Path: "{.token}"},
		))
	// Environments: the environment of the services.
	Environments = resource.Define[EnvironmentSpec]("Environments.runtime.talos.dev",
		resource.Namespace("runtime"), resource.DisplayType("Environment"), resource.Aliases("env"), resource.Columns(
			resource.Column{Name: "Variables", Path: "{.variables}"},
		))
	// ExtensionStatuses: a system extension that is part of the image.
	ExtensionStatuses = resource.Define[ExtensionStatusSpec]("ExtensionStatuses.runtime.talos.dev",
		resource.Namespace("runtime"), resource.DisplayType("ExtensionStatus"), resource.Aliases("extensions"), resource.Columns(
			resource.Column{Name: "Name", Path: "{.metadata.name}"},
			resource.Column{Name: "Version", Path: "{.metadata.version}"},
		))
	// SBOMItems: a component that is part of the image.
	SBOMItems = resource.Define[SBOMItemSpec]("SBOMItems.talos.dev",
		resource.Namespace("runtime"), resource.DisplayType("SBOMItem"), resource.Aliases("sbom", "sboms"), resource.Columns(
			resource.Column{Name: "Version", Path: "{.version}"},
			resource.Column{Name: "License", Path: "{.license}"},
			resource.Column{Name: "Extension", Path: "{.extension}"},
		))
	// OOMActions: what was killed when memory ran out.
	OOMActions = resource.Define[OOMActionSpec]("OOMActions.talos.dev",
		resource.Namespace("runtime"), resource.DisplayType("OOMAction"), resource.Aliases("oomaction", "oomactions"), resource.Sensitive(), resource.Columns(
			resource.Column{Name: "Time", Path: "{.time}"},
			resource.Column{Name: "Score", Path: "{.score}"},
		))
	// WatchdogTimerConfigs: the hardware watchdog that the config wants.
	WatchdogTimerConfigs = resource.Define[WatchdogTimerConfigSpec]("WatchdogTimerConfigs.runtime.talos.dev",
		resource.Namespace("runtime"), resource.DisplayType("WatchdogTimerConfig"), resource.Columns(
			resource.Column{Name: "Device", Path: "{.device}"},
			resource.Column{Name: "Timeout", Path: "{.timeout}"},
		))
	// WatchdogTimerStatuses: the hardware watchdog that is armed.
	WatchdogTimerStatuses = resource.Define[WatchdogTimerStatusSpec]("WatchdogTimerStatuses.runtime.talos.dev",
		resource.Namespace("runtime"), resource.DisplayType("WatchdogTimerStatus"), resource.Columns(
			resource.Column{Name: "Device", Path: "{.device}"},
			resource.Column{Name: "Timeout", Path: "{.timeout}"},
		))
	// MetaKeys: a value of the META partition.
	MetaKeys = resource.Define[MetaKeySpec]("MetaKeys.runtime.talos.dev",
		resource.Namespace("runtime"), resource.DisplayType("MetaKey"), resource.Aliases("meta"), resource.Columns(
			resource.Column{Name: "Value", Path: "{.value}"},
		))
	// MetaLoads: whether META has been read.
	MetaLoads = resource.Define[MetaLoadSpec]("MetaLoads.runtime.talos.dev",
		resource.Namespace("runtime"), resource.DisplayType("MetaLoad"), resource.Columns(
			resource.Column{Name: "Done", Path: "{.done}"},
		))
	// AcquireConfigSpecs: asks for a machine config.
	AcquireConfigSpecs = resource.Define[AcquireConfigSpecSpec]("AcquireConfigSpecs.v1alpha1.talos.dev",
		resource.Namespace("runtime"), resource.DisplayType("AcquireConfigSpec"))
	// AcquireConfigStatuses: a machine config has been acquired.
	AcquireConfigStatuses = resource.Define[AcquireConfigStatusSpec]("AcquireConfigStatuses.v1alpha1.talos.dev",
		resource.Namespace("runtime"), resource.DisplayType("AcquireConfigStatus"))
)

// Kinds lists them.
func Kinds() []resource.AnyKind {
	return []resource.AnyKind{
		MachineStatuses,
		MachineResetSignals,
		Diagnostics,
		Versions,
		SecurityStates,
		BootedEntries,
		UniqueMachineTokens,
		Environments,
		ExtensionStatuses,
		SBOMItems,
		OOMActions,
		WatchdogTimerConfigs,
		WatchdogTimerStatuses,
		MetaKeys,
		MetaLoads,
		AcquireConfigSpecs,
		AcquireConfigStatuses,
	}
}
