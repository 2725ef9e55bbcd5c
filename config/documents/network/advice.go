package network

import (
	"net/netip"
	"regexp"
	"slices"
	"strings"

	"github.com/ichor-os/ichor/config/document"
	"github.com/ichor-os/ichor/config/documents/rules"
	"github.com/ichor-os/ichor/config/scalar"
)

// Limits of the kernel and of the protocols.
const (
	maxLinkName = 15 // IFNAMSIZ - 1
	minIPv4MTU  = 68 // RFC 791
	minIPv6MTU  = 1280
	maxMTU      = 65535
)

func (l *CommonLink) advise(v *document.Validation) {
	hasIPv6 := slices.ContainsFunc(l.Addresses, func(a LinkAddress) bool { return a.Address.IsValid() && a.Address.Addr().Is6() })

	switch {
	case l.MTU == 0:
	case l.MTU < minIPv4MTU:
		v.Advisef("mtu", "the kernel refuses an MTU below %d", minIPv4MTU)
	case l.MTU < minIPv6MTU && hasIPv6:
		v.Advisef("mtu", "IPv6 needs an MTU of %d or more", minIPv6MTU)
	case l.MTU > maxMTU:
		v.Advisef("mtu", "no link carries packets of %d bytes", l.MTU)
	}

	seen := map[netip.Addr]bool{}

	for i, a := range l.Addresses {
		if addr := a.Address.Addr(); a.Address.IsValid() {
			if seen[addr] {
				v.Item("addresses", i).Advisef("address", "address stands twice: %s", addr)
			}

			seen[addr] = true
		}
	}

	for i, r := range l.Routes {
		r.advise(v.Item("routes", i))
	}
}

func (r *Route) advise(v *document.Validation) {
	if r.Destination.IsValid() {
		if r.Gateway.IsValid() && r.Gateway.Is6() != r.Destination.Addr().Is6() {
			v.Advisef("gateway", "gateway and destination are of different IP versions")
		}

		if masked := r.Destination.Masked(); masked != r.Destination.Prefix {
			v.Advisef("destination", "destination has bits beyond its length").Fix("use %s", masked)
		}
	}

	if r.Source.IsValid() && r.Gateway.IsValid() && r.Gateway.Is6() != r.Source.Is6() {
		v.Advisef("source", "source and gateway are of different IP versions")
	}
}

func adviseLinkName(v *document.Validation, name string) {
	if len(name) > maxLinkName || strings.ContainsAny(name, "/: \t\n") {
		v.Advisef("name", "the kernel refuses the link name %q", name).Fix("use at most %d characters, without blanks, slashes and colons", maxLinkName)
	}
}

// adviseMembers looks at the links that a link is made of.
func adviseMembers(v *document.Validation, name string, members []string) {
	for i, member := range members {
		switch {
		case member == name && name != "":
			v.Advisef("links", "link is a member of itself: %q", member)
		case slices.Contains(members[:i], member):
			v.Advisef("links", "link is listed twice: %q", member)
		}
	}
}

func (c *BondConfig) adviseBond(v *document.Validation) {
	set := func(p *uint32) bool { return p != nil && *p > 0 }

	for _, delay := range []struct {
		key   string
		value *uint32
	}{{"updelay", c.UpDelay}, {"downdelay", c.DownDelay}} {
		switch {
		case !set(delay.value):
		case !set(c.MIIMon):
			v.Advisef(delay.key, "%s has no effect without miimon", delay.key)
		case *delay.value%*c.MIIMon != 0:
			v.Advisef(delay.key, "the kernel rounds %s down to a multiple of miimon", delay.key)
		}
	}

	if set(c.MIIMon) && set(c.ARPInterval) {
		v.Advisef("arpInterval", "links are checked by carrier (miimon) or by ARP, not both")
	}

	if c.BondMode == nil {
		return
	}

	mode := *c.BondMode

	if mode != BondMode8023AD && (c.LACPRate != nil || c.ADActorSysPrio != nil || c.ADUserPortKey != nil || c.ADSelect != nil) {
		v.Advisef("bondMode", "LACP keys have an effect only in mode 802.3ad")
	}

	if set(c.ARPInterval) && slices.Contains([]BondMode{BondMode8023AD, BondModeBalanceTLB, BondModeBalanceALB}, mode) {
		v.Advisef("arpInterval", "the kernel refuses ARP probes in mode %s", mode)
	}

	if c.Primary != "" {
		if !slices.Contains(c.Links, c.Primary) {
			v.Advisef("primary", "primary is no member of the bond: %q", c.Primary).Fix("use one of the links")
		}

		if !slices.Contains([]BondMode{BondModeActiveBackup, BondModeBalanceTLB, BondModeBalanceALB}, mode) {
			v.Advisef("primary", "mode %s has no primary", mode)
		}
	}

	if c.PacketsPerSlave != nil && mode != BondModeBalanceRR {
		v.Advisef("packetsPerSlave", "packetsPerSlave has an effect only in mode balance-rr")
	}
}

