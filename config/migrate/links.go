package migrate

import (
	"fmt"
	"net/netip"
	"slices"

	"github.com/ichor-os/ichor/config/document"
	"github.com/ichor-os/ichor/config/documents/network"
	"github.com/ichor-os/ichor/config/documents/v1alpha1"
	"github.com/ichor-os/ichor/config/scalar"
)

// linksUp makes documents of the links in machine.network.interfaces. A link
// moves whole or not at all.
func linksUp(m *migration) {
	n := m.network()
	if n == nil {
		return
	}

	names := make(map[string]int)

	for _, d := range n.Interfaces {
		if d != nil {
			names[d.Interface]++
		}
	}

	var kept []*v1alpha1.Device

	for i, d := range n.Interfaces {
		where := fmt.Sprintf("machine.network.interfaces[%d]", i)

		var (
			docs   []document.Document
			reason string
		)

		switch {
		case d == nil:
			reason = "an empty interface has no newer form"
		case names[d.Interface] > 1 && d.Interface != "":
			reason = "the interface stands twice"
		default:
			docs, reason = linkDocuments(d)
		}

		if clash := m.clash(docs); reason == "" && clash != "" {
			reason = "there is a document already: " + clash
		}

		if reason != "" {
			m.keep(where, "%s", reason)
			kept = append(kept, d)

			continue
		}

		for _, doc := range docs {
			m.add(doc, "machine.network.interfaces[interface="+d.Interface+"]")
		}
	}

	n.Interfaces = kept
	m.dropEmptyNetwork()
}

// clash names the first of the documents that is there already, or that has
// the name of one of a kind it conflicts with.
func (m *migration) clash(docs []document.Document) string {
	for i, d := range docs {
		for _, o := range slices.Concat(m.other, docs[:i]) {
			if o.Name() != d.Name() {
				continue
			}

			if o.Kind() == d.Kind() || slices.Contains(d.Kind().ConflictsWith, o.Kind().Kind) {
				return document.Title(o)
			}
		}
	}

	return ""
}

// linkDocuments are the documents for one interface, or the reason why it has no newer form.
func linkDocuments(d *v1alpha1.Device) ([]document.Document, string) {
	switch {
	case d.Interface == "" || d.DeviceSelector != nil:
		return nil, "links that are selected by hardware need a LinkAliasConfig, written by hand"
	case d.Ignore != nil:
		return nil, "ignore has no newer form"
	case d.BridgePort != nil:
		return nil, "bridgePort has no newer form: list the link in the bridge"
	}

	common, reason := commonLink(d.CIDR, d.Addresses, d.Routes, d.MTU)
	if reason != "" {
		return nil, reason
	}

	docs, reason := clientDocuments(d.Interface, d.DHCP, d.DHCPOptions, d.VIP)
	if reason != "" {
		return nil, reason
	}

	for _, v := range d.Vlans {
		more, reason := vlanDocuments(d.Interface, v)
		if reason != "" {
			return nil, reason
		}

		docs = append(docs, more...)
	}

	link, reason := linkDocument(d, common, len(docs) == 0)
	if link != nil {
		docs = append([]document.Document{link}, docs...)
	}

	return docs, reason
}

// linkDocument is the document of the link itself; nil if nothing but other documents is said of it.
func linkDocument(d *v1alpha1.Device, common network.CommonLink, alone bool) (document.Document, string) {
	made := 0
	for _, is := range []bool{d.Bond != nil, d.Bridge != nil, d.Dummy != nil && *d.Dummy, d.Wireguard != nil} {
		if is {
			made++
		}
	}

	switch {
	case made > 1:
		return nil, "the link is of several sorts at once"
	case d.Bond != nil:
		return bondDocument(d.Interface, d.Bond, common)
	case d.Bridge != nil:
		return bridgeDocument(d.Interface, d.Bridge, common), ""
	case d.Dummy != nil && *d.Dummy:
		return &network.DummyLinkConfig{DocName: d.Interface, CommonLink: common}, ""
	case d.Wireguard != nil:
		return wireguardDocument(d.Interface, d.Wireguard, common)
	case alone || common.MTU != 0 || len(common.Addresses) > 0 || len(common.Routes) > 0:
		return &network.LinkConfig{DocName: d.Interface, CommonLink: common}, ""
	}

	return nil, ""
}

