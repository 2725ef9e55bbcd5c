package link

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"reflect"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"github.com/ichor-os/ichor/node/link/spec"
	"github.com/ichor-os/ichor/resource"
	"github.com/ichor-os/ichor/resource/value"
)

func (k *Kernel) ensureRoute(_ context.Context, s *resource.Session, r resource.Resource[spec.RouteSpecSpec]) error {
	want := r.Spec.Normal()
	index := 0
	if want.OutLinkName != "" {
		l, ok := spec.LinkStatuses.Get(s, want.OutLinkName)
		if !ok {
			return resource.Hold("waiting for link " + want.OutLinkName)
		}
		if !l.IsUp() {
			return resource.Hold("waiting for link " + want.OutLinkName + " to be up")
		}
		index = int(l.Index)
	}
	is, there := spec.RouteStatuses.Get(s, r.ID)
	if there && is.Src == want.Src && is.MTU == want.MTU && is.Type == want.Type && (index == 0 || is.OutLinkIndex == uint32(index)) {
		k.locked(func() { k.made.routes[slotOf(want)] = r.ID })
		return nil
	}
	s.WakeAfter(confirm)
	err := k.putRoute(r.ID, want, index, there)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, unix.ENETUNREACH), errors.Is(err, unix.EHOSTUNREACH), errors.Is(err, unix.ENETDOWN), errors.Is(err, unix.EINVAL):
		// The way to the gateway or the source address is not there yet: any
		// new address or link may bring it.
		spec.AddressStatuses.List(s)
		s.WakeAfter(retry)
		return resource.Hold(fmt.Sprintf("waiting for a way to route %s: %v", r.ID, err))
	case errors.Is(err, errTaken):
		s.WakeAfter(retry)
		return resource.Hold(err.Error())
	}
	return err
}

var errTaken = errors.New("a route that somebody else made has this destination and metric")

// putRoute puts a route into its slot. What somebody else put there is not
// replaced.
func (k *Kernel) putRoute(id string, want spec.RouteSpecSpec, index int, there bool) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	route := kernelRoute(want, index)
	at := slotOf(want)
	_, ours := k.made.routes[at]
	var err error
	switch {
	case want.Family == value.FamilyInet6:
		// A slot of IPv6 holds several next hops, one of which is ours.
		if there {
			if err := k.handle.RouteDel(exact(route)); err != nil && !missing(err) {
				return fmt.Errorf("change route: %s: %w", id, err)
			}
		}
		if err = k.handle.RouteAppend(route); errors.Is(err, unix.EEXIST) {
			err = nil
		}
	case ours || there:
		err = k.handle.RouteReplace(route)
	default:
		err = k.handle.RouteAdd(route)
	}
	if errors.Is(err, unix.EEXIST) {
		return fmt.Errorf("add route: %s: %w", id, errTaken)
	}
	if err != nil {
		return fmt.Errorf("add route: %s: %w", id, err)
	}
	k.made.routes[at] = id
	return nil
}

func kernelRoute(want spec.RouteSpecSpec, index int) *netlink.Route {
	route := &netlink.Route{
		LinkIndex: index,
		Scope:     netlink.Scope(want.Scope),
		Protocol:  netlink.RouteProtocol(want.Protocol),
		Priority:  int(want.Priority),
		Family:    int(want.Family),
		Table:     int(want.Table),
		Type:      int(want.Type),
		MTU:       int(want.MTU),
	}
	if want.Dst.IsValid() {
		route.Dst = ipNet(want.Dst)
	} else {
		route.Dst = ipNet(everything(want.Family))
	}
	if want.Src.IsValid() {
		route.Src = want.Src.AsSlice()
	}
	if want.Gateway.IsValid() {
		route.Gw = want.Gateway.AsSlice()
		if index != 0 && want.Gateway.Is4() {
			// A gateway outside of the link's subnets is reached all the same,
			// as the config says that it is on this link.
			route.Flags = int(netlink.FLAG_ONLINK)
		}
	}
	return route
}

