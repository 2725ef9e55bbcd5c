package apid

import (
	"context"
	"net"
	"net/netip"
	"sync"
	"time"
)

// Limits bound what one source, or all of them together, can take from a node.
// A source is an IPv4 address or an IPv6 network of 64 bits.
type Limits struct {
	// Message is the size of the largest message, in bytes.
	Message int
	// Streams is the number of calls at a time on one connection.
	Streams uint32
	// Connections is the number of connections of one source, and
	// AllConnections that of all.
	Connections, AllConnections int
	// Handshakes is the number of TLS handshakes of one source at a time,
	// and AllHandshakes that of all; more have to wait.
	Handshakes, AllHandshakes int
	// Handshake is how long a handshake may take, waiting included.
	Handshake time.Duration
	// Calls is the number of calls of one source at a time. Nodes, who call
	// for others, have NodeCalls, and a source in maintenance MaintenanceCalls.
	Calls, NodeCalls, MaintenanceCalls int
	// Stall is how long a message may wait for a caller to read it.
	Stall time.Duration
	// Targets is the number of nodes that one call may name.
	Targets int
}

// DefaultLimits are generous for people and scripts, and small against what
// would hurt a node.
func DefaultLimits() Limits {
	return Limits{
		Message:          32 << 20,
		Streams:          1024,
		Connections:      64,
		AllConnections:   1024,
		Handshakes:       8,
		AllHandshakes:    64,
		Handshake:        10 * time.Second,
		Calls:            256,
		NodeCalls:        1024,
		MaintenanceCalls: 16,
		Stall:            10 * time.Minute,
		Targets:          256,
	}
}

// A quota counts what each source and all of them hold at the moment.
type quota struct {
	each, all int

	mu    sync.Mutex
	held  map[netip.Prefix]int
	total int
	freed chan struct{} // closed and replaced when something is given back
}

func newQuota(each, all int) *quota {
	return &quota{each: each, all: all, held: map[netip.Prefix]int{}, freed: make(chan struct{})}
}

// group returns what is counted as one source.
func group(source netip.Addr) netip.Prefix {
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

// take takes one for source unless it, or all together, has enough. What is
// taken has to be given back once.
func (q *quota) take(source netip.Addr, each int) (release func(), ok bool) {
	key := group(source)

	q.mu.Lock()
	defer q.mu.Unlock()

	if q.held[key] >= each || q.total >= q.all {
		return nil, false
	}

	q.held[key]++
	q.total++

	return func() { q.release(key) }, true
}

func (q *quota) release(key netip.Prefix) {
	q.mu.Lock()
	defer q.mu.Unlock()

	q.total--

	if q.held[key]--; q.held[key] == 0 {
		delete(q.held, key)
	}

	close(q.freed)
	q.freed = make(chan struct{})
}

// wait is take that waits for its turn until ctx ends.
func (q *quota) wait(ctx context.Context, source netip.Addr) (release func(), err error) {
	for {
		q.mu.Lock()
		freed := q.freed
		q.mu.Unlock()

		if release, ok := q.take(source, q.each); ok {
			return release, nil
		}

		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-freed:
		}
	}
}

// door is a listener that turns away sources which are not admitted or have
// too many connections, before anything is spent on them.
type door struct {
	net.Listener
	server *Server
}

func (d door) Accept() (net.Conn, error) {
	for {
		conn, err := d.Listener.Accept()
		if err != nil {
			return nil, err
		}

		if admitted := d.admit(conn); admitted != nil {
			return admitted, nil
		}

		// Reset, so that no state of the connection stays behind.
		if tcp, ok := conn.(*net.TCPConn); ok {
			_ = tcp.SetLinger(0)
		}

		_ = conn.Close()
	}
}

func (d door) admit(conn net.Conn) net.Conn {
	source := sourceOf(conn.RemoteAddr())

	if current := d.server.state.Load(); current == nil || !current.admits(source) {
		d.server.log.Debug("connection turned away: source not allowed", "source", source)
		return nil
	}

	release, ok := d.server.connections.take(source, d.server.connections.each)
	if !ok {
		d.server.log.Debug("connection turned away: too many", "source", source)
		return nil
	}

	return &countedConn{Conn: conn, release: sync.OnceFunc(release)}
}

// countedConn gives its place back when it is closed.
type countedConn struct {
	net.Conn
	release func()
}

func (c *countedConn) Close() error {
	c.release()

	return c.Conn.Close()
}
