package dhcp

import (
	"cmp"
	"fmt"
	"net"
	"net/netip"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/insomniacslk/dhcp/dhcpv4"

	"github.com/ichor-os/ichor/node/dhcp/spec"
	"github.com/ichor-os/ichor/resource/value"
)

// Bounds of what a server may say.
const (
	smallestMTU  = 576
	largestMTU   = 65535
	defaultLease = time.Hour
)

// hostLabel is a label of a host name (RFC 1123).
var hostLabel = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?$`)

// lease4 reads an acknowledgement. What it says that makes no sense is left out
// and named.
func lease4(link string, ack *dhcpv4.DHCPv4, now time.Time) (spec.LeaseSpec, error) {
	l := spec.LeaseSpec{Link: link, Family: value.FamilyInet4, Server: addr(ack.ServerIdentifier())}
	address := addr(ack.YourIPAddr)
	if !address.IsValid() || address.IsUnspecified() || address.IsLoopback() || address.IsMulticast() {
		return l, fmt.Errorf("read lease: %s: address %q is none for a node", link, ack.YourIPAddr)
	}
	bits := address.BitLen()
	if mask := ack.SubnetMask(); mask != nil {
		if ones, size := mask.Size(); size == 32 && ones > 0 {
			bits = ones
		}
	}
	l.Address = netip.PrefixFrom(address, bits)
	life := ack.IPAddressLeaseTime(defaultLease)
	if life <= 0 {
		return l, fmt.Errorf("read lease: %s: it lasts for no time", link)
	}
	l.Until = now.Add(life)
	l.Routes = routes4(ack, l.Address, &l)
	if mtu := ack.Options.Get(dhcpv4.OptionInterfaceMTU); len(mtu) == 2 {
		if size := uint32(mtu[0])<<8 | uint32(mtu[1]); size >= smallestMTU && size <= largestMTU {
			l.MTU = size
		} else {
			l.Ignored = append(l.Ignored, fmt.Sprintf("MTU %d", size))
		}
	}
	l.Hostname = cleanName(&l, "host name", ack.HostName())
	l.Domain = cleanName(&l, "domain", ack.DomainName())
	if labels := ack.DomainSearch(); labels != nil {
		for _, domain := range labels.Labels {
			if clean := cleanName(&l, "search domain", domain); clean != "" {
				l.Search = append(l.Search, clean)
			}
		}
	}
	// A host name may bring its domain along.
	if host, domain, ok := strings.Cut(l.Hostname, "."); ok {
		l.Hostname, l.Domain = host, cmp.Or(l.Domain, domain)
	}
	for _, server := range ack.DNS() {
		if a := addr(server); a.IsValid() && !a.IsUnspecified() {
			l.DNSServers = append(l.DNSServers, a)
		}
	}
	for _, server := range ack.NTPServers() {
		if a := addr(server); a.IsValid() && !a.IsUnspecified() {
			l.TimeServers = append(l.TimeServers, a.String())
		}
	}
	return l, nil
}

// routes4 are the classless routes of a lease or, where there are none, its
// routers (RFC 3442). Routers outside of the subnet are reached on the link.
func routes4(ack *dhcpv4.DHCPv4, own netip.Prefix, l *lease) []spec.Route {
	var all []spec.Route
	add := func(destination netip.Prefix, gateway netip.Addr) {
		if !destination.IsValid() || gateway.IsMulticast() || gateway.IsLoopback() {
			l.Ignored = append(l.Ignored, fmt.Sprintf("route to %s by %s", destination, gateway))
			return
		}
		if gateway.IsUnspecified() || !gateway.IsValid() {
			all = append(all, spec.Route{Destination: destination})
			return
		}
		if !own.Masked().Contains(gateway) {
			if onLink := (spec.Route{Destination: netip.PrefixFrom(gateway, 32)}); !slices.Contains(all, onLink) {
				all = append(all, onLink)
			}
		}
		all = append(all, spec.Route{Destination: destination, Gateway: gateway})
	}
	if classless := ack.ClasslessStaticRoute(); len(classless) > 0 {
		for _, r := range classless {
			ones, _ := r.Dest.Mask.Size()
			add(netip.PrefixFrom(addr(r.Dest.IP), ones).Masked(), addr(r.Router))
		}
		return all
	}
	for _, router := range ack.Router() {
		add(netip.PrefixFrom(netip.IPv4Unspecified(), 0), addr(router))
		break // one default route; the others are for when it is gone
	}
	return all
}

type lease = spec.LeaseSpec

// cleanName gives a name of a lease without what servers leave at its end, such
// as NUL bytes; one that is none is left out and noted.
func cleanName(l *lease, what, name string) string {
	name = strings.TrimRight(strings.TrimSpace(strings.TrimRight(name, "\x00")), ".\x00")
	if name == "" {
		return ""
	}
	for _, label := range strings.Split(name, ".") {
		if !hostLabel.MatchString(label) || len(name) > 253 {
			l.Ignored = append(l.Ignored, fmt.Sprintf("%s %q", what, name))
			return ""
		}
	}
	return name
}

func addr(ip net.IP) netip.Addr {
	a, ok := netip.AddrFromSlice(ip)
	if !ok {
		return netip.Addr{}
	}
	return a.Unmap()
}
