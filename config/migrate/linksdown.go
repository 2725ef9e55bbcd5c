package migrate

import (
	"cmp"
	"slices"
	"strings"

	"github.com/ichor-os/ichor/config/document"
	"github.com/ichor-os/ichor/config/documents/network"
	"github.com/ichor-os/ichor/config/documents/v1alpha1"
)

// devices collects the interfaces that documents of links become.
type devices struct {
	m     *migration
	list  []*v1alpha1.Device
	taken map[string]bool // names that machine.network.interfaces has already
}

// linksDown makes interfaces of the documents of links. A document moves whole
// or not at all.
func linksDown(m *migration) {
	d := &devices{m: m, taken: make(map[string]bool)}

	if n := m.network(); n != nil {
		for _, old := range n.Interfaces {
			if old != nil {
				d.taken[old.Interface] = true
			}
		}
	}

	order := mentions(m.other)

	// Links first, then what stands on them; DHCP and shared addresses last.
	for _, step := range []func(document.Document) (handled bool, reason string){d.link, d.vlan, d.client, d.address} {
		for _, doc := range slices.Clone(m.other) {
			handled, reason := step(doc)

			switch {
			case !handled:
			case reason != "":
				m.lose(document.Title(doc), "%s", reason)
			case m.machine() != nil:
				m.move(doc, "machine.network.interfaces")
				m.drop(doc)
			}
		}
	}

	if len(d.list) == 0 {
		return
	}

	slices.SortStableFunc(d.list, func(a, b *v1alpha1.Device) int { return cmp.Compare(order[a.Interface], order[b.Interface]) })

	if m.main.Machine.Network == nil {
		m.main.Machine.Network = new(v1alpha1.NetworkConfig)
	}

	m.main.Machine.Network.Interfaces = append(m.main.Machine.Network.Interfaces, d.list...)
}

// mentions says at which document each link is named first.
func mentions(docs []document.Document) map[string]int {
	order := make(map[string]int)

	for i, doc := range docs {
		name := doc.Name()

		switch x := doc.(type) {
		case *network.VLANConfig:
			name = x.Parent
		case *network.Layer2VIPConfig:
			name = x.Link
		case *network.HCloudVIPConfig:
			name = x.Link
		}

		if _, ok := order[name]; !ok {
			order[name] = i
		}
	}

	return order
}

// device returns the interface of a name; the reason says why there can be none.
func (d *devices) device(name string) (*v1alpha1.Device, string) {
	switch {
	case d.m.machine() == nil:
		return nil, "there is no main document to move it to"
	case d.taken[name]:
		return nil, "machine.network.interfaces has " + name + " too"
	}

	for _, x := range d.list {
		if x.Interface == name {
			return x, ""
		}
	}

	x := &v1alpha1.Device{Interface: name}
	d.list = append(d.list, x)

	return x, ""
}

func (d *devices) link(doc document.Document) (handled bool, reason string) {
	var (
		form   v1alpha1.Device
		common *network.CommonLink
	)

	switch x := doc.(type) {
	case *network.LinkConfig:
		common = &x.CommonLink
	case *network.BondConfig:
		common = &x.CommonLink
		form.Bond, reason = oldBond(x)
	case *network.BridgeConfig:
		common = &x.CommonLink
		form.Bridge, reason = oldBridge(x)
	case *network.WireguardConfig:
		common = &x.CommonLink
		form.Wireguard, reason = oldWireguard(x)
	case *network.DummyLinkConfig:
		yes := true
		common, form.Dummy = &x.CommonLink, &yes

		if !x.HardwareAddr.IsZero() {
			reason = "hardwareAddr has no older form"
		}
	default:
		return false, ""
	}

	if reason != "" {
		return true, reason
	}

	if form.Addresses, form.Routes, reason = oldCommon(common); reason != "" {
		return true, reason
	}

	form.Interface, form.MTU = doc.Name(), int(common.MTU)

	if again, why := linkDocuments(&form); why != "" || len(again) != 1 || !same(again[0], doc) {
		return true, "the link has settings without older form"
	}

	x, reason := d.device(doc.Name())
	if reason != "" {
		return true, reason
	}

	*x = form

	return true, ""
}

