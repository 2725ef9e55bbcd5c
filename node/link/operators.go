package link

import (
	"cmp"
	"context"

	"github.com/ichor-os/ichor/config/documents/network"
	"github.com/ichor-os/ichor/config/documents/v1alpha1"
	configspec "github.com/ichor-os/ichor/node/config/spec"
	"github.com/ichor-os/ichor/node/link/spec"
	"github.com/ichor-os/ichor/resource"
	"github.com/ichor-os/ichor/resource/value"
)

// reconcileOperators wants DHCP clients on links: those for which the config
// says so and, as a machine nobody has configured must be reached somehow, on
// network cards that neither the config nor the platform mentions.
func reconcileOperators(_ context.Context, s *resource.Session) error {
	c, ok, err := configspec.Config(s)
	if err != nil {
		return err
	}
	o := operators{s: s, links: spec.LinkStatuses.List(s), mentioned: map[string]bool{}}
	var main *v1alpha1.Config
	if ok {
		main = c.Main()
		for _, d := range devices(main) {
			o.device(d)
		}
		for _, doc := range c.Documents() {
			o.document(doc)
		}
	}
	if p, there := spec.PlatformConfigs.Get(s, "active"); there && len(p.Addresses)+len(p.Operators) > 0 {
		return nil
	}
	for _, l := range o.links {
		if l.Spec.Physical() && l.Spec.Type == spec.LinkTypeEther && !o.mentioned[l.ID] && !Ignored(main, o.links, l.ID) {
			o.dhcp4(value.LayerDefault, l.ID, spec.DHCP4OperatorSpec{ClientIdentifier: byMAC})
		}
	}
	return nil
}

// byMAC is how clients call themselves by default.
var byMAC = spec.ClientIdentifierSpec{ClientIdentifier: spec.ClientIdentifierMAC}

type operators struct {
	s         *resource.Session
	links     []resource.Resource[spec.LinkStatusSpec]
	mentioned map[string]bool
}

func (o operators) put(layer value.Layer, id string, wish spec.OperatorSpecSpec) {
	wish.RequireUp, wish.Layer = true, layer
	spec.OperatorSpecs.In(spec.Config).Put(o.s, spec.Layered(layer, id), wish)
}

func (o operators) dhcp4(layer value.Layer, link string, how spec.DHCP4OperatorSpec) {
	how.RouteMetric = cmp.Or(how.RouteMetric, defaultMetric)
	o.put(layer, "dhcp4/"+link, spec.OperatorSpecSpec{Operator: spec.OperatorDhcp4, LinkName: link, Dhcp4: how})
}

func (o operators) dhcp6(layer value.Layer, link string, how spec.DHCP6OperatorSpec) {
	how.RouteMetric = cmp.Or(how.RouteMetric, defaultMetric)
	o.put(layer, "dhcp6/"+link, spec.OperatorSpecSpec{Operator: spec.OperatorDhcp6, LinkName: link, Dhcp6: how})
}

// device wants what a part of machine.network.interfaces says.
func (o operators) device(d *v1alpha1.Device) {
	if d == nil {
		return
	}
	names := []string{resolve(o.links, d.Interface)}
	if d.Interface == "" {
		names = Selected(o.links, d.DeviceSelector)
	}
	options := d.DHCPOptions
	if options == nil {
		options = &v1alpha1.DHCPOptions{}
	}
	for _, name := range names {
		o.mentioned[name] = true
		if !isTrue(d.DHCP) || isTrue(d.Ignore) {
			continue
		}
		if options.IPv4 == nil || *options.IPv4 {
			o.dhcp4(value.LayerConfiguration, name, spec.DHCP4OperatorSpec{RouteMetric: options.RouteMetric, ClientIdentifier: byMAC})
		}
		if isTrue(options.IPv6) {
			how := spec.DHCP6OperatorSpec{RouteMetric: options.RouteMetric, ClientIdentifier: byMAC}
			if options.DUIDv6 != "" {
				how.ClientIdentifier = spec.ClientIdentifierSpec{ClientIdentifier: spec.ClientIdentifierDUID, DUIDRawHex: options.DUIDv6}
			}
			o.dhcp6(value.LayerConfiguration, name, how)
		}
	}
}

// document wants what a document says.
func (o operators) document(doc any) {
	switch d := doc.(type) {
	case *network.LinkConfig:
		o.mentioned[resolve(o.links, d.DocName)] = true
	case *network.DHCPv4Config:
		name := resolve(o.links, d.DocName)
		o.mentioned[name] = true
		o.dhcp4(value.LayerConfiguration, name, spec.DHCP4OperatorSpec{
			RouteMetric: d.RouteMetric, SkipHostnameRequest: isTrue(d.IgnoreHostname), ClientIdentifier: identity(d.DHCPIdentity),
		})
	case *network.DHCPv6Config:
		name := resolve(o.links, d.DocName)
		o.mentioned[name] = true
		o.dhcp6(value.LayerConfiguration, name, spec.DHCP6OperatorSpec{
			RouteMetric: d.RouteMetric, SkipHostnameRequest: isTrue(d.IgnoreHostname), ClientIdentifier: identity(d.DHCPIdentity),
		})
	}
}

func identity(i network.DHCPIdentity) spec.ClientIdentifierSpec {
	if i.ClientIdentifier == nil {
		return byMAC
	}
	switch *i.ClientIdentifier {
	case network.ClientIdentifierNone:
		return spec.ClientIdentifierSpec{ClientIdentifier: spec.ClientIdentifierNone}
	case network.ClientIdentifierDUID:
		return spec.ClientIdentifierSpec{ClientIdentifier: spec.ClientIdentifierDUID, DUIDRawHex: i.DUIDRaw.String()}
	}
	return byMAC
}
