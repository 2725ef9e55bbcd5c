// Package spec holds the resources about links, addresses and routes.
package spec

import "github.com/ichor-os/ichor/resource"

// The kinds of this noun.
var (
	// LinkSpecs: a link that a layer wants.
	LinkSpecs = resource.Define[LinkSpecSpec]("LinkSpecs.net.talos.dev",
		resource.Namespace("network"), resource.DisplayType("LinkSpec"), resource.Sensitive())
	// LinkStatuses: a link as the kernel has it.
	LinkStatuses = resource.Define[LinkStatusSpec]("LinkStatuses.net.talos.dev",
		resource.Namespace("network"), resource.DisplayType("LinkStatus"), resource.Aliases("link", "links"), resource.Columns(
			resource.Column{Name: "Alias", Path: "{.alias}"},
			resource.Column{Name: "Type", Path: "{.type}"},
			resource.Column{Name: "Kind", Path: "{.kind}"},
			resource.Column{Name: "Hw Addr", Path: "{.hardwareAddr}"},
			resource.Column{Name: "Oper State", Path: "{.operationalState}"},
			resource.Column{Name: "Link State", Path: "{.linkState}"},
		))
	// LinkAliasSpecs: another name for a link.
	LinkAliasSpecs = resource.Define[LinkAliasSpecSpec]("LinkAliasSpecs.net.talos.dev",
		resource.Namespace("network"), resource.DisplayType("LinkAliasSpec"), resource.Columns(
			resource.Column{Name: "Alias", Path: "{.alias}"},
		))
	// LinkRefreshes: asks to read links anew.
	LinkRefreshes = resource.Define[LinkRefreshSpec]("LinkRefreshes.net.talos.dev",
		resource.Namespace("network"), resource.DisplayType("LinkRefresh"))
	// AddressSpecs: an address that a layer wants.
	AddressSpecs = resource.Define[AddressSpecSpec]("AddressSpecs.net.talos.dev",
		resource.Namespace("network"), resource.DisplayType("AddressSpec"))
	// AddressStatuses: an address as the kernel has it.
	AddressStatuses = resource.Define[AddressStatusSpec]("AddressStatuses.net.talos.dev",
		resource.Namespace("network"), resource.DisplayType("AddressStatus"), resource.Aliases("address", "addresses"), resource.Columns(
			resource.Column{Name: "Address", Path: "{.address}"},
			resource.Column{Name: "Link", Path: "{.linkName}"},
		))
	// RouteSpecs: a route that a layer wants.
	RouteSpecs = resource.Define[RouteSpecSpec]("RouteSpecs.net.talos.dev",
		resource.Namespace("network"), resource.DisplayType("RouteSpec"))
	// RouteStatuses: a route as the kernel has it.
	RouteStatuses = resource.Define[RouteStatusSpec]("RouteStatuses.net.talos.dev",
		resource.Namespace("network"), resource.DisplayType("RouteStatus"), resource.Aliases("route", "routes"), resource.Columns(
			resource.Column{Name: "Destination", Path: "{.dst}"},
			resource.Column{Name: "Gateway", Path: "{.gateway}"},
			resource.Column{Name: "Link", Path: "{.outLinkName}"},
			resource.Column{Name: "Metric", Path: "{.priority}"},
		))
	// RoutingRuleSpecs: a routing rule that a layer wants.
	RoutingRuleSpecs = resource.Define[RoutingRuleSpecSpec]("RoutingRuleSpecs.net.talos.dev",
		resource.Namespace("network"), resource.DisplayType("RoutingRuleSpec"))
	// RoutingRuleStatuses: a routing rule as the kernel has it.
	RoutingRuleStatuses = resource.Define[RoutingRuleStatusSpec]("RoutingRuleStatuses.net.talos.dev",
		resource.Namespace("network"), resource.DisplayType("RoutingRuleStatus"), resource.Aliases("routingrule", "routingrules"), resource.Columns(
			resource.Column{Name: "Src", Path: "{.src}"},
			resource.Column{Name: "Dst", Path: "{.dst}"},
			resource.Column{Name: "Table", Path: "{.table}"},
			resource.Column{Name: "Priority", Path: "{.priority}"},
		))
	// OperatorSpecs: a DHCP client or virtual address that a layer wants.
	OperatorSpecs = resource.Define[OperatorSpecSpec]("OperatorSpecs.net.talos.dev",
		resource.Namespace("network"), resource.DisplayType("OperatorSpec"), resource.Sensitive())
	// NodeAddresses: the addresses of the node, by purpose.
	NodeAddresses = resource.Define[NodeAddressSpec]("NodeAddresses.net.talos.dev",
		resource.Namespace("network"), resource.DisplayType("NodeAddress"), resource.Columns(
			resource.Column{Name: "Addresses", Path: "{.addresses}"},
			resource.Column{Name: "SortAlgorithm", Path: "{.sortAlgorithm}"},
		))
	// NodeAddressFilters: which addresses count for a purpose.
	NodeAddressFilters = resource.Define[NodeAddressFilterSpec]("NodeAddressFilters.net.talos.dev",
		resource.Namespace("network"), resource.DisplayType("NodeAddressFilter"), resource.Columns(
			resource.Column{Name: "Include Subnets", Path: "{.includeSubnets}"},
			resource.Column{Name: "Exclude Subnets", Path: "{.excludeSubnets}"},
		))
	// NodeAddressSortAlgorithms: how addresses are put in order.
	NodeAddressSortAlgorithms = resource.Define[NodeAddressSortAlgorithmSpec]("NodeAddressSortAlgorithms.net.talos.dev",
		resource.Namespace("network"), resource.DisplayType("NodeAddressSortAlgorithm"), resource.Columns(
			resource.Column{Name: "Algorithm", Path: "{.algorithm}"},
		))
	// HardwareAddresses: the hardware address that names the machine.
	HardwareAddresses = resource.Define[HardwareAddressSpec]("HardwareAddresses.net.talos.dev",
		resource.Namespace("network"), resource.DisplayType("HardwareAddress"))
	// PlatformConfigs: the network that the platform wants.
	PlatformConfigs = resource.Define[PlatformConfigSpec]("PlatformConfigs.net.talos.dev",
		resource.Namespace("network"), resource.DisplayType("PlatformConfig"))
	// NetworkStatuses: which parts of the network are ready.
	NetworkStatuses = resource.Define[NetworkStatusSpec]("NetworkStatuses.net.talos.dev",
		resource.Namespace("network"), resource.DisplayType("NetworkStatus"), resource.Aliases("netstatus", "netstatuses"), resource.Columns(
			resource.Column{Name: "Address", Path: "{.addressReady}"},
			resource.Column{Name: "Connectivity", Path: "{.connectivityReady}"},
			resource.Column{Name: "Hostname", Path: "{.hostnameReady}"},
			resource.Column{Name: "Etc", Path: "{.etcFilesReady}"},
		))
	// EthernetSpecs: settings of a network card that the config wants.
	EthernetSpecs = resource.Define[EthernetSpecSpec]("EthernetSpecs.net.talos.dev",
		resource.Namespace("network"), resource.DisplayType("EthernetSpec"))
	// EthernetStatuses: settings of a network card as they are.
	EthernetStatuses = resource.Define[EthernetStatusSpec]("EthernetStatuses.net.talos.dev",
		resource.Namespace("network"), resource.DisplayType("EthernetStatus"), resource.Aliases("ethtool"), resource.Columns(
			resource.Column{Name: "Link", Path: "{.linkState}"},
			resource.Column{Name: "Speed", Path: "{.speedMbit}"},
		))
	// ProbeSpecs: a connection that is tried again and again.
	ProbeSpecs = resource.Define[ProbeSpecSpec]("ProbeSpecs.net.talos.dev",
		resource.Namespace("network"), resource.DisplayType("ProbeSpec"))
	// ProbeStatuses: whether it succeeds.
	ProbeStatuses = resource.Define[ProbeStatusSpec]("ProbeStatuses.net.talos.dev",
		resource.Namespace("network"), resource.DisplayType("ProbeStatus"), resource.Aliases("probe", "probes"), resource.Columns(
			resource.Column{Name: "Success", Path: "{.success}"},
		))
)

// Kinds lists them.
func Kinds() []resource.AnyKind {
	return []resource.AnyKind{
		LinkSpecs,
		LinkStatuses,
		LinkAliasSpecs,
		LinkRefreshes,
		AddressSpecs,
		AddressStatuses,
		RouteSpecs,
		RouteStatuses,
		RoutingRuleSpecs,
		RoutingRuleStatuses,
		OperatorSpecs,
		NodeAddresses,
		NodeAddressFilters,
		NodeAddressSortAlgorithms,
		HardwareAddresses,
		PlatformConfigs,
		NetworkStatuses,
		EthernetSpecs,
		EthernetStatuses,
		ProbeSpecs,
		ProbeStatuses,
	}
}
