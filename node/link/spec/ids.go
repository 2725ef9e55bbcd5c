package spec

import (
	"fmt"
	"net/netip"
	"strings"

	"github.com/ichor-os/ichor/resource/value"
)

// Config is the namespace of wishes; their ids are made with [Layered].
const Config = "network-config"

// Layers names the layers, lowest first.
func Layers() []string {
	return []string{
		value.LayerDefault.String(), value.LayerCmdline.String(), value.LayerPlatform.String(),
		value.LayerOperator.String(), value.LayerConfiguration.String(),
	}
}

// Layered is the id of a layer's wish for id.
func Layered(layer value.Layer, id string) string { return layer.String() + "/" + id }

// AddressID is the id of an address, the same for wish and status.
func AddressID(link string, address netip.Prefix) string { return link + "/" + address.String() }

// RouteID is the id of a route, the same for wish and status:
// [table/][link/]family/gateway/destination/priority. The main table has no
// name in it, nor has the link where the gateway says which it is.
func RouteID(table RoutingTable, link string, family value.Family, gateway netip.Addr, dst netip.Prefix, priority uint32) string {
	var id strings.Builder
	if table != RoutingTableMain {
		id.WriteString(table.String() + "/")
	}
	if link != "" && (!gateway.IsValid() || gateway.IsLinkLocalUnicast()) {
		id.WriteString(link + "/")
	}
	id.WriteString(family.String() + "/")
	if gateway.IsValid() {
		id.WriteString(gateway.String())
	}
	id.WriteString("/")
	if dst.IsValid() {
		id.WriteString(dst.String())
	}
	fmt.Fprintf(&id, "/%d", priority)
	return id.String()
}

// RoutingRuleID is the id of a routing rule, the same for wish and status.
func RoutingRuleID(family value.Family, priority uint32) string {
	return fmt.Sprintf("%s/%05d", family, priority)
}

// defaultMetric is what the kernel gives IPv6 routes that ask for 0, and what
// other routes of ours get.
const defaultMetric = 1024

// ID is the id of the route.
func (r RouteSpecSpec) ID() string {
	return RouteID(r.Table, r.OutLinkName, r.Family, r.Gateway, r.Dst, r.Priority)
}

// Normal gives the route as the kernel will show it: the destination masked
// and empty for a default route, the family that destination or gateway have,
// and the scope, type, table and protocol that follow where none was set.
func (r RouteSpecSpec) Normal() RouteSpecSpec {
	switch {
	case r.Family != 0:
	case r.Dst.IsValid():
		r.Family = familyOf(r.Dst.Addr())
	case r.Gateway.IsValid():
		r.Family = familyOf(r.Gateway)
	case r.Src.IsValid():
		r.Family = familyOf(r.Src)
	default:
		r.Family = value.FamilyInet4
	}
	if r.Dst.IsValid() {
		r.Dst = r.Dst.Masked()
		if r.Dst.Bits() == 0 {
			r.Dst = netip.Prefix{}
		}
	}
	if r.Gateway.IsValid() && r.Gateway.IsUnspecified() {
		r.Gateway = netip.Addr{}
	}
	if r.Table == RoutingTableUnspec {
		r.Table = RoutingTableMain
	}
	if r.Type == RouteTypeUnspec {
		r.Type = RouteTypeUnicast
	}
	if r.Protocol == RouteProtocolUnspec {
		r.Protocol = RouteProtocolStatic
	}
	switch {
	case r.Family == value.FamilyInet6:
		r.Scope = ScopeGlobal
		if r.Priority == 0 {
			r.Priority = defaultMetric
		}
	case !r.Gateway.IsValid() && r.Type == RouteTypeUnicast && r.Scope == ScopeGlobal:
		r.Scope = ScopeLink
	}
	return r
}

func familyOf(a netip.Addr) value.Family {
	if a.Unmap().Is4() {
		return value.FamilyInet4
	}
	return value.FamilyInet6
}

// Physical tells whether a link is hardware.
func (l LinkStatusSpec) Physical() bool { return l.Type == LinkTypeEther && l.Kind == "" }

// IsUp tells whether a link is set up.
func (l LinkStatusSpec) IsUp() bool { return l.Flags&LinkFlagUp != 0 }
