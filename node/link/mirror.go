package link

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"github.com/ichor-os/ichor/node/link/spec"
	"github.com/ichor-os/ichor/resource"
)

// retry is when a wish that the kernel cannot fulfil yet is tried again, should
// none of what it waits for be seen to change.
const retry = 5 * time.Second

// confirm is when a mirror looks again after it acted. The status that shows
// the act usually wakes it before; but what somebody undoes before the source
// has looked never shows as a change.
const confirm = 500 * time.Millisecond

func mirrors(k *Kernel) []resource.Block {
	return []resource.Block{
		resource.Mirror("link-mirror", spec.LinkSpecs, spec.LinkStatuses, k.ensureLink, k.removeLink),
		resource.Mirror("link-alias-mirror", spec.LinkAliasSpecs, spec.LinkStatuses, k.ensureAlias, k.removeAlias),
		resource.Mirror("address-mirror", spec.AddressSpecs, spec.AddressStatuses, k.ensureAddress, k.removeAddress),
		resource.Mirror("route-mirror", spec.RouteSpecs, spec.RouteStatuses, k.ensureRoute, k.removeRoute),
		resource.Mirror("routing-rule-mirror", spec.RoutingRuleSpecs, spec.RoutingRuleStatuses, k.ensureRule, k.removeRule),
	}
}

// missing tells whether the error says that the object is not there.
func missing(err error) bool {
	var notFound netlink.LinkNotFoundError
	return errors.As(err, &notFound) || errors.Is(err, unix.ENODEV) || errors.Is(err, unix.ESRCH) ||
		errors.Is(err, unix.EADDRNOTAVAIL) || errors.Is(err, unix.ENOENT)
}

func (k *Kernel) ensureLink(_ context.Context, s *resource.Session, r resource.Resource[spec.LinkSpecSpec]) error {
	want := r.Spec
	is, ok := spec.LinkStatuses.Get(s, want.Name)
	if ok && want.Logical && is.Kind != want.Kind {
		return fmt.Errorf("create link: %s: a link of kind %q has this name", want.Name, is.Kind)
	}
	if ok && want.Logical && forms[want.Kind].same != nil && !forms[want.Kind].same(want, is) {
		if err := k.deleteLink(want.Name); err != nil {
			return err
		}
		ok = false
	}
	if !ok {
		if !want.Logical {
			return resource.Hold("waiting for link " + want.Name)
		}
		s.WakeAfter(confirm)
		return k.createLink(want) // its status brings us back for the rest
	}
	changed, err := k.configureLink(want, is)
	if changed {
		s.WakeAfter(confirm)
	}
	return err
}

func (k *Kernel) createLink(want spec.LinkSpecSpec) error {
	f, ok := forms[want.Kind]
	if !ok {
		return fmt.Errorf("create link: %s: links of kind %q are not supported", want.Name, want.Kind)
	}
	attrs := netlink.NewLinkAttrs()
	attrs.Name = want.Name
	attrs.HardwareAddr = net.HardwareAddr(want.HardwareAddr)
	if want.Up {
		attrs.Flags = net.FlagUp
	}
	l, err := f.make(want, attrs, k.index)
	if err != nil {
		return fmt.Errorf("create link: %s: %w", want.Name, err)
	}
	if err := k.handle.LinkAdd(l); err != nil && !errors.Is(err, unix.EEXIST) {
		return fmt.Errorf("create link: %s: %w", want.Name, err)
	} else if err == nil {
		k.locked(func() { k.made.links[want.Name] = true })
	}
	return nil
}

func (k *Kernel) locked(f func()) {
	k.mu.Lock()
	defer k.mu.Unlock()
	f()
}

func (k *Kernel) index(name string) (int, error) {
	l, err := k.handle.LinkByName(name)
	if err != nil {
		return 0, fmt.Errorf("find link: %s: %w", name, err)
	}
	return l.Attrs().Index, nil
}

// configureLink changes what differs and was asked for, and tells whether that
// was anything.
func (k *Kernel) configureLink(want spec.LinkSpecSpec, is spec.LinkStatusSpec) (bool, error) {
	l := &netlink.Device{LinkAttrs: netlink.LinkAttrs{Index: int(is.Index), Name: want.Name}}
	var changes []func() error
	if mtu := k.wantedMTU(want, is); mtu != int(is.MTU) {
		changes = append(changes, func() error { return k.handle.LinkSetMTU(l, mtu) })
	}
	if len(want.HardwareAddr) > 0 && !bytes.Equal(want.HardwareAddr, is.HardwareAddr) {
		changes = append(changes, func() error { return k.handle.LinkSetHardwareAddr(l, net.HardwareAddr(want.HardwareAddr)) })
	}
	if m := want.Multicast; m != nil && *m != (is.Flags&spec.LinkFlagMulticast != 0) {
		set := k.handle.LinkSetMulticastOff
		if *m {
			set = k.handle.LinkSetMulticastOn
		}
		changes = append(changes, func() error { return set(l) })
	}
	if want.Up != is.IsUp() {
		set := k.handle.LinkSetDown
		if want.Up {
			set = k.handle.LinkSetUp
		}
		changes = append(changes, func() error { return set(l) })
	}
	for _, change := range changes {
		if err := change(); err != nil {
			return true, fmt.Errorf("configure link: %s: %w", want.Name, err)
		}
	}
	return len(changes) > 0, nil
}

