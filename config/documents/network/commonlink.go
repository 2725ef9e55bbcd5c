package network

import (
	"slices"

	"github.com/ichor-os/ichor/config/document"
	"github.com/ichor-os/ichor/config/scalar"
)

// otherLinks lists the kinds that describe a network link, without kind
// itself: a link is described by one document only.
func otherLinks(kind string) []string {
	kinds := []string{"BondConfig", "BridgeConfig", "DummyLinkConfig", "LinkConfig", "VethConfig", "VLANConfig", "VRFConfig", "WireguardConfig"}

	return slices.DeleteFunc(kinds, func(k string) bool { return k == kind })
}

// CommonLink holds the keys that every kind of link has.
type CommonLink struct {
	Up        *bool         `yaml:"up,omitempty" cut:"network" doc:"Whether the link is brought up. Without it the link comes up as soon as something else configures it."`
	MTU       uint32        `yaml:"mtu,omitempty" cut:"network" doc:"Largest packet that the link carries, in bytes. 0 keeps what the driver or the link below gives."`
	Addresses []LinkAddress `yaml:"addresses,omitempty" cut:"network" doc:"Static addresses of the link."`
	Routes    []Route       `yaml:"routes,omitempty" cut:"network" doc:"Static routes that leave through the link."`
	Multicast *bool         `yaml:"multicast,omitempty" doc:"Sets or clears the multicast flag of the link."`
}

// LinkAddress is one static address.
type LinkAddress struct {
	Address       scalar.Prefix `yaml:"address" doc:"Address with the length of its network, such as 192.0.2.5/24."`
	RoutePriority *uint32       `yaml:"routePriority,omitempty" effect:"no" doc:"Metric of the route to the address's own network, which the kernel adds with the address."`
}

// Route is one static route.
type Route struct {
	Destination scalar.Prefix       `yaml:"destination,omitempty" doc:"Network that the route leads to; without it the route is the default route."`
	Gateway     scalar.Address      `yaml:"gateway,omitempty" doc:"Next hop; without it the network is reached on the link itself."`
	Source      scalar.Address      `yaml:"source,omitempty" doc:"Own address that packets on this route carry as their source."`
	Metric      uint32              `yaml:"metric,omitempty" doc:"Priority among routes to the same network; the lowest wins." default:"1024"`
	MTU         uint32              `yaml:"mtu,omitempty" doc:"Largest packet for this route, in bytes."`
	Table       scalar.RoutingTable `yaml:"table,omitempty" doc:"Routing table that holds the route." default:"main"`
}

func (l *CommonLink) validate(v *document.Validation) {
	for i, a := range l.Addresses {
		at := v.Item("addresses", i)

		switch {
		case a.Address.IsZero():
			at.Errorf("address", "address is missing").Fix("add the key address, such as 192.0.2.5/24")
		case a.Address.Addr().IsUnspecified():
			at.Errorf("address", "address is unspecified: %s", a.Address).Fix("write 192.0.2.5/24")
		}
	}

	for i, r := range l.Routes {
		r.validate(v.Item("routes", i))
	}
}

func (r *Route) validate(v *document.Validation) {
	if d := r.Destination; d.IsValid() && d.Bits() == 0 && d.Addr().IsUnspecified() {
		v.Errorf("destination", "destination is the default route: %s", d).Fix("leave destination out for a default route")
	}

	if r.Gateway.IsValid() && r.Gateway.IsUnspecified() {
		v.Errorf("gateway", "gateway is unspecified: %s", r.Gateway).Fix("leave gateway out for a route on the link itself")
	}

	if r.Source.IsValid() && r.Source.IsUnspecified() {
		v.Errorf("source", "source is unspecified: %s", r.Source).Fix("leave source out to let the kernel choose")
	}
}
