package dhcp

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/netip"
	"time"

	"github.com/insomniacslk/dhcp/dhcpv6"
	"github.com/insomniacslk/dhcp/dhcpv6/nclient6"
	"github.com/insomniacslk/dhcp/iana"

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

// held is a lease with the answer that gave it.
type held struct {
	answer *dhcpv6.Message
	lease  spec.LeaseSpec
	since  time.Time
	// renew and rebind count from since.
	renew, rebind time.Duration
}

func (c *client6) run(ctx context.Context) {
	defer c.show(nil)
	wait := retryMin
	for ctx.Err() == nil {
		began := time.Now()
		err := c.lease(ctx)
		c.show(nil)
		if ctx.Err() != nil {
			return
		}
		if time.Since(began) > retryMax {
			wait = retryMin
		}
		c.log.Info("no DHCPv6 lease", "link", c.link, "error", err)
		pause(ctx, wait+time.Duration(rand.Int64N(int64(wait)/2+1)))
		wait = min(2*wait, retryMax)
	}
}

// lease gets an address and keeps it; the error is why it is gone.
func (c *client6) lease(ctx context.Context) error {
	link, err := net.InterfaceByName(c.link)
	if err != nil {
		return fmt.Errorf("find link: %s: %w", c.link, err)
	}
	who, err := c.identity(link)
	if err != nil {
		return err
	}
	client, err := nclient6.New(c.link, nclient6.WithTimeout(answerBound), nclient6.WithRetry(tries))
	if err != nil {
		return fmt.Errorf("open link: %s: %w", c.link, err)
	}
	defer client.Close()
	id := dhcpv6.WithClientID(who)
	offer, err := client.Solicit(ctx, wanted, id, dhcpv6.WithIAID(iaid(link)))
	if err != nil {
		return fmt.Errorf("ask for an address: %s: %w", c.link, err)
	}
	answer, err := client.Request(ctx, offer, wanted, id)
	if err != nil {
		return fmt.Errorf("take an address: %s: %w", c.link, err)
	}
	for {
		got, err := c.read(answer, time.Now())
		if err != nil {
			return err
		}
		c.show(&got.lease)
		if answer, err = c.renew(ctx, client, got, who); err != nil {
			return err
		}
	}
}

// wanted are the options that a client asks servers for.
var wanted = dhcpv6.WithRequestedOptions(dhcpv6.OptionDNSRecursiveNameServer, dhcpv6.OptionDomainSearchList, dhcpv6.OptionNTPServer)

// identity is what the client calls itself: the same at each start, so that a
// server gives the same address.
func (c *client6) identity(link *net.Interface) (dhcpv6.DUID, error) {
	if c.how.ClientIdentifier.ClientIdentifier != linkspec.ClientIdentifierDUID {
		return &dhcpv6.DUIDLL{HWType: iana.HWTypeEthernet, LinkLayerAddr: link.HardwareAddr}, nil
	}
	raw, err := duid(c.how.ClientIdentifier.DUIDRawHex)
	if err != nil {
		return nil, fmt.Errorf("read DUID: %w", err)
	}
	id, err := dhcpv6.DUIDFromBytes(raw)
	if err != nil {
		return nil, fmt.Errorf("read DUID: %w", err)
	}
	return id, nil
}

// iaid names the link towards the server, the same at each start.
func iaid(link *net.Interface) (id [4]byte) {
	if n := len(link.HardwareAddr); n >= 4 {
		copy(id[:], link.HardwareAddr[n-4:])
	}
	return id
}

// renew waits until it is time and renews, with the server that gave the lease
// and, from T2 on, with any; the error says why the lease is gone.
func (c *client6) renew(ctx context.Context, client *nclient6.Client, got held, who dhcpv6.DUID) (*dhcpv6.Message, error) {
	end := got.lease.Until.Sub(got.since)
	for next := got.renew; ; {
		pause(ctx, time.Until(got.since.Add(next)))
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		age := time.Since(got.since)
		if age >= end {
			return nil, fmt.Errorf("renew lease: %s: no server answered until it ran out", c.link)
		}
		bounded, cancel := context.WithDeadline(ctx, got.lease.Until)
		answer, err := c.askAgain(bounded, client, got, who, age < got.rebind)
		cancel()
		if err == nil {
			return answer, nil
		}
		if errors.Is(err, errRefused) {
			return nil, err
		}
		c.log.Warn("DHCPv6 lease is not renewed yet", "link", c.link, "left", time.Until(got.lease.Until).Round(time.Second), "error", err)
		age = time.Since(got.since)
		step := got.rebind
		if age >= got.rebind {
			step = end
		}
		next = min(age+max((step-age)/2, soonest), end)
	}
}