func commonLink(cidr string, addresses []string, routes []*v1alpha1.Route, mtu int) (network.CommonLink, string) {
	c := network.CommonLink{MTU: uint32(mtu)}

	if mtu < 0 || int64(mtu) > 1<<32-1 {
		return c, "the MTU is out of range"
	}

	if cidr != "" {
		addresses = append([]string{cidr}, addresses...)
	}

	for _, text := range addresses {
		p, err := netip.ParsePrefix(text)
		if err != nil {
			return c, fmt.Sprintf("address has no prefix length: %q", text)
		}

		c.Addresses = append(c.Addresses, network.LinkAddress{Address: scalar.Prefix{Prefix: p}})
	}

	for _, r := range routes {
		route, reason := newRoute(r)
		if reason != "" {
			return c, reason
		}

		c.Routes = append(c.Routes, route)
	}

	return c, ""
}

// newRoute leaves the destination of a default route out: its gateway tells the family.
func newRoute(r *v1alpha1.Route) (network.Route, string) {
	var route network.Route

	if r == nil {
		return route, "a route is empty"
	}

	route.Metric, route.MTU = r.Metric, r.MTU

	var errs [3]error

	route.Destination, errs[0] = scalar.ParsePrefix(r.Network)
	route.Gateway, errs[1] = scalar.ParseAddress(r.Gateway)
	route.Source, errs[2] = scalar.ParseAddress(r.Source)

	for _, err := range errs {
		if err != nil {
			return route, "a route cannot be read"
		}
	}

	if route.Destination.IsValid() && route.Destination.Bits() == 0 {
		if !route.Gateway.IsValid() || route.Gateway.Is4() != route.Destination.Addr().Is4() {
			return route, "a default route without gateway of its family has no newer form"
		}

		route.Destination = scalar.Prefix{}
	}

	return route, ""
}

// clientDocuments are the documents for DHCP and a shared address on a link.
func clientDocuments(link string, dhcp *bool, o *v1alpha1.DHCPOptions, vip *v1alpha1.DeviceVIPConfig) ([]document.Document, string) {
	var docs []document.Document

	on := dhcp != nil && *dhcp
	if o != nil && !on {
		return nil, "dhcpOptions without dhcp have no newer form"
	}

	if o == nil {
		o = new(v1alpha1.DHCPOptions)
	}

	if on && (o.IPv4 == nil || *o.IPv4) {
		docs = append(docs, &network.DHCPv4Config{DocName: link, DHCPLease: network.DHCPLease{RouteMetric: o.RouteMetric}})
	}

	if on && o.IPv6 != nil && *o.IPv6 {
		client := &network.DHCPv6Config{DocName: link, DHCPLease: network.DHCPLease{RouteMetric: o.RouteMetric}}

		if o.DUIDv6 != "" {
			raw, err := scalar.ParseHardwareAddr(o.DUIDv6)
			if err != nil {
				return nil, "duidv6 is not hexadecimal"
			}

			duid := network.ClientIdentifierDUID
			client.ClientIdentifier, client.DUIDRaw = &duid, raw
		}

		docs = append(docs, client)
	} else if o.DUIDv6 != "" {
		return nil, "duidv6 without DHCPv6 has no newer form"
	}

	if on && len(docs) == 0 {
		return nil, "dhcp for no IP version has no newer form"
	}

	switch {
	case vip == nil:
	case vip.EquinixMetal != nil:
		return nil, "a shared address through Equinix Metal has no newer form"
	case vip.HCloud != nil:
		docs = append(docs, &network.HCloudVIPConfig{DocName: vip.IP, Link: link, APIToken: vip.HCloud.APIToken})
	default:
		docs = append(docs, &network.Layer2VIPConfig{DocName: vip.IP, Link: link})
	}

	return docs, ""
}

// vlanName is the name that a VLAN on a link has in the older form.
func vlanName(parent string, id uint16) string { return fmt.Sprintf("%s.%d", parent, id) }

func vlanDocuments(parent string, v *v1alpha1.Vlan) ([]document.Document, string) {
	if v == nil || v.ID == 0 {
		return nil, "a VLAN without number has no newer form"
	}

	common, reason := commonLink(v.CIDR, v.Addresses, v.Routes, int(v.MTU))
	if reason != "" {
		return nil, reason
	}

	name, mode := vlanName(parent, v.ID), network.VLANMode8021Q

	docs, reason := clientDocuments(name, v.DHCP, v.DHCPOptions, v.VIP)
	link := &network.VLANConfig{DocName: name, VLANID: v.ID, VLANMode: &mode, Parent: parent, CommonLink: common}

	return append([]document.Document{link}, docs...), reason
}