func (c *WireguardConfig) advisePeers(v *document.Validation) {
	keys := map[string]bool{}
	owners := map[netip.Prefix]bool{}

	for i, p := range c.Peers {
		at := v.Item("peers", i)

		if keys[p.PublicKey] && p.PublicKey != "" {
			at.Advisef("publicKey", "another peer has the same key")
		}

		keys[p.PublicKey] = true

		for _, allowed := range p.AllowedIPs {
			if masked := allowed.Masked(); allowed.IsValid() {
				if owners[masked] {
					at.Advisef("allowedIPs", "another peer has the network %s too; only the last one gets its packets", masked)
				}

				owners[masked] = true
			}
		}
	}
}

// macText matches a text with a hardware address, or the start of one.
var macText = regexp.MustCompile(`["'](?:[0-9A-Fa-f]{2}:)+(?:[0-9A-Fa-f]{2})?["']`)

func (c *LinkAliasConfig) adviseSelector(v *document.Validation) {
	text := string(c.Selector.Match)
	upper := func(address string) bool { return address != strings.ToLower(address) }

	if strings.Contains(text, "mac(") && slices.ContainsFunc(macText.FindAllString(text, -1), upper) {
		v.Advisef("selector.match", "mac() yields lower-case text, which never equals one with upper-case digits").Fix("write hardware addresses in lower case")
	}
}

func (c *RuleConfig) adviseRule(v *document.Validation) {
	if c.PortSelector.Protocol.IsZero() {
		v.Advisef("portSelector.protocol", "protocol is missing, so the rule matches nothing").Fix("add protocol: tcp or protocol: udp")
	}

	for i, r := range c.Ingress {
		if r.Subnet.IsValid() && r.Except.IsValid() && !contains(r.Subnet, r.Except) {
			v.Item("ingress", i).Advisef("except", "%s does not lie in %s", r.Except, r.Subnet)
		}
	}
}

// contains tells whether inner is a part of outer.
func contains(outer, inner scalar.Prefix) bool {
	return inner.Bits() >= outer.Bits() && outer.Masked().Contains(inner.Addr())
}

func (c *ResolverConfig) advise(v *document.Validation) {
	for i, n := range c.Nameservers {
		at := v.Item("nameservers", i)

		switch {
		case n.Address.IsZero():
			at.Advisef("address", "name server has no address")
		case slices.Contains(c.Nameservers[:i], n):
			at.Advisef("address", "name server stands twice: %s", n.Address)
		}
	}

	for i, d := range c.SearchDomains.Domains {
		adviseHostname(v.At("searchDomains").Item("domains", i), "", d)
	}
}

func (c *RoutingRuleConfig) advise(v *document.Validation) {
	if c.Priority() > priorityDefault {
		v.Advisef("name", "rule comes after those of the main table, so it is hardly ever reached").Fix("use a number from 1 to %d", priorityMain-1)
	}

	if c.Src.IsValid() && c.Dst.IsValid() && c.Src.Addr().Is6() != c.Dst.Addr().Is6() {
		v.Advisef("dst", "src and dst are of different IP versions, so the rule matches nothing")
	}
}

func adviseHostname(v *document.Validation, path, name string) {
	if name != "." && !rules.IsHostname(name) {
		v.Advisef(path, "%q is no valid host name", name).Fix("use letters, digits and dashes between dots")
	}
}

func adviseHostPort(v *document.Validation, path, endpoint string) {
	host, port, found := cutLast(endpoint, ":")
	if !found || host == "" || port == "" {
		v.Advisef(path, "endpoint has not the form host:port: %q", endpoint)
	}
}

func cutLast(s, sep string) (before, after string, found bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}

	return s[:i], s[i+len(sep):], true
}
