package link

import (
	"fmt"
	"net"
	"net/netip"

	"github.com/vishvananda/netlink"

	"github.com/ichor-os/ichor/node/link/spec"
	"github.com/ichor-os/ichor/resource"
	"github.com/ichor-os/ichor/resource/value"
)

func (k *Kernel) links() ([]resource.Item[spec.LinkStatusSpec], error) {
	links, err := again(k.handle.LinkList)
	if err != nil {
		return nil, fmt.Errorf("list links: %w", err)
	}
	var items []resource.Item[spec.LinkStatusSpec]
	for _, l := range links {
		items = append(items, resource.Item[spec.LinkStatusSpec]{ID: l.Attrs().Name, Spec: k.linkStatus(l)})
	}
	return items, nil
}

func (k *Kernel) linkStatus(l netlink.Link) spec.LinkStatusSpec {
	a := l.Attrs()
	s := spec.LinkStatusSpec{
		Alias:            a.Alias,
		AltNames:         a.AltNames,
		Index:            uint32(a.Index),
		Type:             linkType(a),
		LinkIndex:        uint32(max(a.ParentIndex, 0)),
		Flags:            spec.LinkFlags(a.RawFlags),
		HardwareAddr:     hardwareAddr(a.HardwareAddr),
		PermanentAddr:    hardwareAddr(a.PermHWAddr),
		MTU:              uint32(a.MTU),
		MasterIndex:      uint32(a.MasterIndex),
		OperationalState: spec.OperationalState(a.OperState),
		LinkState:        a.RawFlags&uint32(spec.LinkFlagRunning) != 0,
		Kind:             kindOf(l),
		Port:             spec.PortOther,
		Duplex:           spec.DuplexUnknown,
	}
	if a.Slave != nil {
		s.SlaveKind = a.Slave.SlaveType()
	}
	if f, ok := forms[s.Kind]; ok && f.status != nil {
		f.status(l, &s)
	}
	if s.Kind == "" && s.Type == spec.LinkTypeEther {
		k.hardware(a.Name, &s)
	}
	return s
}

// kindOf gives the kind of a link that software makes; hardware has none.
func kindOf(l netlink.Link) string {
	if l.Type() == "device" {
		return ""
	}
	return l.Type()
}

func linkType(a *netlink.LinkAttrs) spec.LinkType {
	var t spec.LinkType
	if err := t.UnmarshalText([]byte(a.EncapType)); err != nil {
		return spec.LinkTypeVoid
	}
	return t
}

func hardwareAddr(a net.HardwareAddr) value.HardwareAddr {
	if len(a) == 0 {
		return nil
	}
	return value.HardwareAddr(a)
}

// names gives the links' names by index.
func (k *Kernel) names() (map[int]string, error) {
	links, err := again(k.handle.LinkList)
	if err != nil {
		return nil, fmt.Errorf("list links: %w", err)
	}
	names := map[int]string{}
	for _, l := range links {
		names[l.Attrs().Index] = l.Attrs().Name
	}
	return names, nil
}

func (k *Kernel) addresses() ([]resource.Item[spec.AddressStatusSpec], error) {
	names, err := k.names()
	if err != nil {
		return nil, err
	}
	list, err := again(func() ([]netlink.Addr, error) { return k.handle.AddrList(nil, netlink.FAMILY_ALL) })
	if err != nil {
		return nil, fmt.Errorf("list addresses: %w", err)
	}
	var items []resource.Item[spec.AddressStatusSpec]
	for _, a := range list {
		name, ok := names[a.LinkIndex]
		if !ok || a.IPNet == nil {
			continue // the link came or went meanwhile: its news are on the way
		}
		s := spec.AddressStatusSpec{
			Address:   prefix(a.IPNet),
			Local:     addr(a.IP),
			Broadcast: addr(a.Broadcast),
			LinkIndex: uint32(a.LinkIndex),
			LinkName:  name,
			Scope:     spec.Scope(a.Scope),
			Flags:     spec.AddressFlags(a.Flags),
		}
		s.Family = family(s.Address.Addr())
		if k.conflicts.has(a.LinkIndex, s.Local) {
			s.Flags |= spec.AddressFlagDadfailed // as the kernel says it of IPv6
		}
		items = append(items, resource.Item[spec.AddressStatusSpec]{ID: spec.AddressID(name, s.Address), Spec: s})
	}
	return items, nil
}

