package dhcp

import (
	"encoding/binary"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"

	"github.com/insomniacslk/dhcp/dhcpv4"

	"github.com/ichor-os/ichor/node/dhcp/spec"
	linkspec "github.com/ichor-os/ichor/node/link/spec"
)

// minMTU is what a host must be able to take in one packet (RFC 2132, 5.1).
const minMTU = 68

// read takes from an answer what a node uses. What a server says that makes no
// sense is left out, and no reason to do without the address.
func read(ack *dhcpv4.DHCPv4, want linkspec.OperatorSpecSpec) (spec.LeaseSpec, error) {
	l := spec.LeaseSpec{LinkName: want.LinkName, RouteMetric: want.Dhcp4.RouteMetric, Server: addr(ack.ServerIdentifier())}
	ip := addr(ack.YourIPAddr)
	if !ip.Is4() || ip.IsUnspecified() {
		return l, fmt.Errorf("read DHCP lease: %s: the server %s gave no address", want.LinkName, l.Server)
	}
	bits := 32
	if mask := ack.SubnetMask(); mask != nil {
		if ones, size := mask.Size(); size == 32 {
			bits = ones
		}
	}
	l.Address = netip.PrefixFrom(ip, bits)
	l.Routes = routes(ack, l.Address)
	if raw := ack.Options.Get(dhcpv4.OptionInterfaceMTU); len(raw) == 2 && binary.BigEndian.Uint16(raw) >= minMTU {
		l.MTU = uint32(binary.BigEndian.Uint16(raw))
	}
	if !want.Dhcp4.SkipHostnameRequest {
		l.Hostname, _, _ = strings.Cut(name(ack.HostName()), ".")
		l.Domainname = name(ack.DomainName())
		if _, domain, ok := strings.Cut(name(ack.HostName()), "."); ok && l.Domainname == "" {
			l.Domainname = domain
		}
	}
	l.DNSServers = addrs(ack.DNS())
	if search := ack.DomainSearch(); search != nil {
		for _, d := range search.Labels {
			if d = name(d); d != "" {
				l.SearchDomains = append(l.SearchDomains, d)
			}
		}
	}
	for _, a := range addrs(ack.NTPServers()) {
		l.TimeServers = append(l.TimeServers, a.String())
	}
	return l, nil
}

// routes are those without class, which go instead of the router (RFC 3442). A
// gateway outside of the own network is reached by a route of its own.
func routes(ack *dhcpv4.DHCPv4, own netip.Prefix) []spec.RouteSpec {
	var all []spec.RouteSpec
	add := func(r spec.RouteSpec) {
		if g := r.Gateway; g.IsValid() && !own.Contains(g) {
			if direct := (spec.RouteSpec{Dst: netip.PrefixFrom(g, 32)}); !slices.Contains(all, direct) {
				all = append(all, direct)
			}
		}
		if !slices.Contains(all, r) {
			all = append(all, r)
		}
	}
	if classless := ack.ClasslessStaticRoute(); len(classless) > 0 {
		for _, r := range classless {
			ones, _ := r.Dest.Mask.Size()
			gateway := addr(r.Router)
			if gateway.IsUnspecified() {
				gateway = netip.Addr{}
			}
			if dst := netip.PrefixFrom(addr(r.Dest.IP), ones).Masked(); dst.Bits() > 0 {
				add(spec.RouteSpec{Dst: dst, Gateway: gateway})
			} else if gateway.IsValid() {
				add(spec.RouteSpec{Gateway: gateway})
			}
		}
		return all
	}
	for _, g := range addrs(ack.Router()) {
		add(spec.RouteSpec{Gateway: g})
		break // the first is the one to use
	}
	return all
}

func addr(ip net.IP) netip.Addr {
	a, _ := netip.AddrFromSlice(ip)
	return a.Unmap()
}

func addrs(list []net.IP) []netip.Addr {
	var all []netip.Addr
	for _, ip := range list {
		if a := addr(ip); a.IsValid() && !a.IsUnspecified() && !slices.Contains(all, a) {
			all = append(all, a)
		}
	}
	return all
}

// name gives a name of a server in lower case, without the NUL bytes that some
// end it with; a name that is none is empty.
func name(text string) string {
	text = strings.ToLower(strings.Trim(strings.TrimRight(text, "\x00"), ". "))
	if len(text) > 253 {
		return ""
	}
	for _, label := range strings.Split(text, ".") {
		ok := label != "" && len(label) <= 63 && label[0] != '-' && label[len(label)-1] != '-'
		for _, c := range label {
			ok = ok && (c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '-' || c == '_')
		}
		if !ok {
			return ""
		}
	}
	return text
}
