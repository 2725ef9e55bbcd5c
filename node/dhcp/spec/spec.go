// Package spec holds the resource about leases of DHCP.
package spec

import (
	"net/netip"

	"github.com/ichor-os/ichor/resource"
)

// LeaseSpec is what a server gave to the client of a link. Times are not in it:
// a renewal that changes nothing wakes nobody.
type LeaseSpec struct {
	LinkName      string       `yaml:"linkName" protobuf:"1"`
	Server        netip.Addr   `yaml:"server" protobuf:"2"`
	Address       netip.Prefix `yaml:"address" protobuf:"3"`
	Routes        []RouteSpec  `yaml:"routes,omitempty" protobuf:"4"`
	RouteMetric   uint32       `yaml:"routeMetric" protobuf:"5"`
	MTU           uint32       `yaml:"mtu,omitempty" protobuf:"6"`
	Hostname      string       `yaml:"hostname,omitempty" protobuf:"7"`
	Domainname    string       `yaml:"domainname,omitempty" protobuf:"8"`
	DNSServers    []netip.Addr `yaml:"dnsServers,omitempty" protobuf:"9"`
	SearchDomains []string     `yaml:"searchDomains,omitempty" protobuf:"10"`
	TimeServers   []string     `yaml:"timeServers,omitempty" protobuf:"11"`
}

// RouteSpec is a route of a lease.
type RouteSpec struct {
	Dst     netip.Prefix `yaml:"dst" protobuf:"1"`
	Gateway netip.Addr   `yaml:"gateway" protobuf:"2"`
}

// Leases: what DHCP servers gave, by client. Clients of other systems do not
// know the kind.
var Leases = resource.Define[LeaseSpec]("DHCPLeases.ichor.dev",
	resource.Namespace("network"), resource.DisplayType("DHCPLease"), resource.Columns(
		resource.Column{Name: "Link", Path: "{.linkName}"},
		resource.Column{Name: "Address", Path: "{.address}"},
		resource.Column{Name: "Server", Path: "{.server}"},
	))

// Own lists the kinds of this noun.
func Own() []resource.AnyKind { return []resource.AnyKind{Leases} }