func family(a netip.Addr) value.Family {
	if a.Is4() {
		return value.FamilyInet4
	}
	return value.FamilyInet6
}

func (k *Kernel) routesNow() ([]resource.Item[spec.RouteStatusSpec], error) {
	names, err := k.names()
	if err != nil {
		return nil, err
	}
	var items []resource.Item[spec.RouteStatusSpec]
	seen := map[string]bool{}
	for _, f := range []int{netlink.FAMILY_V4, netlink.FAMILY_V6} {
		list, err := again(func() ([]netlink.Route, error) {
			// A filter by an unspecified table gives all tables.
			return k.handle.RouteListFiltered(f, &netlink.Route{}, netlink.RT_FILTER_TABLE)
		})
		if err != nil {
			return nil, fmt.Errorf("list routes: %w", err)
		}
		for _, r := range list {
			for _, s := range routeStatuses(r, f, names) {
				id := spec.RouteID(s.Table, s.OutLinkName, s.Family, s.Gateway, s.Dst, s.Priority)
				if !seen[id] {
					seen[id] = true
					items = append(items, resource.Item[spec.RouteStatusSpec]{ID: id, Spec: s})
				}
			}
		}
	}
	return items, nil
}

// routeStatuses gives a status for each next hop of a route.
func routeStatuses(r netlink.Route, f int, names map[int]string) []spec.RouteStatusSpec {
	s := spec.RouteStatusSpec{
		Family:   value.Family(f),
		Dst:      prefix(r.Dst),
		Src:      addr(r.Src),
		Table:    spec.RoutingTable(r.Table),
		Priority: uint32(r.Priority),
		Scope:    spec.Scope(r.Scope),
		Type:     spec.RouteType(r.Type),
		Protocol: spec.RouteProtocol(r.Protocol),
		MTU:      uint32(r.MTU),
	}
	if s.Dst.IsValid() && s.Dst.Bits() == 0 {
		s.Dst = netip.Prefix{}
	}
	hops := r.MultiPath
	if len(hops) == 0 {
		hops = []*netlink.NexthopInfo{{LinkIndex: r.LinkIndex, Gw: r.Gw}}
	}
	var all []spec.RouteStatusSpec
	for _, hop := range hops {
		s := s
		s.Gateway = addr(hop.Gw)
		if !refuses(s.Type) {
			s.OutLinkIndex = uint32(hop.LinkIndex)
			s.OutLinkName = names[hop.LinkIndex]
		}
		all = append(all, s)
	}
	return all
}

// refuses tells whether packets end at routes of the type.
func refuses(t spec.RouteType) bool {
	return t == spec.RouteTypeBlackhole || t == spec.RouteTypeUnreachable || t == spec.RouteTypeProhibit
}

func (k *Kernel) rules() ([]resource.Item[spec.RoutingRuleStatusSpec], error) {
	var items []resource.Item[spec.RoutingRuleStatusSpec]
	seen := map[string]int{}
	for _, f := range []int{netlink.FAMILY_V4, netlink.FAMILY_V6} {
		list, err := again(func() ([]netlink.Rule, error) { return k.handle.RuleList(f) })
		if err != nil {
			return nil, fmt.Errorf("list routing rules: %w", err)
		}
		for _, r := range list {
			s := ruleStatus(r, f)
			id := spec.RoutingRuleID(s.Family, s.Priority)
			seen[id]++
			if n := seen[id]; n > 1 {
				id = fmt.Sprintf("%s/%d", id, n) // others may have several rules of one priority
			}
			items = append(items, resource.Item[spec.RoutingRuleStatusSpec]{ID: id, Spec: s})
		}
	}
	return items, nil
}

func ruleStatus(r netlink.Rule, f int) spec.RoutingRuleStatusSpec {
	s := spec.RoutingRuleStatusSpec{
		Family:   value.Family(f),
		Src:      prefix(r.Src),
		Dst:      prefix(r.Dst),
		Table:    spec.RoutingTable(max(r.Table, 0)),
		Priority: uint32(max(r.Priority, 0)),
		Action:   spec.RoutingRuleAction(r.Type),
		IIFName:  r.IifName,
		OIFName:  r.OifName,
		FwMark:   r.Mark,
	}
	if r.Mask != nil && r.Mark != 0 {
		s.FwMask = *r.Mask
	}
	return s
}
