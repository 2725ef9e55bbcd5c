package kubeprism

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"slices"
	"sync"
	"time"
)

// Bounds of the balancer.
const (
	dialBound   = 3 * time.Second
	checkEvery  = 5 * time.Second
	checkBound  = 2 * time.Second
	mostPending = 1024
)

// upstream is an API server behind the balancer.
type upstream struct {
	address string
	healthy bool
	// conns are the connections to it, to be ended when it is removed.
	conns map[net.Conn]struct{}
}

// Balancer passes TCP connections on to one of several API servers that answer.
// The order of upstreams is the order of preference: a node's own comes first.
// The zero value listens to nothing; give it upstreams with Use.
type Balancer struct {
	Log *slog.Logger
	// Changed is told when an upstream becomes healthy or ceases to be.
	Changed func()

	mu        sync.Mutex
	listener  net.Listener
	address   string
	upstreams []*upstream
	stop      context.CancelFunc
	pending   chan struct{}
}

// Use has the balancer listen on address and pass on to the upstreams. What was
// listened on before ends only if the address differs; connections to upstreams
// that are not listed any more are closed.
func (b *Balancer) Use(ctx context.Context, address string, upstreams []string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.listener != nil && b.address != address {
		b.close()
	}
	b.set(upstreams)
	if b.listener != nil {
		return nil
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
	if err != nil {
		return fmt.Errorf("listen for the Kubernetes API: %w", err)
	}
	// The listener outlives the call; Close ends it.
	running, stop := context.WithCancel(context.WithoutCancel(ctx))
	b.listener, b.address, b.stop = listener, address, stop
	b.pending = make(chan struct{}, mostPending)
	go b.accept(running, listener)
	go b.check(running)
	return nil
}

func (b *Balancer) set(addresses []string) {
	var next []*upstream
	for _, address := range addresses {
		i := slices.IndexFunc(b.upstreams, func(u *upstream) bool { return u.address == address })
		if i >= 0 {
			next = append(next, b.upstreams[i])
			continue
		}
		// Trust it until it fails: at the start of a node nothing is checked yet.
		next = append(next, &upstream{address: address, healthy: true, conns: map[net.Conn]struct{}{}})
	}
	for _, u := range b.upstreams {
		if !slices.Contains(addresses, u.address) {
			for conn := range u.conns {
				conn.Close()
			}
		}
	}
	b.upstreams = next
}

// Close ends listener and connections.
func (b *Balancer) Close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.close()
	b.set(nil)
}

func (b *Balancer) close() {
	if b.listener != nil {
		b.listener.Close()
		b.stop()
		b.listener = nil
	}
}

// Healthy tells whether any upstream answers.
func (b *Balancer) Healthy() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.ContainsFunc(b.upstreams, func(u *upstream) bool { return u.healthy })
}

// Listening tells on which address the balancer listens; empty for none.
func (b *Balancer) Listening() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.listener == nil {
		return ""
	}
	return b.listener.Addr().String()
}

func (b *Balancer) accept(ctx context.Context, listener net.Listener) {
	for {
		conn, err := listener.Accept()
		if err != nil {
			if ctx.Err() != nil {
				return
			}
			b.Log.Warn("a connection to the Kubernetes API is not accepted", "error", err)
			select {
			case <-ctx.Done():
				return
			case <-time.After(100 * time.Millisecond):
			}
			continue
		}
		select {
		case b.pending <- struct{}{}:
			go func() {
				defer func() { <-b.pending }()
				b.serve(ctx, conn)
			}()
		default:
			conn.Close()
		}
	}
}

// candidates are the upstreams to try: healthy ones in their order, then the
// others, as a check may be late.
func (b *Balancer) candidates() []*upstream {
	b.mu.Lock()
	defer b.mu.Unlock()
	all := slices.Clone(b.upstreams)
	slices.SortStableFunc(all, func(x, y *upstream) int {
		switch {
		case x.healthy == y.healthy:
			return 0
		case x.healthy:
			return -1
		}
		return 1
	})
	return all
}

func (b *Balancer) serve(ctx context.Context, client net.Conn) {
	defer client.Close()
	for _, u := range b.candidates() {
		dialer := net.Dialer{Timeout: dialBound}
		server, err := dialer.DialContext(ctx, "tcp", u.address)
		b.judge(u, err == nil)
		if err != nil {
			continue
		}
		if !b.hold(u, server) {
			server.Close()
			continue
		}
		pass(ctx, client, server)
		b.release(u, server)
		return
	}
}

// hold notes a connection to an upstream, unless that was removed meanwhile.
func (b *Balancer) hold(u *upstream, conn net.Conn) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !slices.Contains(b.upstreams, u) {
		return false
	}
	u.conns[conn] = struct{}{}
	return true
}

func (b *Balancer) release(u *upstream, conn net.Conn) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(u.conns, conn)
}

func (b *Balancer) judge(u *upstream, healthy bool) {
	b.mu.Lock()
	changed := u.healthy != healthy && slices.Contains(b.upstreams, u)
	u.healthy = healthy
	b.mu.Unlock()
	if changed {
		b.Log.Info("API server", "address", u.address, "healthy", healthy)
		if b.Changed != nil {
			b.Changed()
		}
	}
}

// check looks at all upstreams from time to time until ctx ends.
func (b *Balancer) check(ctx context.Context) {
	for {
		var wg sync.WaitGroup
		for _, u := range b.candidates() {
			wg.Go(func() {
				dialer := net.Dialer{Timeout: checkBound}
				conn, err := dialer.DialContext(ctx, "tcp", u.address)
				if ctx.Err() != nil {
					return
				}
				if err == nil {
					conn.Close()
				}
				b.judge(u, err == nil)
			})
		}
		wg.Wait()
		select {
		case <-ctx.Done():
			return
		case <-time.After(checkEvery):
		}
	}
}

// pass copies both ways until both sides have ended, or ctx does.
func pass(ctx context.Context, client, server net.Conn) {
	stop := context.AfterFunc(ctx, func() {
		client.Close()
		server.Close()
	})
	defer stop()
	var wg sync.WaitGroup
	for _, way := range [][2]net.Conn{{client, server}, {server, client}} {
		wg.Go(func() {
			_, err := io.Copy(way[0], way[1])
			half, ok := way[0].(*net.TCPConn)
			if err != nil || !ok || half.CloseWrite() != nil {
				client.Close()
				server.Close()
			}
		})
	}
	wg.Wait()
	server.Close()
}
