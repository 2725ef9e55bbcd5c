package dhcp

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/netip"
	"time"

	"github.com/insomniacslk/dhcp/dhcpv6"
	"github.com/insomniacslk/dhcp/dhcpv6/nclient6"

	"github.com/ichor-os/ichor/node/dhcp/spec"
	linkspec "github.com/ichor-os/ichor/node/link/spec"
	"github.com/ichor-os/ichor/resource/value"
)

// client6 gets and keeps an address by DHCPv6 until its context ends. Routes
// come by router advertisements, which the kernel takes.
type client6 struct {
	link string
	how  linkspec.DHCP6OperatorSpec
	log  *slog.Logger
	show func(*spec.LeaseSpec)
}

func (c *client6) run(ctx context.Context) {
	defer c.show(nil)
	wait, until := retryMin, time.Time{}
	for ctx.Err() == nil {
		found, next, err := c.lease(ctx)
		switch {
		case ctx.Err() != nil:
			return
		case err == nil:
			c.show(&found)
			until, wait = found.Until, retryMin
			pause(ctx, next)
			continue
		case !until.IsZero() && !time.Now().Before(until):
			c.show(nil)
			until = time.Time{}
		}
		c.log.Info("no DHCPv6 lease", "link", c.link, "error", err)
		pause(ctx, wait+time.Duration(rand.Int64N(int64(wait)/2+1)))
		wait = min(2*wait, retryMax)
	}
}

// lease asks for an address, the one of before if the server still knows it, and
// tells when to ask again.
func (c *client6) lease(ctx context.Context) (spec.LeaseSpec, time.Duration, error) {
	link, err := net.InterfaceByName(c.link)
	if err != nil {
		return spec.LeaseSpec{}, 0, fmt.Errorf("find link: %s: %w", c.link, err)
	}
	client, err := nclient6.New(c.link, nclient6.WithTimeout(answerBound), nclient6.WithRetry(tries))
	if err != nil {
		return spec.LeaseSpec{}, 0, fmt.Errorf("open link: %s: %w", c.link, err)
	}
	defer client.Close()
	modifiers := []dhcpv6.Modifier{dhcpv6.WithRequestedOptions(dhcpv6.OptionDNSRecursiveNameServer, dhcpv6.OptionDomainSearchList, dhcpv6.OptionNTPServer)}
	if c.how.ClientIdentifier.ClientIdentifier == linkspec.ClientIdentifierDUID {
		raw, err := duid(c.how.ClientIdentifier.DUIDRawHex)
		if err != nil {
			return spec.LeaseSpec{}, 0, fmt.Errorf("read DUID: %w", err)
		}
		id, err := dhcpv6.DUIDFromBytes(raw)
		if err != nil {
			return spec.LeaseSpec{}, 0, fmt.Errorf("read DUID: %w", err)
		}
		modifiers = append(modifiers, dhcpv6.WithClientID(id))
	}
	offer, err := client.Solicit(ctx, append(modifiers, dhcpv6.WithIAID(iaid(link)))...)
	if err != nil {
		return spec.LeaseSpec{}, 0, fmt.Errorf("ask for an address: %s: %w", c.link, err)
	}
	answer, err := client.Request(ctx, offer, modifiers...)
	if err != nil {
		return spec.LeaseSpec{}, 0, fmt.Errorf("take an address: %s: %w", c.link, err)
	}
	return c.read(answer, time.Now())
}

// iaid names the link towards the server, the same at each start.
func iaid(link *net.Interface) (id [4]byte) {
	if n := len(link.HardwareAddr); n >= 4 {
		copy(id[:], link.HardwareAddr[n-4:])
	}
	return id
}

// read reads an answer, and tells when to ask again.
func (c *client6) read(answer *dhcpv6.Message, now time.Time) (spec.LeaseSpec, time.Duration, error) {
	l := spec.LeaseSpec{Link: c.link, Family: value.FamilyInet6, Metric: c.how.RouteMetric}
	ia := answer.Options.OneIANA()
	if ia == nil {
		return l, 0, fmt.Errorf("read lease: %s: no address in it", c.link)
	}
	for _, option := range ia.Options.Addresses() {
		address, ok := netip.AddrFromSlice(option.IPv6Addr)
		if !ok || option.ValidLifetime <= 0 || address.IsUnspecified() || address.IsMulticast() || address.IsLoopback() {
			continue
		}
		l.Address = netip.PrefixFrom(address, 128)
		l.Until = now.Add(max(option.ValidLifetime, shortestLease))
		break
	}
	if !l.Address.IsValid() {
		return l, 0, fmt.Errorf("read lease: %s: no address in it", c.link)
	}
	for _, server := range answer.Options.DNS() {
		if a, ok := netip.AddrFromSlice(server); ok && !a.IsUnspecified() {
			l.DNSServers = append(l.DNSServers, a)
		}
	}
	if labels := answer.Options.DomainSearchList(); labels != nil {
		for _, domain := range labels.Labels {
			if clean := cleanName(&l, "search domain", domain); clean != "" {
				l.Search = append(l.Search, clean)
			}
		}
	}
	next := ia.T1
	if life := l.Until.Sub(now); next <= 0 || next > life {
		next = life / 2
	}
	return l, max(next, soonest), nil
}