// wantedMTU gives the MTU that a link should have: without a wish the one it
// had before we changed it.
func (k *Kernel) wantedMTU(want spec.LinkSpecSpec, is spec.LinkStatusSpec) int {
	k.mu.Lock()
	defer k.mu.Unlock()
	before, changed := k.made.mtu[want.Name]
	switch {
	case want.MTU != 0 && !changed && want.MTU != is.MTU:
		k.made.mtu[want.Name] = int(is.MTU)
	case want.MTU == 0 && changed:
		delete(k.made.mtu, want.Name)
		return before
	}
	if want.MTU == 0 {
		return int(is.MTU)
	}
	return int(want.MTU)
}

// removeLink deletes a link that we created. Another one gets its MTU back and
// stays as it is.
func (k *Kernel) removeLink(_ context.Context, _ *resource.Session, r resource.Resource[spec.LinkSpecSpec]) error {
	want := r.Spec
	var ours bool
	k.locked(func() { ours = k.made.links[want.Name] })
	if ours {
		return k.deleteLink(want.Name)
	}
	// Nothing comes back here, so what the source has seen is not enough.
	l, err := k.handle.LinkByName(want.Name)
	if missing(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("find link: %s: %w", want.Name, err)
	}
	is := k.linkStatus(l)
	want.MTU, want.Up, want.HardwareAddr, want.Multicast = 0, is.IsUp(), nil, nil
	if _, err := k.configureLink(want, is); err != nil && !missing(err) {
		return err
	}
	return nil
}

func (k *Kernel) deleteLink(name string) error {
	l, err := k.handle.LinkByName(name)
	if err == nil {
		err = k.handle.LinkDel(l)
	}
	if err != nil && !missing(err) {
		return fmt.Errorf("delete link: %s: %w", name, err)
	}
	k.locked(func() { delete(k.made.links, name) })
	return nil
}

// ensureAlias names a link; the id is the link's own name.
func (k *Kernel) ensureAlias(_ context.Context, s *resource.Session, r resource.Resource[spec.LinkAliasSpecSpec]) error {
	is, ok := spec.LinkStatuses.Get(s, r.ID)
	if !ok {
		return resource.Hold("waiting for link " + r.ID)
	}
	if is.Alias == r.Spec.Alias {
		return nil
	}
	s.WakeAfter(confirm)
	return k.setAlias(r.ID, is, r.Spec.Alias)
}

func (k *Kernel) removeAlias(_ context.Context, s *resource.Session, r resource.Resource[spec.LinkAliasSpecSpec]) error {
	is, ok := spec.LinkStatuses.Get(s, r.ID)
	if !ok || is.Alias != r.Spec.Alias {
		return nil
	}
	if err := k.setAlias(r.ID, is, ""); err != nil && !missing(err) {
		return err
	}
	return nil
}

func (k *Kernel) setAlias(name string, is spec.LinkStatusSpec, alias string) error {
	l := &netlink.Device{LinkAttrs: netlink.LinkAttrs{Index: int(is.Index), Name: name}}
	if err := k.handle.LinkSetAlias(l, alias); err != nil {
		return fmt.Errorf("set alias of link: %s: %q: %w", name, alias, err)
	}
	return nil
}

// settable are the flags of an address that are a wish; the kernel sets others.
const settable = spec.AddressFlagNodad | spec.AddressFlagNoprefixroute

func (k *Kernel) ensureAddress(_ context.Context, s *resource.Session, r resource.Resource[spec.AddressSpecSpec]) error {
	want := r.Spec
	l, ok := spec.LinkStatuses.Get(s, want.LinkName)
	if !ok {
		return resource.Hold("waiting for link " + want.LinkName)
	}
	is, ok := spec.AddressStatuses.Get(s, spec.AddressID(want.LinkName, want.Address))
	if ok && is.LinkIndex == l.Index && is.Flags&settable == want.Flags&settable && is.Scope == kernelScope(want) {
		return nil
	}
	s.WakeAfter(confirm)
	a := &netlink.Addr{IPNet: ipNet(want.Address), Flags: int(want.Flags & settable), Scope: int(want.Scope), LinkIndex: int(l.Index)}
	if err := k.handle.AddrReplace(nil, a); err != nil {
		return fmt.Errorf("add address: %s: %s: %w", want.LinkName, want.Address, err)
	}
	if want.AnnounceWithARP && len(l.HardwareAddr) == len(netlinkAddr{}) {
		return k.announce(int(l.Index), netlinkAddr(l.HardwareAddr), want.Address.Addr())
	}
	return nil
}

// kernelScope is the scope that the kernel will show: that of an IPv6 address
// follows from the address.
func kernelScope(want spec.AddressSpecSpec) spec.Scope {
	a := want.Address.Addr()
	switch {
	case a.Is4():
		return want.Scope
	case a.IsLoopback():
		return spec.ScopeHost
	case a.IsLinkLocalUnicast():
		return spec.ScopeLink
	}
	return spec.ScopeGlobal
}

func (k *Kernel) removeAddress(_ context.Context, s *resource.Session, r resource.Resource[spec.AddressSpecSpec]) error {
	l, ok := spec.LinkStatuses.Get(s, r.Spec.LinkName)
	if !ok {
		return nil
	}
	err := k.handle.AddrDel(nil, &netlink.Addr{IPNet: ipNet(r.Spec.Address), LinkIndex: int(l.Index)})
	if err != nil && !missing(err) {
		return fmt.Errorf("remove address: %s: %s: %w", r.Spec.LinkName, r.Spec.Address, err)
	}
	return nil
}
