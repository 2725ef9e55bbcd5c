package dhcp

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/insomniacslk/dhcp/dhcpv4"
	"github.com/insomniacslk/dhcp/dhcpv4/nclient4"

	"github.com/ichor-os/ichor/config/documents/v1alpha1"
	"github.com/ichor-os/ichor/node/dhcp/spec"
	linkspec "github.com/ichor-os/ichor/node/link/spec"
	"github.com/ichor-os/ichor/resource"
)

// How a client waits.
const (
	attempt    = 4 * time.Second // for one answer
	retryFirst = time.Second     // after a failure; doubled
	retryMost  = 30 * time.Second
	minLease   = 2 * time.Second
	defaultFor = time.Hour // where a server names no time
)

// Clients are the DHCP clients of a node, one a link.
type Clients struct {
	Log *slog.Logger
	// Select names the links that a selector of the config matches.
	Select Select

	mu      sync.Mutex
	running map[string]*client
	leases  map[string]spec.LeaseSpec
	changed chan struct{}
}

// Select names the links that a selector of the config matches.
type Select func([]resource.Resource[linkspec.LinkStatusSpec], *v1alpha1.NetworkDeviceSelector) []string

// NewClients makes a set of no clients.
func NewClients(log *slog.Logger, selects Select) *Clients {
	return &Clients{Log: log, Select: selects, running: map[string]*client{}, leases: map[string]spec.LeaseSpec{}, changed: make(chan struct{}, 1)}
}

type client struct {
	want  linkspec.OperatorSpecSpec
	stop  context.CancelFunc
	ended chan struct{}
}

// ensure runs the client while its link is there and up.
func (c *Clients) ensure(_ context.Context, s *resource.Session, r resource.Resource[linkspec.OperatorSpecSpec]) error {
	if r.Spec.Operator != linkspec.OperatorDhcp4 {
		return nil
	}
	link, ok := linkspec.LinkStatuses.Get(s, r.Spec.LinkName)
	if !ok || !link.IsUp() || !link.LinkState {
		// A lease outlasts a link that is down for a moment; the client asks on.
		if c.isRunning(r.ID) {
			return nil
		}
		return resource.Hold("waiting for link " + r.Spec.LinkName + " to come up")
	}
	c.mu.Lock()
	old := c.running[r.ID]
	c.mu.Unlock()
	if old != nil && old.want == r.Spec {
		return nil
	}
	c.end(old)
	ctx, stop := context.WithCancel(context.Background())
	n := &client{want: r.Spec, stop: stop, ended: make(chan struct{})}
	c.mu.Lock()
	c.running[r.ID] = n
	c.mu.Unlock()
	go func() {
		defer close(n.ended)
		c.run(ctx, r.ID, r.Spec)
	}()
	return nil
}

func (c *Clients) isRunning(id string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.running[id] != nil
}

func (c *Clients) end(old *client) {
	if old != nil {
		old.stop()
		<-old.ended
	}
}

func (c *Clients) remove(_ context.Context, _ *resource.Session, r resource.Resource[linkspec.OperatorSpecSpec]) error {
	c.mu.Lock()
	old := c.running[r.ID]
	delete(c.running, r.ID)
	c.mu.Unlock()
	c.end(old)
	c.set(r.ID, nil)
	return nil
}

// set shows a lease, or that there is none.
func (c *Clients) set(id string, lease *spec.LeaseSpec) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if lease == nil {
		delete(c.leases, id)
	} else {
		c.leases[id] = *lease
	}
	select {
	case c.changed <- struct{}{}:
	default:
	}
}

// show is the source of the leases.
func (c *Clients) show(ctx context.Context, f *resource.Feed[spec.LeaseSpec]) error {
	for {
		var items []resource.Item[spec.LeaseSpec]
		c.mu.Lock()
		for id, lease := range c.leases {
			items = append(items, resource.Item[spec.LeaseSpec]{ID: id, Spec: lease})
		}
		c.mu.Unlock()
		if err := f.Replace(items...); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			c.endAll()
			return ctx.Err()
		case <-c.changed:
		}
	}
}

// endAll waits for all clients to end; their leases stay with the server.
func (c *Clients) endAll() {
	c.mu.Lock()
	running := c.running
	c.running = map[string]*client{}
	c.mu.Unlock()
	for _, r := range running {
		c.end(r)
	}
}

