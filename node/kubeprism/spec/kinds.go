// Package spec holds the resources about the balancer in front of the API servers.
package spec

import "github.com/ichor-os/ichor/resource"

// The kinds of this noun.
var (
	// KubePrismConfigs: where the balancer listens, and what is behind it.
	KubePrismConfigs = resource.Define[KubePrismConfigSpec]("KubePrismConfigs.kubernetes.talos.dev",
		resource.Namespace("k8s"), resource.DisplayType("KubePrismConfig"), resource.Columns(
			resource.Column{Name: "Host", Path: "{.host}"},
			resource.Column{Name: "Port", Path: "{.port}"},
			resource.Column{Name: "Endpoints", Path: "{.endpoints}"},
		))
	// KubePrismEndpoints: the API servers behind the balancer.
	KubePrismEndpoints = resource.Define[KubePrismEndpointSpec]("KubePrismEndpoints.kubernetes.talos.dev",
		resource.Namespace("k8s"), resource.DisplayType("KubePrismEndpoint"), resource.Columns(
			resource.Column{Name: "Hosts", Path: "{.endpoints[*].host}"},
			resource.Column{Name: "Ports", Path: "{.endpoints[*].port}"},
		))
	// KubePrismStatuses: whether an API server answers.
	KubePrismStatuses = resource.Define[KubePrismStatusSpec]("KubePrismStatuses.kubernetes.talos.dev",
		resource.Namespace("k8s"), resource.DisplayType("KubePrismStatus"), resource.Columns(
			resource.Column{Name: "HOST", Path: "{.host}"},
			resource.Column{Name: "HEALTHY", Path: "{.healthy}"},
		))
)

// Kinds lists them.
func Kinds() []resource.AnyKind {
	return []resource.AnyKind{
		KubePrismConfigs,
		KubePrismEndpoints,
		KubePrismStatuses,
	}
}