var errRefused = errors.New("the server takes the lease back")

func (c *client6) askAgain(ctx context.Context, client *nclient6.Client, got held, who dhcpv6.DUID, same bool) (*dhcpv6.Message, error) {
	message, err := dhcpv6.NewMessage(dhcpv6.WithClientID(who), wanted)
	if err != nil {
		return nil, fmt.Errorf("renew lease: %s: %w", c.link, err)
	}
	message.MessageType = dhcpv6.MessageTypeRebind
	if same {
		message.MessageType = dhcpv6.MessageTypeRenew
		message.AddOption(dhcpv6.OptServerID(got.answer.Options.ServerID()))
	}
	message.AddOption(got.answer.Options.OneIANA())
	message.AddOption(dhcpv6.OptElapsedTime(0))
	answer, err := client.SendAndRead(ctx, nclient6.AllDHCPRelayAgentsAndServers, message, nclient6.IsMessageType(dhcpv6.MessageTypeReply))
	if err != nil {
		return nil, fmt.Errorf("renew lease: %s: %w", c.link, err)
	}
	ia := answer.Options.OneIANA()
	if ia == nil || len(ia.Options.Addresses()) == 0 || ia.Options.Status() != nil && ia.Options.Status().StatusCode != iana.StatusSuccess {
		return nil, fmt.Errorf("renew lease: %s: %w", c.link, errRefused)
	}
	return answer, nil
}

// read reads an answer.
func (c *client6) read(answer *dhcpv6.Message, now time.Time) (held, error) {
	got := held{answer: answer, since: now}
	l := &got.lease
	*l = spec.LeaseSpec{Link: c.link, Family: value.FamilyInet6, Metric: c.how.RouteMetric}
	ia := answer.Options.OneIANA()
	if ia == nil {
		return got, fmt.Errorf("read lease: %s: no address in it", c.link)
	}
	for _, option := range ia.Options.Addresses() {
		address, ok := netip.AddrFromSlice(option.IPv6Addr)
		if !ok || option.ValidLifetime <= 0 || address.IsUnspecified() || address.IsMulticast() || address.IsLoopback() {
			continue
		}
		l.Address, l.Until = netip.PrefixFrom(address, 128), now.Add(option.ValidLifetime)
		break
	}
	if !l.Address.IsValid() {
		return got, fmt.Errorf("read lease: %s: no address in it", c.link)
	}
	for _, server := range answer.Options.DNS() {
		if a, ok := netip.AddrFromSlice(server); ok && !a.IsUnspecified() {
			l.DNSServers = append(l.DNSServers, a)
		}
	}
	for _, server := range answer.Options.NTPServers() {
		if a, ok := netip.AddrFromSlice(server); ok && !a.IsUnspecified() {
			l.TimeServers = append(l.TimeServers, a.String())
		}
	}
	if labels := answer.Options.DomainSearchList(); labels != nil {
		for _, domain := range labels.Labels {
			if clean := cleanName(l, "search domain", domain); clean != "" {
				l.Search = append(l.Search, clean)
			}
		}
	}
	got.renew, got.rebind = inOrder(ia.T1, ia.T2, l.Until.Sub(now))
	return got, nil
}

// inOrder gives the times of renewal and rebinding of a lease, as the server
// says where that makes sense.
func inOrder(renew, rebind, end time.Duration) (time.Duration, time.Duration) {
	if rebind <= 0 || rebind > end {
		rebind = end * 7 / 8
	}
	if renew <= 0 || renew > rebind {
		renew = rebind * 4 / 7
	}
	return renew, rebind
}
