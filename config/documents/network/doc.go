// Package network holds the config documents about a node's links, addresses,
// routes, names, name resolution, time and firewall: one file a kind.
package network

import "github.com/ichor-os/ichor/config/document"

// Kinds lists the kinds of this domain.
func Kinds() []*document.Kind {
	return []*document.Kind{
		BGPInstanceKind, BlackholeRouteKind, BondKind, BridgeKind, DHCPv4Kind, DHCPv6Kind, DummyLinkKind, EthernetKind,
		HCloudVIPKind, HostnameKind, HTTPProbeKind, KubeSpanKind, KubeSpanEndpointsKind, Layer2VIPKind, LinkKind, LinkAliasKind,
		DefaultActionKind, RuleKind, ResolverKind, RoutingRuleKind, StaticHostKind, TCPProbeKind, TimeSyncKind,
		VethKind, VLANKind, VRFKind, WireguardKind,
	}
}
