// Package discovery is how the nodes of a cluster find each other without a
// service outside of it, and agree on who makes its etcd.
//
// Each node says in a record who it is. Records are sealed with a key that
// follows from cluster.secret, so trustd, which passes them on, and whoever
// reads along learns nothing. Nodes exchange what they know with the control
// plane nodes, twice a minute and when something changes; a record that is not
// renewed for 30 minutes is forgotten.
//
// Lives travel as what is left of them, so nodes need not agree on the time.
//
// Main types: Table, Peers, Claims, Service.
package discovery

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"sync"
	"time"

	ichorpb "github.com/ichor-os/ichor/api/ichor"
	"github.com/ichor-os/ichor/resource/value"
)

// Bounds of an exchange.
const (
	// Every is how often a node exchanges without a reason.
	Every = 30 * time.Second
	// settle is how long a node waits after a change for others to follow.
	settle = 200 * time.Millisecond
	// askBound bounds one peer's answer.
	askBound = 5 * time.Second
	// retryBound bounds how long a node that found nobody waits.
	retryMin, retryBound = 500 * time.Millisecond, Every
	// mostPeers is how many peers a node asks each time.
	mostPeers = 8
)

// Peers are whom a node asks.
type Peers struct {
	Table *Table
	Log   *slog.Logger
	// Dial gives a client for a peer's address; the caller closes it.
	Dial func(address string) (Client, error)
	// Seeds are names and addresses to ask besides the nodes that are known:
	// the endpoint, known ones of last time, those of the config.
	Seeds func() []string
	// Port is that of trustd.
	Port int
	// Link tells of the node on its links; may be nil.
	Link *Link
}

// errSelf says that the endpoint led back to the node itself.
var errSelf = errors.New("it is this node")

// Client is a connection to one peer.
type Client interface {
	ichorpb.DiscoveryClient
	Close() error
}

// Run exchanges until ctx ends.
func (p *Peers) Run(ctx context.Context) {
	wait := retryMin
	for {
		changed := p.Table.Changed()
		found := p.Exchange(ctx)
		next := Every
		if found == 0 {
			next, wait = wait, min(2*wait, retryBound)
		} else {
			wait = retryMin
		}
		timer := time.NewTimer(next)
		select {
		case <-ctx.Done():
			timer.Stop()
			return
		case <-timer.C:
		case <-changed:
			timer.Stop()
			// Changes come in groups, and what came from a peer is one too.
			if !pause(ctx, settle) {
				return
			}
		}
	}
}

func pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// Exchange asks peers once, side by side, and returns how many answered.
func (p *Peers) Exchange(ctx context.Context) int {
	if p.Link != nil {
		if err := p.Link.Send(ctx); err != nil {
			p.Log.Debug("a link is not told of this node", "error", err)
		}
	}
	var (
		wg    sync.WaitGroup
		mu    sync.Mutex
		found int
	)
	for _, address := range p.choose() {
		wg.Go(func() {
			err := p.exchange(ctx, address)
			if err != nil {
				p.Log.Debug("peer does not answer", "peer", address, "error", err)
				return
			}
			mu.Lock()
			defer mu.Unlock()
			found++
		})
	}
	wg.Wait()
	return found
}

// choose gives the addresses to ask: one of each control plane node that is
// known and, while these are few, the seeds.
func (p *Peers) choose() []string {
	var all []string
	for _, a := range p.Table.Affiliates() {
		if a.GetNodeId() != p.Table.self && a.GetMachineType() == int32(value.MachineTypeControlplane) && len(a.GetAddresses()) > 0 {
			all = append(all, net.JoinHostPort(a.GetAddresses()[0], strconv.Itoa(p.Port)))
		}
	}
	// Another start each time spreads the load of a large cluster.
	if n := len(all); n > mostPeers {
		from := int(time.Now().UnixNano() % int64(n))
		all = slices.Concat(all[from:], all[:from])[:mostPeers]
	}
	for _, seed := range p.Seeds() {
		if len(all) >= 2*mostPeers {
			break
		}
		if address := withPort(seed, p.Port); !slices.Contains(all, address) {
			all = append(all, address)
		}
	}
	return all
}

// withPort adds the port to a name or address that has none.
func withPort(seed string, port int) string {
	if addr, err := netip.ParseAddr(seed); err == nil {
		return netip.AddrPortFrom(addr, uint16(port)).String()
	}
	if _, _, err := net.SplitHostPort(seed); err == nil {
		return seed
	}
	return net.JoinHostPort(seed, strconv.Itoa(port))
}

func (p *Peers) exchange(ctx context.Context, address string) error {
	ctx, cancel := context.WithTimeout(ctx, askBound)
	defer cancel()
	client, err := p.Dial(address)
	if err != nil {
		return err
	}
	defer client.Close()
	in := &ichorpb.ExchangeRequest{Known: p.Table.Known(), Records: p.Table.Records(p.Table.self)}
	for range 2 {
		out, err := client.Exchange(ctx, in)
		if err != nil {
			return fmt.Errorf("exchange with %s: %w", address, err)
		}
		if out.GetNodeId() == p.Table.self {
			return errSelf
		}
		p.Table.Take(out.GetRecords())
		if len(out.GetWanted()) == 0 {
			return nil
		}
		in = &ichorpb.ExchangeRequest{Known: p.Table.Known(), Records: p.Table.Records(out.GetWanted()...)}
	}
	return nil
}

// Leave tells the peers that the node goes for good.
func (p *Peers) Leave(ctx context.Context) error {
	if err := p.Table.Tell(&ichorpb.Affiliate{NodeId: p.Table.self, Gone: true}); err != nil {
		return err
	}
	if len(p.choose()) > 0 && p.Exchange(ctx) == 0 {
		return errors.New("leave discovery: no peer answers: the others forget this node in 30 minutes")
	}
	return nil
}
