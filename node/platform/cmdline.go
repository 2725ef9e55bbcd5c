package platform

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	dnsspec "github.com/ichor-os/ichor/node/dns/spec"
	kernelspec "github.com/ichor-os/ichor/node/kernel/spec"
	linkspec "github.com/ichor-os/ichor/node/link/spec"
	timespec "github.com/ichor-os/ichor/node/time/spec"
	"github.com/ichor-os/ichor/resource"
	"github.com/ichor-os/ichor/resource/value"
)

// An ipArgument is what ip= on the kernel's command line says, as
// Documentation/admin-guide/nfs/nfsroot.rst of the kernel has it:
//
//	ip=<client>:<server>:<gateway>:<netmask>:<host>:<device>:<autoconf>:<dns0>:<dns1>:<ntp0>
//	ip=<device>:<autoconf>
//	ip=<autoconf>
//
// IPv6 addresses stand in brackets. The netmask may be a prefix length.
type ipArgument struct {
	Address  netip.Prefix
	Gateway  netip.Addr
	Hostname string
	// Device is a link's name, or enx and its hardware address; empty is the
	// first network card.
	Device string
	// DHCP asks for a lease.
	DHCP        bool
	DNSServers  []netip.Addr
	TimeServers []string
}

// autoconfigurations are the words of <autoconf>; what the kernel knows besides
// is not there any more.
var autoconfigurations = map[string]bool{"dhcp": true, "on": true, "any": true, "off": false, "none": false, "": false}

// parseIP reads the value of ip=.
func parseIP(text string) (ipArgument, error) {
	fields, err := splitIP(text)
	if err != nil {
		return ipArgument{}, fmt.Errorf("read ip=%s: %w", text, err)
	}
	a, err := readIP(fields)
	if err != nil {
		return ipArgument{}, fmt.Errorf("read ip=%s: %w", text, err)
	}
	return a, nil
}

func readIP(fields []string) (a ipArgument, err error) {
	if len(fields) > 10 {
		return a, fmt.Errorf("%d fields, at most 10 are possible", len(fields))
	}
	if dhcp, known := autoconfigurations[fields[0]]; len(fields) == 1 && known && fields[0] != "" {
		a.DHCP = dhcp
		return a, nil
	}
	if dhcp, known := autoconfigurations[fields[len(fields)-1]]; len(fields) == 2 && known && fields[0] != "" && !isAddress(fields[0]) {
		a.Device, a.DHCP = fields[0], dhcp
		return a, nil
	}
	field := func(i int) string {
		if i < len(fields) {
			return fields[i]
		}
		return ""
	}
	var known bool
	if a.DHCP, known = autoconfigurations[field(6)]; !known {
		return a, fmt.Errorf("way of configuration %q is not known: dhcp, on, any, off and none are", field(6))
	}
	a.Hostname, a.Device = field(4), field(5)
	if a.Address, err = address(field(0), field(3)); err != nil {
		return a, err
	}
	if text := field(2); text != "" {
		if a.Gateway, err = netip.ParseAddr(text); err != nil {
			return a, fmt.Errorf("gateway: %w", err)
		}
	}
	for _, i := range []int{7, 8} {
		if text := field(i); text != "" {
			server, err := netip.ParseAddr(text)
			if err != nil {
				return a, fmt.Errorf("name server: %w", err)
			}
			a.DNSServers = append(a.DNSServers, server)
		}
	}
	if text := field(9); text != "" {
		a.TimeServers = []string{text}
	}
	if !a.DHCP && !a.Address.IsValid() && a.Hostname == "" && len(a.DNSServers) == 0 && len(a.TimeServers) == 0 {
		return a, errors.New("it asks for nothing")
	}
	if a.Gateway.IsValid() && a.Address.IsValid() && a.Gateway.Is4() != a.Address.Addr().Is4() {
		return a, errors.New("address and gateway are of two kinds of IP")
	}
	return a, nil
}

func isAddress(text string) bool {
	_, err := netip.ParseAddr(text)
	return err == nil
}

// splitIP splits at colons outside of brackets, which it takes off.
func splitIP(text string) ([]string, error) {
	var fields []string
	for {
		if rest, ok := strings.CutPrefix(text, "["); ok {
			inside, after, closed := strings.Cut(rest, "]")
			if !closed || after != "" && after[0] != ':' {
				return nil, errors.New("a bracket is not closed before the next field")
			}
			fields = append(fields, inside)
			if after == "" {
				return fields, nil
			}
			text = after[1:]
			continue
		}
		field, rest, more := strings.Cut(text, ":")
		fields = append(fields, field)
		if !more {
			return fields, nil
		}
		text = rest
	}
}

// address reads an address and its netmask or prefix length; without one it is
// alone in its network.
func address(text, mask string) (netip.Prefix, error) {
	if text == "" {
		return netip.Prefix{}, nil
	}
	a, err := netip.ParseAddr(text)
	if err != nil {
		return netip.Prefix{}, fmt.Errorf("address: %w", err)
	}
	if a.IsUnspecified() || a.IsMulticast() || a.IsLoopback() || a.Zone() != "" {
		return netip.Prefix{}, fmt.Errorf("address: %s is none for a node", a)
	}
	bits := a.BitLen()
	if m, err := netip.ParseAddr(mask); err == nil && m.Is4() && a.Is4() {
		ones, size := net.IPMask(m.AsSlice()).Size()
		if size == 0 {
			return netip.Prefix{}, fmt.Errorf("netmask: %s has gaps", m)
		}
		bits = ones
	} else if mask != "" {
		if bits, err = strconv.Atoi(mask); err != nil || bits < 1 || bits > a.BitLen() {
			return netip.Prefix{}, fmt.Errorf("netmask: %q is none", mask)
		}
	}
	return netip.PrefixFrom(a, bits), nil
}