func (d *devices) vlan(doc document.Document) (handled bool, reason string) {
	v, ok := doc.(*network.VLANConfig)
	if !ok {
		return false, ""
	}

	if v.DocName != vlanName(v.Parent, v.VLANID) || v.VLANMode != nil && *v.VLANMode != network.VLANMode8021Q {
		return true, "the older form names a VLAN after its parent and number, and knows 802.1q only"
	}

	addresses, routes, reason := oldCommon(&v.CommonLink)
	if reason != "" {
		return true, reason
	}

	form := &v1alpha1.Vlan{ID: v.VLANID, MTU: v.MTU, Addresses: addresses, Routes: routes}

	mode := *v
	if mode.VLANMode == nil {
		q := network.VLANMode8021Q
		mode.VLANMode = &q
	}

	if again, why := vlanDocuments(v.Parent, form); why != "" || len(again) != 1 || !same(again[0], &mode) {
		return true, "the VLAN has settings without older form"
	}

	parent, reason := d.device(v.Parent)
	if reason != "" {
		return true, reason
	}

	parent.Vlans = append(parent.Vlans, form)

	return true, ""
}

// place is where DHCP and shared address of a link stand: an interface or a VLAN of one.
type place struct {
	dhcp    **bool
	options **v1alpha1.DHCPOptions
	vip     **v1alpha1.DeviceVIPConfig
}

func (d *devices) place(link string) (place, string) {
	for _, x := range d.list {
		for _, v := range x.Vlans {
			if vlanName(x.Interface, v.ID) == link {
				return place{&v.DHCP, &v.DHCPOptions, &v.VIP}, ""
			}
		}
	}

	x, reason := d.device(link)
	if reason != "" {
		return place{}, reason
	}

	return place{&x.DHCP, &x.DHCPOptions, &x.VIP}, ""
}

func (d *devices) client(doc document.Document) (handled bool, reason string) {
	var (
		metric uint32
		duid   string
		six    bool
	)

	switch x := doc.(type) {
	case *network.DHCPv4Config:
		metric = x.RouteMetric
	case *network.DHCPv6Config:
		metric, duid, six = x.RouteMetric, strings.ReplaceAll(x.DUIDRaw.String(), ":", ""), true
	default:
		return false, ""
	}

	on, four := true, !six

	again, reason := clientDocuments(doc.Name(), &on, &v1alpha1.DHCPOptions{RouteMetric: metric, IPv4: &four, IPv6: &six, DUIDv6: duid}, nil)
	if reason != "" || len(again) != 1 || !same(again[0], doc) {
		return true, "DHCP has settings without older form"
	}

	p, reason := d.place(doc.Name())
	if reason != "" {
		return true, reason
	}

	yes, no := true, false
	first := *p.dhcp == nil

	if *p.options == nil && (six || metric != 0) {
		*p.options = new(v1alpha1.DHCPOptions)
	}

	o := *p.options

	if !first && o != nil && o.RouteMetric != metric {
		return true, "the older form has one route metric for both IP versions"
	}

	*p.dhcp = &yes

	if o == nil {
		return true, ""
	}

	o.RouteMetric = metric

	switch {
	case six:
		o.IPv6, o.DUIDv6 = &yes, duid
		if first {
			o.IPv4 = &no
		}
	case !first:
		o.IPv4 = nil
	}

	return true, ""
}

func (d *devices) address(doc document.Document) (handled bool, reason string) {
	var (
		link string
		vip  = &v1alpha1.DeviceVIPConfig{IP: doc.Name()}
	)

	switch x := doc.(type) {
	case *network.Layer2VIPConfig:
		link = x.Link
	case *network.HCloudVIPConfig:
		link = x.Link
		vip.HCloud = &v1alpha1.VIPHCloudConfig{APIToken: x.APIToken}
	default:
		return false, ""
	}

	p, reason := d.place(link)

	switch {
	case reason != "":
		return true, reason
	case *p.vip != nil:
		return true, "the older form has one shared address a link"
	}

	*p.vip = vip

	return true, ""
}

// oldCommon is the older form of what all links have.
func oldCommon(c *network.CommonLink) (addresses []string, routes []*v1alpha1.Route, reason string) {
	if c.Up != nil || c.Multicast != nil {
		return nil, nil, "up and multicast have no older form"
	}

	for _, a := range c.Addresses {
		if a.RoutePriority != nil || !a.Address.IsValid() {
			return nil, nil, "routePriority has no older form"
		}

		addresses = append(addresses, a.Address.String())
	}

	for _, r := range c.Routes {
		if !r.Table.IsZero() {
			return nil, nil, "routing tables have no older form"
		}

		old := &v1alpha1.Route{Network: r.Destination.String(), Gateway: r.Gateway.String(), Source: r.Source.String(), Metric: r.Metric, MTU: r.MTU}

		switch {
		case r.Destination.IsValid():
		case !r.Gateway.IsValid():
			return nil, nil, "a route without destination and gateway has no older form"
		case r.Gateway.Is4():
			old.Network = "0.0.0.0/0"
		default:
			old.Network = "::/0"
		}

		routes = append(routes, old)
	}

	return addresses, routes, ""
}
