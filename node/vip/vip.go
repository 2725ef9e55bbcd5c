// Package vip has control plane nodes share addresses on their local network:
// one of them holds an address at a time, and etcd says which.
//
// A node stands for election only while its own API server answers. The holder
// keeps the address while that is so, also when etcd has lost its quorum: nobody
// else can be elected then, and an API server that can be reached is what an
// administrator needs.
package vip

import (
	"context"
	"crypto/tls"
	"log/slog"
	"maps"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/ichor-os/ichor/config"
	"github.com/ichor-os/ichor/config/documents/network"
	configspec "github.com/ichor-os/ichor/node/config/spec"
	"github.com/ichor-os/ichor/node/link/spec"
	"github.com/ichor-os/ichor/resource"
	"github.com/ichor-os/ichor/resource/value"
)

// Bounds of an election.
const (
	// round is how often a node stands for election, or renews.
	round = 2 * time.Second
	// Lease is how long an address stays with a holder that is not heard of.
	Lease = 10 * time.Second
	// failures are the answers of the own API server that may be missing.
	failures     = 3
	releaseBound = 3 * time.Second
)

// An Election is a lock that one node holds at a time.
type Election interface {
	// Hold stands for election, or renews, and tells who holds.
	Hold(context.Context) (holder string, err error)
	// Release gives up, for the next to be elected at once.
	Release(context.Context) error
}

// VIPs holds the shared addresses of a node that are its own at present. Make
// the fields and give Blocks to the engine.
type VIPs struct {
	Log *slog.Logger
	// Self is what the node is called in elections.
	Self func() string
	// Elect makes the election for an address.
	Elect func(netip.Addr) Election
	// Answers tells whether the node's own API server, at a port, does.
	Answers func(ctx context.Context, port int) bool

	mu      sync.Mutex
	port    int
	running map[shared]context.CancelFunc
	held    map[shared]bool
	changed chan struct{}
	ended   sync.WaitGroup
}

// shared is an address and the link that carries it.
type shared struct {
	address netip.Addr
	link    string
}

// Blocks are the blocks of the noun.
func (v *VIPs) Blocks() []resource.Block {
	v.running, v.held, v.changed = map[shared]context.CancelFunc{}, map[shared]bool{}, make(chan struct{}, 1)
	return []resource.Block{
		resource.Mirror("vip-elections", configspec.MachineConfigs, nil, v.ensure, v.remove),
		resource.Source("vip-addresses", spec.AddressSpecs.In(spec.Config), v.feed),
	}
}

func (v *VIPs) ensure(_ context.Context, s *resource.Session, r resource.Resource[configspec.MachineConfigSpec]) error {
	if r.ID != configspec.Active {
		return nil
	}
	c, ok, err := configspec.Config(s)
	if err != nil || !ok {
		return err
	}
	v.mu.Lock()
	v.port = 6443
	if main := c.Main(); main != nil && main.Cluster != nil && main.Cluster.ControlPlane != nil && main.Cluster.ControlPlane.LocalAPIServerPort != 0 {
		v.port = main.Cluster.ControlPlane.LocalAPIServerPort
	}
	v.mu.Unlock()
	v.use(wanted(c))
	return nil
}

// Serves tells whether a server of HTTPS answers on the loopback address,
// whatever it says.
func Serves(ctx context.Context, port int) bool {
	ctx, cancel := context.WithTimeout(ctx, round)
	defer cancel()
	// What is asked is whether something is there, not whether to trust it.
	dialer := tls.Dialer{Config: &tls.Config{InsecureSkipVerify: true, MinVersion: tls.VersionTLS12}}
	conn, err := dialer.DialContext(ctx, "tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err != nil {
		return false
	}
	return conn.Close() == nil
}

func (v *VIPs) remove(_ context.Context, _ *resource.Session, r resource.Resource[configspec.MachineConfigSpec]) error {
	if r.ID == configspec.Active {
		v.use(nil)
	}
	return nil
}

