package validate

import (
	"fmt"
	"net/netip"

	"github.com/ichor-os/ichor/config/document"
	"github.com/ichor-os/ichor/config/documents/network"
)

// linkUse is what one document says about a network link.
type linkUse struct {
	doc    document.Document
	name   string
	common *network.CommonLink
	// members are the links that this one is made of, at path; layer says that
	// they may carry addresses of their own.
	members []string
	path    string
	layer   bool
}

// linksOf collects the documents that describe links.
func linksOf(docs []document.Document) []linkUse {
	var all []linkUse

	for _, d := range docs {
		use := linkUse{doc: d, name: d.Name(), path: "links"}

		switch c := d.(type) {
		case *network.LinkConfig:
			use.common = &c.CommonLink
		case *network.DummyLinkConfig:
			use.common = &c.CommonLink
		case *network.WireguardConfig:
			use.common = &c.CommonLink
		case *network.VethConfig:
			use.common = &c.CommonLink
		case *network.BondConfig:
			use.common, use.members = &c.CommonLink, c.Links
		case *network.BridgeConfig:
			use.common, use.members = &c.CommonLink, c.Links
		case *network.VRFConfig:
			use.common, use.members, use.layer = &c.CommonLink, c.Links, true
		case *network.VLANConfig:
			use.common, use.members, use.layer, use.path = &c.CommonLink, []string{c.Parent}, true, "parent"
		default:
			continue
		}

		all = append(all, use)
	}

	return all
}

// adviseLinks compares the documents about links with each other.
func adviseLinks(v *document.Validation, docs []document.Document) {
	links := linksOf(docs)
	byName := make(map[string]linkUse, len(links))

	for _, l := range links {
		byName[l.name] = l
	}

	adviseMembership(v, links, byName, docs)
	adviseVLANs(v, docs, byName)
	adviseAddresses(v, links)
	adviseDefaultRoutes(v, links)
}

// adviseMembership names links that belong to two others, and members of bonds
// and bridges that have addresses of their own.
func adviseMembership(v *document.Validation, links []linkUse, byName map[string]linkUse, docs []document.Document) {
	owner := map[string]linkUse{}

	for _, l := range links {
		if l.path == "parent" {
			continue
		}

		for _, member := range l.members {
			if first, taken := owner[member]; taken && first.name != l.name {
				v.For(l.doc).Advisef(l.path, "link %s belongs to %s already", member, document.Title(first.doc))
			}

			owner[member] = l

			if m, known := byName[member]; known && !l.layer && len(m.common.Addresses) > 0 {
				v.For(m.doc).Advisef("addresses", "link is a member of %s, so its addresses do not work", document.Title(l.doc))
			}
		}
	}

	for _, d := range docs {
		switch d.(type) {
		case *network.DHCPv4Config, *network.DHCPv6Config:
			if l, taken := owner[d.Name()]; taken && !l.layer {
				v.For(d).Advisef("name", "link is a member of %s, so it gets no lease", document.Title(l.doc))
			}
		}
	}
}

// adviseVLANs names VLANs that stand twice on a link, and those that carry
// larger packets than the link below.
func adviseVLANs(v *document.Validation, docs []document.Document, byName map[string]linkUse) {
	type tag struct {
		parent string
		id     uint16
	}

	seen := map[tag]document.Document{}

	for _, d := range docs {
		c, ok := d.(*network.VLANConfig)
		if !ok || c.Parent == "" {
			continue
		}

		key := tag{c.Parent, c.VLANID}
		if first := seen[key]; first != nil {
			v.For(d).Advisef("vlanID", "%s is VLAN %d of %s too", document.Title(first), c.VLANID, c.Parent)
		}

		seen[key] = d

		if p, known := byName[c.Parent]; known && p.common.MTU != 0 && c.MTU > p.common.MTU {
			v.For(d).Advisef("mtu", "MTU %d is above that of the link below: %s has %d", c.MTU, document.Title(p.doc), p.common.MTU)
		}
	}
}

// adviseAddresses names addresses that two links have.
func adviseAddresses(v *document.Validation, links []linkUse) {
	owner := map[netip.Addr]linkUse{}

	for _, l := range links {
		for i, a := range l.common.Addresses {
			if !a.Address.IsValid() {
				continue
			}

			addr := a.Address.Addr()
			if first, taken := owner[addr]; taken && first.name != l.name {
				v.For(l.doc).Item("addresses", i).Advisef("address", "%s has the address %s too", document.Title(first.doc), addr)
			}

			owner[addr] = l
		}
	}
}

// adviseDefaultRoutes names default routes of the same priority on two links.
func adviseDefaultRoutes(v *document.Validation, links []linkUse) {
	type priority struct {
		ipv6   bool
		metric uint32
		table  string
	}

	owner := map[priority]linkUse{}

	for _, l := range links {
		for i, r := range l.common.Routes {
			if !r.Destination.IsZero() || r.Gateway.IsZero() {
				continue
			}

			key := priority{r.Gateway.Is6(), r.Metric, r.Table.String()}
			if first, taken := owner[key]; taken && first.name != l.name {
				v.For(l.doc).Advisef(fmt.Sprintf("routes[%d].metric", i), "%s has a default route of the same priority", document.Title(first.doc)).
					Fix("give the routes different metrics; the lowest wins")
			}

			owner[key] = l
		}
	}
}
