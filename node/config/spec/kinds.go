// Package spec holds the resources about the machine config and what it makes of the machine.
package spec

import "github.com/ichor-os/ichor/resource"

// The kinds of this noun.
var (
	// MachineConfigs: the config documents: id v1alpha1 is in force, id persistent is stored.
	MachineConfigs = resource.Define[MachineConfigSpec]("MachineConfigs.config.talos.dev",
		resource.Namespace("config"), resource.DisplayType("MachineConfig"), resource.Sensitive())
	// MachineTypes: what part the machine plays.
	MachineTypes = resource.Define[MachineTypeSpec]("MachineTypes.config.talos.dev",
		resource.Namespace("config"), resource.DisplayType("MachineType"), resource.Columns(
			resource.Column{Name: "Type", Path: "{@}"},
		))
)

// Kinds lists them.
func Kinds() []resource.AnyKind {
	return []resource.AnyKind{
		MachineConfigs,
		MachineTypes,
	}
}
