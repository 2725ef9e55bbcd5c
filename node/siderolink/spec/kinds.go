// Package spec holds the resources about the tunnel to a management service.
package spec

import "github.com/ichor-os/ichor/resource"

// The kinds of this noun.
var (
	// SiderolinkConfigs: which service the node joins.
	SiderolinkConfigs = resource.Define[SiderolinkConfigSpec]("SiderolinkConfigs.siderolink.talos.dev",
		resource.Namespace("config"), resource.DisplayType("SiderolinkConfig"), resource.Sensitive(), resource.Columns(
			resource.Column{Name: "API Endpoint", Path: "{.apiEndpoint}"},
			resource.Column{Name: "Tunnel", Path: "{.tunnel}"},
		))
	// SiderolinkStatuses: whether the node is connected to it.
	SiderolinkStatuses = resource.Define[SiderolinkStatusSpec]("SiderolinkStatuses.siderolink.talos.dev",
		resource.Namespace("config"), resource.DisplayType("SiderolinkStatus"), resource.Columns(
			resource.Column{Name: "Host", Path: "{.host}"},
			resource.Column{Name: "Connected", Path: "{.connected}"},
		))
	// SiderolinkTunnels: the tunnel inside a stream, where UDP does not pass.
	SiderolinkTunnels = resource.Define[SiderolinkTunnelSpec]("SiderolinkTunnels.siderolink.talos.dev",
		resource.Namespace("config"), resource.DisplayType("SiderolinkTunnel"), resource.Sensitive(), resource.Columns(
			resource.Column{Name: "API Endpoint", Path: "{.apiEndpoint}"},
			resource.Column{Name: "Link name", Path: "{.linkName}"},
			resource.Column{Name: "MTU", Path: "{.mtu}"},
			resource.Column{Name: "Node address", Path: "{.nodeAddress}"},
		))
)

// Kinds lists them.
func Kinds() []resource.AnyKind {
	return []resource.AnyKind{
		SiderolinkConfigs,
		SiderolinkStatuses,
		SiderolinkTunnels,
	}
}
