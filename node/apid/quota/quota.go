// Package quota bounds what one source on the network, or all of them together,
// can take from a server: connections, handshakes, calls.
//
// A source is an IPv4 address or an IPv6 network of 64 bits, because whoever has
// one address of such a network has them all.
package quota

import (
	"context"
	"net"
	"net/netip"
	"sync"
)

// A Quota counts what each source and all of them hold at the moment.
type Quota struct {
	each, all int

	mu    sync.Mutex
	held  map[netip.Prefix]int
	total int
	freed chan struct{} // if somebody waits, closed when something is given back
}

// New returns a Quota of each for one source and all for all of them.
func New(each, all int) *Quota {
	return &Quota{each: each, all: all, held: map[netip.Prefix]int{}}
}

// Source returns the address of a peer, without zone and in IPv4 where it is
// that. It is the zero Addr for what is not TCP.
func Source(addr net.Addr) netip.Addr {
	if tcp, ok := addr.(*net.TCPAddr); ok {
		return tcp.AddrPort().Addr().Unmap().WithZone("")
	}

	return netip.Addr{}
}

// Group returns what is counted as one source.
func Group(source netip.Addr) netip.Prefix {
	bits := 64
	if source.Is4() {
		bits = 32
	}

	prefix, err := source.Prefix(bits)
	if err != nil {
		return netip.Prefix{}
	}

	return prefix
}

// Take takes one for source unless it, or all together, has enough. What is
// taken is given back by release, which has an effect once.
func (q *Quota) Take(source netip.Addr) (release func(), ok bool) {
	return q.TakeUpTo(source, q.each)
}

// TakeUpTo is Take with another bound for the source.
func (q *Quota) TakeUpTo(source netip.Addr, each int) (release func(), ok bool) {
	key := Group(source)

	q.mu.Lock()
	defer q.mu.Unlock()

	if q.held[key] >= each || q.total >= q.all {
		return nil, false
	}

	q.held[key]++
	q.total++

	return sync.OnceFunc(func() { q.release(key) }), true
}

func (q *Quota) release(key netip.Prefix) {
	q.mu.Lock()
	defer q.mu.Unlock()

	q.total--

	if q.held[key]--; q.held[key] == 0 {
		delete(q.held, key)
	}

	if q.freed != nil {
		close(q.freed)
		q.freed = nil
	}
}

// Wait is Take that waits for its turn until ctx ends.
func (q *Quota) Wait(ctx context.Context, source netip.Addr) (release func(), err error) {
	for {
		if release, ok := q.Take(source); ok {
			return release, nil
		}

		q.mu.Lock()
		if q.freed == nil {
			q.freed = make(chan struct{})
		}
		freed := q.freed
		q.mu.Unlock()

		// What was given back before there was a channel to tell of it.
		if release, ok := q.Take(source); ok {
			return release, nil
		}

		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-freed:
		}
	}
}

// Held returns how many are held by all sources.
func (q *Quota) Held() int {
	q.mu.Lock()
	defer q.mu.Unlock()

	return q.total
}
