package platform

import (
	"context"
	"strings"

	linkspec "github.com/ichor-os/ichor/node/link/spec"
	"github.com/ichor-os/ichor/resource"
	"github.com/ichor-os/ichor/resource/value"
)

// activeConfig is the id of the platform's network config that is in force.
const activeConfig = "active"

// routeMetric is the metric of the platform's routes, the same as that of
// routes in the config without one: a default route there takes the place of
// the platform's.
const routeMetric = 1024

// network is the network that the metadata ask for.
func (m Metadata) network() linkspec.PlatformConfigSpec {
	config := linkspec.PlatformConfigSpec{
		Links: []linkspec.LinkSpecSpec{{Name: m.Link, Up: true, Type: linkspec.LinkTypeEther, Layer: value.LayerPlatform}},
	}
	host, domain, _ := strings.Cut(m.Hostname, ".")
	config.Hostnames = []linkspec.HostnameSpecSpec{{Hostname: host, Domainname: domain, Layer: value.LayerPlatform}}
	for _, address := range m.Addresses {
		family := value.FamilyInet6
		if address.Addr().Is4() {
			family = value.FamilyInet4
		}
		config.Addresses = append(config.Addresses, linkspec.AddressSpecSpec{
			Address: address, LinkName: m.Link, Family: family, Scope: linkspec.ScopeGlobal,
			Flags: linkspec.AddressFlagPermanent, Layer: value.LayerPlatform,
		})
	}
	if m.Gateway.IsValid() {
		config.Routes = append(config.Routes, linkspec.RouteSpecSpec{
			Gateway: m.Gateway, OutLinkName: m.Link, Priority: routeMetric, Layer: value.LayerPlatform,
		}.Normal())
	}
	return config
}

// ReconcileNetwork puts the links, addresses and routes of the platform's
// network config as wishes of the platform layer.
func ReconcileNetwork(_ context.Context, s *resource.Session) error {
	config, ok := linkspec.PlatformConfigs.Get(s, activeConfig)
	if !ok {
		return nil
	}
	layered := func(id string) string { return linkspec.Layered(value.LayerPlatform, id) }
	for _, l := range config.Links {
		linkspec.LinkSpecs.In(linkspec.Config).Put(s, layered(l.Name), l)
	}
	for _, a := range config.Addresses {
		linkspec.AddressSpecs.In(linkspec.Config).Put(s, layered(linkspec.AddressID(a.LinkName, a.Address)), a)
	}
	for _, r := range config.Routes {
		linkspec.RouteSpecs.In(linkspec.Config).Put(s, layered(r.ID()), r)
	}
	return nil
}
