package spec

import "github.com/ichor-os/ichor/resource"

// The kinds of this noun.
var (
	// Services: the state of a service.
	Services = resource.Define[ServiceSpec]("Services.v1alpha1.talos.dev",
		resource.Namespace("runtime"), resource.DisplayType("Service"), resource.Aliases("svc"), resource.Columns(
			resource.Column{Name: "Running", Path: "{.running}"},
			resource.Column{Name: "Healthy", Path: "{.healthy}"},
			resource.Column{Name: "Health Unknown", Path: "{.unknown}"},
		))
	// ServicePIDs: the process of a service.
	ServicePIDs = resource.Define[ServicePIDSpec]("ServicePIDs.runtime.talos.dev",
		resource.Namespace("runtime"), resource.DisplayType("ServicePID"), resource.Columns(
			resource.Column{Name: "PID", Path: "{.pid}"},
		))
	// ExtensionServiceConfigs: files and environment of an extension's service.
	ExtensionServiceConfigs = resource.Define[ExtensionServiceConfigSpec]("ExtensionServiceConfigs.runtime.talos.dev",
		resource.Namespace("runtime"), resource.DisplayType("ExtensionServiceConfig"), resource.Sensitive())
	// ExtensionServiceConfigStatuses: the configuration that an extension's service has.
	ExtensionServiceConfigStatuses = resource.Define[ExtensionServiceConfigStatusSpec]("ExtensionServiceConfigStatuses.runtime.talos.dev",
		resource.Namespace("runtime"), resource.DisplayType("ExtensionServiceConfigStatus"))
)

// Kinds lists them.
func Kinds() []resource.AnyKind {
	return []resource.AnyKind{
		Services,
		ServicePIDs,
		ExtensionServiceConfigs,
		ExtensionServiceConfigStatuses,
	}
}