// exact is a route to be deleted: by destination, metric and next hop.
func exact(route *netlink.Route) *netlink.Route {
	r := *route
	r.Src, r.MTU, r.Flags = nil, 0, 0
	return &r
}

func (k *Kernel) removeRoute(_ context.Context, s *resource.Session, r resource.Resource[spec.RouteSpecSpec]) error {
	want := r.Spec.Normal()
	index := 0
	if want.OutLinkName != "" {
		l, ok := spec.LinkStatuses.Get(s, want.OutLinkName)
		if !ok {
			return nil // its routes went with it
		}
		index = int(l.Index)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	at := slotOf(want)
	owner := k.made.routes[at]
	if owner != r.ID && want.Family == value.FamilyInet4 {
		return nil // another route of ours has its place, or it never was there
	}
	if err := k.handle.RouteDel(exact(kernelRoute(want, index))); err != nil && !missing(err) {
		return fmt.Errorf("remove route: %s: %w", r.ID, err)
	}
	if owner == r.ID {
		delete(k.made.routes, at)
	}
	return nil
}

func (k *Kernel) ensureRule(_ context.Context, s *resource.Session, r resource.Resource[spec.RoutingRuleSpecSpec]) error {
	want := r.Spec
	k.mu.Lock()
	defer k.mu.Unlock()
	// Rules cannot be changed, only made anew.
	if old, ok := k.made.rules[r.ID]; ok && !reflect.DeepEqual(old, want) {
		if err := k.handle.RuleDel(kernelRule(old)); err != nil && !missing(err) {
			return fmt.Errorf("change routing rule: %s: %w", r.ID, err)
		}
		delete(k.made.rules, r.ID)
	}
	// Others may have rules of the same priority.
	for _, is := range spec.RoutingRuleStatuses.List(s) {
		if is.Spec.Family == want.Family && is.Spec.Priority == want.Priority && sameRule(want, is.Spec) {
			k.made.rules[r.ID] = want
			return nil
		}
	}
	s.WakeAfter(confirm)
	if err := k.handle.RuleAdd(kernelRule(want)); err != nil && !errors.Is(err, unix.EEXIST) {
		return fmt.Errorf("add routing rule: %s: %w", r.ID, err)
	}
	k.made.rules[r.ID] = want
	return nil
}

func sameRule(want spec.RoutingRuleSpecSpec, is spec.RoutingRuleStatusSpec) bool {
	if want.FwMark != 0 && want.FwMask == 0 {
		want.FwMask = ^uint32(0)
	}
	return want.Src == is.Src && want.Dst == is.Dst && want.Table == is.Table && want.Action == is.Action &&
		want.IIFName == is.IIFName && want.OIFName == is.OIFName && want.FwMark == is.FwMark && want.FwMask == is.FwMask
}

func kernelRule(want spec.RoutingRuleSpecSpec) *netlink.Rule {
	rule := netlink.NewRule()
	rule.Family = int(want.Family)
	rule.Priority = int(want.Priority)
	rule.Table = int(want.Table)
	rule.Type = uint8(want.Action)
	rule.IifName, rule.OifName = want.IIFName, want.OIFName
	rule.Mark = want.FwMark
	if want.FwMask != 0 {
		mask := want.FwMask
		rule.Mask = &mask
	}
	if want.Src.IsValid() {
		rule.Src = ipNet(want.Src)
	}
	if want.Dst.IsValid() {
		rule.Dst = ipNet(want.Dst)
	}
	return rule
}

func (k *Kernel) removeRule(_ context.Context, _ *resource.Session, r resource.Resource[spec.RoutingRuleSpecSpec]) error {
	if err := k.handle.RuleDel(kernelRule(r.Spec)); err != nil && !missing(err) {
		return fmt.Errorf("remove routing rule: %s: %w", r.ID, err)
	}
	k.locked(func() { delete(k.made.rules, r.ID) })
	return nil
}

// everything is the destination of a default route.
func everything(f value.Family) netip.Prefix {
	if f == value.FamilyInet6 {
		return netip.PrefixFrom(netip.IPv6Unspecified(), 0)
	}
	return netip.PrefixFrom(netip.IPv4Unspecified(), 0)
}
