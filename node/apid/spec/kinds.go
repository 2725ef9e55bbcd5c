// Package spec holds the resources about the API of a node.
package spec

import "github.com/ichor-os/ichor/resource"

// The kinds of this noun.
var (
	// APIServiceConfigs: how the API listens and what it allows.
	APIServiceConfigs = resource.Define[APIServiceConfigSpec]("APIServiceConfigs.runtime.talos.dev",
		resource.Namespace("runtime"), resource.DisplayType("APIServiceConfig"))
	// MaintenanceServiceConfigs: where the API of maintenance mode listens.
	MaintenanceServiceConfigs = resource.Define[MaintenanceServiceConfigSpec]("MaintenanceServiceConfigs.runtime.talos.dev",
		resource.Namespace("runtime"), resource.DisplayType("MaintenanceServiceConfig"))
	// MaintenanceServiceRequests: asks for maintenance mode.
	MaintenanceServiceRequests = resource.Define[MaintenanceServiceRequestSpec]("MaintenanceServiceRequests.runtime.talos.dev",
		resource.Namespace("runtime"), resource.DisplayType("MaintenanceServiceRequest"))
)

// Kinds lists them.
func Kinds() []resource.AnyKind {
	return []resource.AnyKind{
		APIServiceConfigs,
		MaintenanceServiceConfigs,
		MaintenanceServiceRequests,
	}
}