// run keeps a lease until ctx ends (RFC 2131, 4.4). Renewals are broadcast, so
// that another server of the same leases may answer as well.
func (c *Clients) run(ctx context.Context, id string, want linkspec.OperatorSpecSpec) {
	wait := retryFirst
	for ctx.Err() == nil {
		lease, err := c.acquire(ctx, want)
		if err != nil {
			c.Log.Debug("no DHCP lease", "link", want.LinkName, "error", err)
			pause(ctx, wait)
			wait = min(2*wait, retryMost)
			continue
		}
		wait = retryFirst
		c.Log.Info("DHCP lease", "link", want.LinkName, "address", lease.ACK.YourIPAddr.String())
		err = c.keep(ctx, id, want, lease)
		if ctx.Err() == nil {
			c.Log.Warn("DHCP lease is lost", "link", want.LinkName, "error", err)
			c.set(id, nil)
		}
	}
}

func (c *Clients) acquire(ctx context.Context, want linkspec.OperatorSpecSpec) (*nclient4.Lease, error) {
	conn, err := nclient4.New(want.LinkName, nclient4.WithTimeout(attempt), nclient4.WithRetry(1))
	if err != nil {
		return nil, fmt.Errorf("open DHCP client: %s: %w", want.LinkName, err)
	}
	defer conn.Close()
	lease, err := conn.Request(ctx, modifiers(want.Dhcp4)...)
	if err != nil {
		return nil, fmt.Errorf("ask for DHCP lease: %s: %w", want.LinkName, err)
	}
	if _, err := read(lease.ACK, want); err != nil {
		return nil, err
	}
	return lease, nil
}

// keep shows a lease and renews it until it is lost: refused or expired.
func (c *Clients) keep(ctx context.Context, id string, want linkspec.OperatorSpecSpec, lease *nclient4.Lease) error {
	for {
		given, err := read(lease.ACK, want)
		if err != nil {
			return err
		}
		c.set(id, &given)
		length := max(lease.ACK.IPAddressLeaseTime(defaultFor), minLease)
		ends := lease.CreationTime.Add(length)
		pause(ctx, time.Until(lease.CreationTime.Add(min(lease.ACK.IPAddressRenewalTime(length/2), length))))
		next, err := c.renew(ctx, want, lease, ends)
		if err != nil {
			return err
		}
		lease = next
	}
}

// renew asks until there is an answer or the lease ends.
func (c *Clients) renew(ctx context.Context, want linkspec.OperatorSpecSpec, lease *nclient4.Lease, ends time.Time) (*nclient4.Lease, error) {
	ctx, cancel := context.WithDeadline(ctx, ends)
	defer cancel()
	for {
		next, err := c.renewOnce(ctx, want, lease)
		var refused *nclient4.ErrNak
		if err == nil || errors.As(err, &refused) {
			return next, err
		}
		pause(ctx, min(max(time.Until(ends)/4, minLease/4), retryMost))
		if ctx.Err() != nil {
			return nil, fmt.Errorf("renew DHCP lease: %s: no answer before its end: %w", want.LinkName, err)
		}
	}
}

func (c *Clients) renewOnce(ctx context.Context, want linkspec.OperatorSpecSpec, lease *nclient4.Lease) (*nclient4.Lease, error) {
	conn, err := nclient4.New(want.LinkName, nclient4.WithTimeout(attempt), nclient4.WithRetry(1))
	if err != nil {
		return nil, fmt.Errorf("open DHCP client: %s: %w", want.LinkName, err)
	}
	defer conn.Close()
	return conn.Renew(ctx, lease, modifiers(want.Dhcp4)...)
}

func pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// modifiers are what the client says of itself, and asks for.
func modifiers(o linkspec.DHCP4OperatorSpec) []dhcpv4.Modifier {
	asked := []dhcpv4.OptionCode{
		dhcpv4.OptionClasslessStaticRoute, dhcpv4.OptionSubnetMask, dhcpv4.OptionRouter, dhcpv4.OptionDomainNameServer,
		dhcpv4.OptionDomainName, dhcpv4.OptionDNSDomainSearchList, dhcpv4.OptionNTPServers, dhcpv4.OptionInterfaceMTU,
	}
	if !o.SkipHostnameRequest {
		asked = append(asked, dhcpv4.OptionHostName)
	}
	return []dhcpv4.Modifier{dhcpv4.WithRequestedOptions(asked...), func(d *dhcpv4.DHCPv4) {
		switch o.ClientIdentifier.ClientIdentifier {
		case linkspec.ClientIdentifierMAC:
			d.UpdateOption(dhcpv4.OptClientIdentifier(append([]byte{byte(d.HWType)}, d.ClientHWAddr...)))
		case linkspec.ClientIdentifierDUID:
			// RFC 4361: type 255, an identity association of 0, and the DUID.
			if duid, err := hex.DecodeString(o.ClientIdentifier.DUIDRawHex); err == nil {
				d.UpdateOption(dhcpv4.OptClientIdentifier(append([]byte{255, 0, 0, 0, 0}, duid...)))
			}
		}
	}}
}
