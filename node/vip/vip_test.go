package vip

import (
	"context"
	"errors"
	"log/slog"
	"net/netip"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// etcd is one lock with leases, as nodes see it.
type etcd struct {
	mu       sync.Mutex
	holder   string
	until    time.Time
	noQuorum bool
}

type elector struct {
	etcd *etcd
	self string
}

var errQuorum = errors.New("no quorum")

func (e elector) Hold(context.Context) (string, error) {
	e.etcd.mu.Lock()
	defer e.etcd.mu.Unlock()
	if e.etcd.noQuorum {
		return "", errQuorum
	}
	if e.etcd.holder == "" || time.Now().After(e.etcd.until) || e.etcd.holder == e.self {
		e.etcd.holder, e.etcd.until = e.self, time.Now().Add(Lease)
	}
	return e.etcd.holder, nil
}

func (e elector) Release(context.Context) error {
	e.etcd.mu.Lock()
	defer e.etcd.mu.Unlock()
	if e.etcd.noQuorum {
		return errQuorum
	}
	if e.etcd.holder == e.self {
		e.etcd.holder = ""
	}
	return nil
}

type member struct {
	*VIPs
	up atomic.Bool
}

func newMember(e *etcd, name string) *member {
	m := &member{}
	m.up.Store(true)
	m.VIPs = &VIPs{
		Log: slog.New(slog.DiscardHandler), Self: func() string { return name },
		Elect:   func(netip.Addr) Election { return elector{e, name} },
		Answers: func(context.Context, int) bool { return m.up.Load() },
	}
	m.Blocks()
	return m
}

var address = shared{netip.MustParseAddr("10.20.0.9"), "eth0"}

func TestOneNodeHoldsTheAddress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := &etcd{}
		nodes := []*member{newMember(e, "a"), newMember(e, "b"), newMember(e, "c")}
		defer func() {
			for _, n := range nodes {
				n.use(nil)
				n.ended.Wait()
			}
		}()
		holder := func() (which int) {
			t.Helper()
			which = -1
			for i, n := range nodes {
				if n.holds(address) {
					if which >= 0 {
						t.Fatal("two nodes hold the address")
					}
					which = i
				}
			}
			return which
		}
		for _, n := range nodes {
			n.use([]shared{address})
		}
		time.Sleep(3 * round)
		first := holder()
		if first < 0 {
			t.Fatal("nobody holds the address")
		}

		// An API server that is away for a moment changes nothing.
		nodes[first].up.Store(false)
		time.Sleep(round)
		nodes[first].up.Store(true)
		time.Sleep(5 * round)
		if got := holder(); got != first {
			t.Errorf("holder is %d after a moment, want %d", got, first)
		}

		// Without a quorum the holder keeps it, and nobody else is elected.
		e.mu.Lock()
		e.noQuorum = true
		e.mu.Unlock()
		time.Sleep(10 * Lease)
		if got := holder(); got != first {
			t.Errorf("holder without a quorum is %d, want %d", got, first)
		}
		e.mu.Lock()
		e.noQuorum = false
		e.mu.Unlock()

		// An API server that stays away hands the address on.
		nodes[first].up.Store(false)
		time.Sleep(Lease + (failures+2)*round)
		if got := holder(); got < 0 || got == first {
			t.Errorf("holder is %d after its API server went, first was %d", got, first)
		}
	})
}

func TestAddressIsGivenUpWhenItIsNotWantedAnyMore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := &etcd{}
		n := newMember(e, "a")
		n.use([]shared{address})
		time.Sleep(3 * round)
		if !n.holds(address) {
			t.Fatal("the only node does not hold the address")
		}
		n.Stop(t.Context())
		if n.holds(address) || e.holder != "" {
			t.Errorf("the address is still held, lock by %q", e.holder)
		}
	})
}
