// Package spec holds the resources about leases that DHCP servers gave.
package spec

import (
	"net/netip"
	"time"

	"github.com/ichor-os/ichor/resource"
	"github.com/ichor-os/ichor/resource/value"
)

// Leases: what a DHCP server gave a link. The kind is our own; ids are
// dhcp4/LINK and dhcp6/LINK.
var Leases = resource.Define[LeaseSpec]("DHCPLeases.ichor.dev",
	resource.Namespace("network"), resource.DisplayType("DHCPLease"), resource.Columns(
		resource.Column{Name: "Address", Path: "{.address}"},
		resource.Column{Name: "Server", Path: "{.server}"},
		resource.Column{Name: "Until", Path: "{.until}"},
	))

// LeaseSpec is the spec of [Leases].
type LeaseSpec struct {
	Link        string       `yaml:"link" protobuf:"1"`
	Address     netip.Prefix `yaml:"address" protobuf:"2"`
	Server      netip.Addr   `yaml:"server" protobuf:"3"`
	Routes      []Route      `yaml:"routes,omitempty" protobuf:"4"`
	Metric      uint32       `yaml:"metric,omitempty" protobuf:"5"`
	MTU         uint32       `yaml:"mtu,omitempty" protobuf:"6"`
	Hostname    string       `yaml:"hostname,omitempty" protobuf:"7"`
	Domain      string       `yaml:"domain,omitempty" protobuf:"8"`
	Search      []string     `yaml:"search,omitempty" protobuf:"9"`
	DNSServers  []netip.Addr `yaml:"dnsServers,omitempty" protobuf:"10"`
	TimeServers []string     `yaml:"timeServers,omitempty" protobuf:"11"`
	Until       time.Time    `yaml:"until" protobuf:"12"`
	Family      value.Family `yaml:"family" protobuf:"13"`
	Ignored     []string     `yaml:"ignored,omitempty" protobuf:"14"`
}

// Route is a route of a lease; without a gateway the destination is on the link.
type Route struct {
	Destination netip.Prefix `yaml:"destination" protobuf:"1"`
	Gateway     netip.Addr   `yaml:"gateway" protobuf:"2"`
}

// Kinds lists them.
func Kinds() []resource.AnyKind { return []resource.AnyKind{Leases} }