// commandLine is what a command line says of the network.
type commandLine struct {
	networks []ipArgument
	hostname string
	// refused are arguments that make no sense.
	refused []error
}

func readCommandLine(text string) commandLine {
	var c commandLine
	for _, argument := range strings.Fields(text) {
		key, value, _ := strings.Cut(argument, "=")
		switch key {
		case "ip":
			a, err := parseIP(value)
			if err != nil {
				c.refused = append(c.refused, err)
				continue
			}
			c.networks = append(c.networks, a)
		case "talos.hostname":
			c.hostname = value
		}
	}
	return c
}

// ReconcileCommandLine turns the kernel's command line into wishes of its layer.
// An argument that makes no sense is logged and left out.
func ReconcileCommandLine(_ context.Context, s *resource.Session) error {
	line, ok := kernelspec.KernelCmdlines.Get(s, "cmdline")
	if !ok {
		return nil
	}
	c := readCommandLine(line.Cmdline)
	for _, err := range c.refused {
		slog.Warn("an argument of the kernel's command line is left out", "error", err)
	}
	links := linkspec.LinkStatuses.List(s)
	for i, a := range c.networks {
		if name := deviceOf(links, a.Device); name != "" {
			wishFor(s, name, a)
		}
		c.hostname = orHost(c.hostname, a.Hostname)
		if len(a.DNSServers) > 0 {
			dnsspec.ResolverSpecs.In(linkspec.Config).Put(s, layer("ip"+strconv.Itoa(i)), dnsspec.ResolverSpecSpec{DNSServers: a.DNSServers, Layer: value.LayerCmdline})
		}
		if len(a.TimeServers) > 0 {
			timespec.TimeServerSpecs.In(linkspec.Config).Put(s, layer("ip"+strconv.Itoa(i)), timespec.TimeServerSpecSpec{TimeServers: a.TimeServers, Layer: value.LayerCmdline})
		}
	}
	if c.hostname != "" {
		host, domain, _ := strings.Cut(c.hostname, ".")
		dnsspec.HostnameSpecs.In(linkspec.Config).Put(s, layer("hostname"), dnsspec.HostnameSpecSpec{Hostname: host, Domainname: domain, Layer: value.LayerCmdline})
	}
	return nil
}

func orHost(first, second string) string {
	if first != "" {
		return first
	}
	return second
}

func layer(id string) string { return linkspec.Layered(value.LayerCmdline, id) }

// deviceOf finds a link by its name, or by its hardware address as in
// enx525400123456; without a name it is the first network card.
func deviceOf(links []resource.Resource[linkspec.LinkStatusSpec], device string) string {
	i := slices.IndexFunc(links, func(l resource.Resource[linkspec.LinkStatusSpec]) bool {
		if device == "" {
			return l.Spec.Physical() && l.Spec.Type == linkspec.LinkTypeEther
		}
		address := strings.ReplaceAll(l.Spec.HardwareAddr.String(), ":", "")
		return l.ID == device || slices.Contains(l.Spec.AltNames, device) || address != "" && strings.EqualFold("enx"+address, device)
	})
	if i < 0 {
		return ""
	}
	return links[i].ID
}

func wishFor(s *resource.Session, name string, a ipArgument) {
	linkspec.LinkSpecs.In(linkspec.Config).Put(s, layer(name), linkspec.LinkSpecSpec{Name: name, Up: true, Type: linkspec.LinkTypeEther, Layer: value.LayerCmdline})
	if a.DHCP {
		linkspec.OperatorSpecs.In(linkspec.Config).Put(s, layer("dhcp4/"+name), linkspec.OperatorSpecSpec{
			Operator: linkspec.OperatorDhcp4, LinkName: name, RequireUp: true, Layer: value.LayerCmdline,
			Dhcp4: linkspec.DHCP4OperatorSpec{RouteMetric: routeMetric, ClientIdentifier: linkspec.ClientIdentifierSpec{ClientIdentifier: linkspec.ClientIdentifierMAC}},
		})
	}
	if a.Address.IsValid() {
		family := value.FamilyInet6
		if a.Address.Addr().Is4() {
			family = value.FamilyInet4
		}
		linkspec.AddressSpecs.In(linkspec.Config).Put(s, layer(linkspec.AddressID(name, a.Address)), linkspec.AddressSpecSpec{
			Address: a.Address, LinkName: name, Family: family, Scope: linkspec.ScopeGlobal, Flags: linkspec.AddressFlagPermanent, Layer: value.LayerCmdline,
		})
	}
	if a.Gateway.IsValid() {
		r := linkspec.RouteSpecSpec{Gateway: a.Gateway, OutLinkName: name, Priority: routeMetric, Layer: value.LayerCmdline}.Normal()
		linkspec.RouteSpecs.In(linkspec.Config).Put(s, layer(r.ID()), r)
	}
}
