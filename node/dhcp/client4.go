package dhcp

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net"
	"time"

	"github.com/insomniacslk/dhcp/dhcpv4"
	"github.com/insomniacslk/dhcp/dhcpv4/nclient4"

	"github.com/ichor-os/ichor/node/dhcp/spec"
	linkspec "github.com/ichor-os/ichor/node/link/spec"
)

// Bounds of an exchange with servers.
const (
	answerBound = 3 * time.Second
	tries       = 3
	retryMin    = time.Second
	retryMax    = 30 * time.Second
	// soonest is how often a lease is asked for again at most.
	soonest = time.Second
)

// asked are the options that a client asks servers for.
var asked = []dhcpv4.OptionCode{
	dhcpv4.OptionSubnetMask, dhcpv4.OptionRouter, dhcpv4.OptionClasslessStaticRoute, dhcpv4.OptionDomainNameServer,
	dhcpv4.OptionDomainName, dhcpv4.OptionDNSDomainSearchList, dhcpv4.OptionHostName, dhcpv4.OptionNTPServers,
	dhcpv4.OptionInterfaceMTU, dhcpv4.OptionRenewTimeValue, dhcpv4.OptionRebindingTimeValue, dhcpv4.OptionBroadcastAddress,
}

// client4 gets and keeps a lease for a link until its context ends.
type client4 struct {
	link     string
	how      linkspec.DHCP4OperatorSpec
	hostname func() string
	log      *slog.Logger
	// show tells of the lease; nil is none.
	show func(*spec.LeaseSpec)
}

func (c *client4) run(ctx context.Context) {
	defer c.show(nil)
	wait := retryMin
	for ctx.Err() == nil {
		began := time.Now()
		err := c.lease(ctx)
		if ctx.Err() != nil {
			return
		}
		if time.Since(began) > retryMax {
			wait = retryMin
		}
		c.log.Info("no DHCP lease", "link", c.link, "error", err)
		// Nodes that start together must not ask together.
		pause(ctx, wait+time.Duration(rand.Int64N(int64(wait)/2+1)))
		wait = min(2*wait, retryMax)
	}
}

func pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// lease gets a lease and keeps it; the error is why it is gone.
func (c *client4) lease(ctx context.Context) error {
	client, err := nclient4.New(c.link, nclient4.WithTimeout(answerBound), nclient4.WithRetry(tries))
	if err != nil {
		return fmt.Errorf("open link: %s: %w", c.link, err)
	}
	defer client.Close()
	link, err := net.InterfaceByName(c.link)
	if err != nil {
		return fmt.Errorf("find link: %s: %w", c.link, err)
	}
	who, err := c.modifiers(link)
	if err != nil {
		return err
	}
	got, err := client.Request(ctx, who...)
	if err != nil {
		return fmt.Errorf("ask for a lease: %s: %w", c.link, err)
	}
	for {
		shown, err := lease4(c.link, got.ACK, got.CreationTime)
		if err != nil {
			return err
		}
		shown.Metric = c.how.RouteMetric
		if c.how.SkipHostnameRequest {
			shown.Hostname, shown.Domain = "", ""
		}
		for _, ignored := range shown.Ignored {
			c.log.Warn("a part of the DHCP lease makes no sense and is left out", "link", c.link, "part", ignored)
		}
		c.show(&shown)
		if got, err = c.renew(ctx, client, got, who); err != nil {
			c.show(nil)
			return err
		}
	}
}

// modifiers complete a message by what the client asks for and who it is.
func (c *client4) modifiers(link *net.Interface) ([]dhcpv4.Modifier, error) {
	all := []dhcpv4.Modifier{dhcpv4.WithRequestedOptions(asked...)}
	if name := c.hostname(); name != "" && !c.how.SkipHostnameRequest {
		all = append(all, dhcpv4.WithOption(dhcpv4.OptHostName(name)))
	}
	switch c.how.ClientIdentifier.ClientIdentifier {
	case linkspec.ClientIdentifierMAC:
		all = append(all, dhcpv4.WithOption(dhcpv4.OptClientIdentifier(append([]byte{1}, link.HardwareAddr...))))
	case linkspec.ClientIdentifierDUID:
		raw, err := duid(c.how.ClientIdentifier.DUIDRawHex)
		if err != nil {
			return nil, fmt.Errorf("read DUID: %w", err)
		}
		// Type 255, identity of the link, DUID (RFC 4361).
		identity := iaid(link)
		all = append(all, dhcpv4.WithOption(dhcpv4.OptClientIdentifier(append(append([]byte{255}, identity[:]...), raw...))))
	}
	return all, nil
}

func duid(text string) ([]byte, error) {
	return hex.DecodeString(string(bytes.ReplaceAll([]byte(text), []byte(":"), nil)))
}

// times are when a lease is renewed with its server, when with any, and when it
// ends, counted from its beginning (RFC 2131, 4.4.5).
func times(ack *dhcpv4.DHCPv4) (renew, rebind, end time.Duration) {
	end = ack.IPAddressLeaseTime(defaultLease)
	renew, rebind = inOrder(ack.IPAddressRenewalTime(0), ack.IPAddressRebindingTime(0), end)
	return renew, rebind, end
}

// renew waits until it is time, and renews; the error says why the lease is
// gone.
func (c *client4) renew(ctx context.Context, client *nclient4.Client, got *nclient4.Lease, who []dhcpv4.Modifier) (*nclient4.Lease, error) {
	renewal, rebinding, end := times(got.ACK)
	for next := renewal; ; {
		pause(ctx, time.Until(got.CreationTime.Add(next)))
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		age := time.Since(got.CreationTime)
		if age >= end {
			return nil, fmt.Errorf("renew lease: %s: no server answered until it ran out", c.link)
		}
		var again *nclient4.Lease
		var err error
		bounded, cancel := context.WithDeadline(ctx, got.CreationTime.Add(end))
		if age < rebinding {
			again, err = client.Renew(bounded, got, who...)
		} else {
			again, err = c.rebind(bounded, client, got, who)
		}
		cancel()
		if err == nil {
			return again, nil
		}
		var refused *nclient4.ErrNak
		if errors.As(err, &refused) {
			return nil, fmt.Errorf("renew lease: %s: the server takes it back", c.link)
		}
		c.log.Warn("DHCP lease is not renewed yet", "link", c.link, "left", time.Until(got.CreationTime.Add(end)).Round(time.Second), "error", err)
		age = time.Since(got.CreationTime)
		// Half of what is left until the next step, as RFC 2131 says.
		step := rebinding
		if age >= rebinding {
			step = end
		}
		next = min(age+max((step-age)/2, soonest), end)
	}
}

// rebind asks any server to go on with the lease.
func (c *client4) rebind(ctx context.Context, client *nclient4.Client, got *nclient4.Lease, who []dhcpv4.Modifier) (*nclient4.Lease, error) {
	request, err := dhcpv4.NewRenewFromAck(got.ACK, who...)
	if err != nil {
		return nil, err
	}
	request.SetBroadcast()
	answer, err := client.SendAndRead(ctx, nclient4.DefaultServers, request, nclient4.IsMessageType(dhcpv4.MessageTypeAck, dhcpv4.MessageTypeNak))
	if err != nil {
		return nil, err
	}
	if answer.MessageType() == dhcpv4.MessageTypeNak {
		return nil, &nclient4.ErrNak{Offer: got.Offer, Nak: answer}
	}
	return &nclient4.Lease{Offer: answer, ACK: answer, CreationTime: time.Now()}, nil
}
