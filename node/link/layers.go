package link

import (
	"cmp"
	"context"
	"net/netip"
	"slices"

	"github.com/ichor-os/ichor/config/documents/v1alpha1"
	configspec "github.com/ichor-os/ichor/node/config/spec"
	"github.com/ichor-os/ichor/node/link/spec"
	"github.com/ichor-os/ichor/resource"
	"github.com/ichor-os/ichor/resource/value"
)

func layers() []resource.Block {
	return []resource.Block{
		resource.Reconciler("link-defaults", reconcileDefaults),
		resource.Reconciler("link-config", reconcileConfig),
		resource.Reconciler("link-alias-config", reconcileAliases),
		resource.Reconciler("operator-config", reconcileOperators),
		resource.Reconciler("hardware-address", reconcileHardwareAddress),
	}
}

var loopback = netip.MustParsePrefix("127.0.0.1/8")

// reconcileDefaults wants the loopback link up, and the network cards that the
// config does not say to leave alone.
func reconcileDefaults(_ context.Context, s *resource.Session) error {
	c, ok, err := configspec.Config(s)
	if err != nil {
		return err
	}
	var main *v1alpha1.Config
	if ok {
		main = c.Main()
	}
	links := spec.LinkStatuses.List(s)
	for _, l := range links {
		lo := l.Spec.Type == spec.LinkTypeLoopback
		if !lo && (!l.Spec.Physical() || Ignored(main, links, l.ID)) {
			continue
		}
		spec.LinkSpecs.In(spec.Config).Put(s, spec.Layered(value.LayerDefault, l.ID), spec.LinkSpecSpec{
			Name: l.ID, Up: true, Type: l.Spec.Type, Layer: value.LayerDefault,
		})
		if lo {
			spec.AddressSpecs.In(spec.Config).Put(s, spec.Layered(value.LayerDefault, spec.AddressID(l.ID, loopback)), spec.AddressSpecSpec{
				Address: loopback, LinkName: l.ID, Family: value.FamilyInet4, Scope: spec.ScopeHost,
				Flags: spec.AddressFlagPermanent, Layer: value.LayerDefault,
			})
		}
	}
	return nil
}

// reconcileHardwareAddress shows the address of the first network card, which
// stands for the machine.
func reconcileHardwareAddress(_ context.Context, s *resource.Session) error {
	var cards []resource.Resource[spec.LinkStatusSpec]
	for _, l := range spec.LinkStatuses.List(s) {
		if l.Spec.Physical() && len(l.Spec.HardwareAddr) > 0 {
			cards = append(cards, l)
		}
	}
	if len(cards) == 0 {
		return nil
	}
	first := slices.MinFunc(cards, func(a, b resource.Resource[spec.LinkStatusSpec]) int {
		return cmp.Compare(a.Spec.Index, b.Spec.Index)
	})
	address := first.Spec.PermanentAddr
	if len(address) == 0 {
		address = first.Spec.HardwareAddr
	}
	spec.HardwareAddresses.Put(s, "first", spec.HardwareAddressSpec{Name: first.ID, HardwareAddr: address})
	return nil
}