// wanted lists the shared addresses of a control plane node's config.
func wanted(c *config.Config) []shared {
	main := c.Main()
	if main == nil || main.Machine == nil || main.Machine.Type == "worker" {
		return nil
	}
	var all []shared
	add := func(address, link string) {
		if a, err := netip.ParseAddr(address); err == nil && link != "" {
			all = append(all, shared{a, link})
		}
	}
	for _, d := range c.Documents() {
		if doc, ok := d.(*network.Layer2VIPConfig); ok {
			add(doc.Name(), doc.Link)
		}
	}
	if main.Machine.Network != nil {
		for _, device := range main.Machine.Network.Interfaces {
			if device != nil && device.VIP != nil && device.VIP.EquinixMetal == nil && device.VIP.HCloud == nil {
				add(device.VIP.IP, device.Interface)
			}
		}
	}
	return all
}

// use has exactly the wanted elections go on.
func (v *VIPs) use(all []shared) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for one, stop := range v.running {
		if !slices.Contains(all, one) {
			stop()
			delete(v.running, one)
		}
	}
	for _, one := range all {
		if _, ok := v.running[one]; ok {
			continue
		}
		ctx, stop := context.WithCancel(context.Background())
		v.running[one] = stop
		v.ended.Go(func() { v.run(ctx, one) })
	}
}

// Stop gives up what the node holds, so that others have it at once; it stands
// for no election any more. It waits until that is done or ctx ends.
func (v *VIPs) Stop(ctx context.Context) {
	v.use(nil)
	done := make(chan struct{})
	go func() {
		v.ended.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-ctx.Done():
	}
}

// run stands for election until ctx ends.
func (v *VIPs) run(ctx context.Context, one shared) {
	election := v.Elect(one.address)
	missing := 0
	for ctx.Err() == nil {
		v.mu.Lock()
		port := v.port
		v.mu.Unlock()
		if v.Answers(ctx, port) {
			missing = 0
		} else {
			missing++
		}
		v.round(ctx, one, election, missing)
		select {
		case <-ctx.Done():
		case <-time.After(round):
		}
	}
	v.giveUp(one, election)
}

func (v *VIPs) round(ctx context.Context, one shared, election Election, missing int) {
	holding := v.holds(one)
	switch {
	case missing >= failures && holding:
		v.Log.Warn("shared address is given up: the API server of this node does not answer", "address", one.address)
		v.giveUp(one, election)
	case missing > 0 && !holding:
		// A node whose API server is away does not stand.
	default:
		holder, err := election.Hold(ctx)
		if err != nil {
			// Without a quorum nobody is elected: who holds, keeps.
			v.Log.Debug("no election", "address", one.address, "error", err)
			return
		}
		v.set(one, holder == v.Self())
	}
}

func (v *VIPs) giveUp(one shared, election Election) {
	v.set(one, false)
	ctx, cancel := context.WithTimeout(context.Background(), releaseBound)
	defer cancel()
	if err := election.Release(ctx); err != nil {
		v.Log.Warn("shared address is free for others only later", "address", one.address, "error", err)
	}
}

func (v *VIPs) holds(one shared) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.held[one]
}

func (v *VIPs) set(one shared, held bool) {
	v.mu.Lock()
	before := v.held[one]
	if held {
		v.held[one] = true
	} else {
		delete(v.held, one)
	}
	v.mu.Unlock()
	if before == held {
		return
	}
	v.Log.Info("shared address", "address", one.address, "link", one.link, "held", held)
	select {
	case v.changed <- struct{}{}:
	default:
	}
}

// feed shows the addresses that the node holds as wishes for its links.
func (v *VIPs) feed(ctx context.Context, f *resource.Feed[spec.AddressSpecSpec]) error {
	for {
		v.mu.Lock()
		held := slices.Collect(maps.Keys(v.held))
		v.mu.Unlock()
		var items []resource.Item[spec.AddressSpecSpec]
		for _, one := range held {
			items = append(items, item(one))
		}
		if err := f.Replace(items...); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-v.changed:
		}
	}
}

func item(one shared) resource.Item[spec.AddressSpecSpec] {
	prefix := netip.PrefixFrom(one.address, one.address.BitLen())
	wish := spec.AddressSpecSpec{
		Address: prefix, LinkName: one.link, Family: value.FamilyInet4, Scope: spec.ScopeGlobal,
		Flags: spec.AddressFlagPermanent, AnnounceWithARP: true, Layer: value.LayerOperator,
	}
	if one.address.Is6() {
		wish.Family = value.FamilyInet6
	}
	return resource.Item[spec.AddressSpecSpec]{ID: spec.Layered(value.LayerOperator, spec.AddressID(one.link, prefix)), Spec: wish}
}
