// Package spec holds the resources about names: host name, resolvers and the local resolver.
package spec

import "github.com/ichor-os/ichor/resource"

// The kinds of this noun.
var (
	// HostnameSpecs: the host name that a layer wants.
	HostnameSpecs = resource.Define[HostnameSpecSpec]("HostnameSpecs.net.talos.dev",
		resource.Namespace("network"), resource.DisplayType("HostnameSpec"))
	// HostnameStatuses: the host name in use.
	HostnameStatuses = resource.Define[HostnameStatusSpec]("HostnameStatuses.net.talos.dev",
		resource.Namespace("network"), resource.DisplayType("HostnameStatus"), resource.Aliases("hostname"), resource.Columns(
			resource.Column{Name: "Hostname", Path: "{.hostname}"},
			resource.Column{Name: "Domainname", Path: "{.domainname}"},
		))
	// ResolverSpecs: the resolvers that a layer wants.
	ResolverSpecs = resource.Define[ResolverSpecSpec]("ResolverSpecs.net.talos.dev",
		resource.Namespace("network"), resource.DisplayType("ResolverSpec"), resource.Columns(
			resource.Column{Name: "Layer", Path: "{.layer}"},
			resource.Column{Name: "Resolvers", Path: "{.dnsServers}"},
			resource.Column{Name: "Search Domains", Path: "{.searchDomains}"},
		))
	// ResolverStatuses: the resolvers in use.
	ResolverStatuses = resource.Define[ResolverStatusSpec]("ResolverStatuses.net.talos.dev",
		resource.Namespace("network"), resource.DisplayType("ResolverStatus"), resource.Aliases("resolvers"), resource.Columns(
			resource.Column{Name: "Resolvers", Path: "{.dnsServers}"},
			resource.Column{Name: "Search Domains", Path: "{.searchDomains}"},
		))
	// HostDNSConfigs: how the local resolver is to run.
	HostDNSConfigs = resource.Define[HostDNSConfigSpec]("HostDNSConfigs.net.talos.dev",
		resource.Namespace("network"), resource.DisplayType("HostDNSConfig"), resource.Columns(
			resource.Column{Name: "Enabled", Path: "{.enabled}"},
		))
	// DNSResolveCaches: a listener of the local resolver.
	DNSResolveCaches = resource.Define[DNSResolveCachSpec]("DNSResolveCaches.net.talos.dev",
		resource.Namespace("network"), resource.DisplayType("DNSResolveCach"), resource.Columns(
			resource.Column{Name: "Status", Path: "{.status}"},
		))
	// DNSUpstreams: a resolver that the local one asks.
	DNSUpstreams = resource.Define[DNSUpstreamSpec]("DNSUpstreams.net.talos.dev",
		resource.Namespace("network"), resource.DisplayType("DNSUpstream"), resource.Columns(
			resource.Column{Name: "Healthy", Path: "{.healthy}"},
			resource.Column{Name: "Address", Path: "{.addr}"},
		))
)

// Kinds lists them.
func Kinds() []resource.AnyKind {
	return []resource.AnyKind{
		HostnameSpecs,
		HostnameStatuses,
		ResolverSpecs,
		ResolverStatuses,
		HostDNSConfigs,
		DNSResolveCaches,
		DNSUpstreams,
	}
}
