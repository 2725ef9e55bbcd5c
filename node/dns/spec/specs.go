package spec

import (
	"net/netip"

	"github.com/ichor-os/ichor/resource/value"
)

// HostnameSpecSpec is the spec of [HostnameSpecs].
type HostnameSpecSpec struct {
	Hostname   string      `yaml:"hostname" protobuf:"1"`
	Domainname string      `yaml:"domainname" protobuf:"2"`
	Layer      value.Layer `yaml:"layer" protobuf:"3"`
}

// HostnameStatusSpec is the spec of [HostnameStatuses].
type HostnameStatusSpec struct {
	Hostname   string `yaml:"hostname" protobuf:"1"`
	Domainname string `yaml:"domainname" protobuf:"2"`
}

// ResolverSpecSpec is the spec of [ResolverSpecs].
type ResolverSpecSpec struct {
	DNSServers    []netip.Addr `yaml:"dnsServers" protobuf:"1"`
	Layer         value.Layer  `yaml:"layer" protobuf:"2"`
	SearchDomains []string     `yaml:"searchDomains,omitempty" protobuf:"3"`
}

// ResolverStatusSpec is the spec of [ResolverStatuses].
type ResolverStatusSpec struct {
	DNSServers    []netip.Addr `yaml:"dnsServers" protobuf:"1"`
	SearchDomains []string     `yaml:"searchDomains" protobuf:"2"`
}

// HostDNSConfigSpec is the spec of [HostDNSConfigs].
type HostDNSConfigSpec struct {
	Enabled               bool             `yaml:"enabled" protobuf:"1"`
	ListenAddresses       []netip.AddrPort `yaml:"listenAddresses,omitempty" protobuf:"2"`
	ServiceHostDNSAddress netip.Addr       `yaml:"serviceHostDNSAddress" protobuf:"3"`
	ResolveMemberNames    bool             `yaml:"resolveMemberNames,omitempty" protobuf:"4"`
}

// DNSResolveCachSpec is the spec of [DNSResolveCaches].
type DNSResolveCachSpec struct {
	Status string `yaml:"status" protobuf:"1"`
}
