package apid

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"strconv"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/keepalive"
)

// Times of connections to other nodes: a node that does not answer must not
// hold up the others for long, and one that comes back is found soon.
const (
	connectTimeout = 5 * time.Second
	connectBackoff = 2 * time.Second
	peerIdle       = 5 * time.Minute
)

// peers are the connections to other nodes, one for each target, shared by all
// calls. A connection speaks with the identity it was made with: when that
// changes, calls under way keep their connection and later ones get a new one.
type peers struct {
	port    int
	message int

	mu    sync.Mutex
	conns map[string]*peerConn
	under *state
}

type peerConn struct {
	conn *grpc.ClientConn
	// users counts the calls, and one more while the connection is in peers.
	users int
	used  time.Time
}

func newPeers(port, message int) *peers {
	return &peers{port: port, message: message, conns: map[string]*peerConn{}}
}

// get returns the connection to a target, which release gives back.
func (p *peers) get(under *state, target string) (conn *grpc.ClientConn, release func(), err error) {
	p.mu.Lock()
	defer p.mu.Unlock()

	if p.under != under {
		p.drop(func(*peerConn) bool { return true })
		p.under = under
	}

	entry, ok := p.conns[target]
	if !ok {
		if entry, err = p.dial(under, target); err != nil {
			return nil, nil, err
		}

		// A call is a good moment to let go of what nobody needs.
		p.drop(func(other *peerConn) bool { return other.users == 1 && time.Since(other.used) > peerIdle })
		p.conns[target] = entry
	}

	entry.users++

	return entry.conn, sync.OnceFunc(func() {
		p.mu.Lock()
		defer p.mu.Unlock()

		entry.used = time.Now()
		p.leave(entry)
	}), nil
}

func (p *peers) drop(which func(*peerConn) bool) {
	for target, entry := range p.conns {
		if which(entry) {
			delete(p.conns, target)
			p.leave(entry)
		}
	}
}

func (p *peers) leave(entry *peerConn) {
	if entry.users--; entry.users == 0 {
		_ = entry.conn.Close()
	}
}

func (p *peers) close() {
	p.mu.Lock()
	defer p.mu.Unlock()

	p.drop(func(*peerConn) bool { return true })
}

func (p *peers) dial(under *state, target string) (*peerConn, error) {
	host := target
	if address, ok := under.members[target]; ok {
		host = address
	}

	conn, err := grpc.NewClient("passthrough:///"+net.JoinHostPort(host, strconv.Itoa(p.port)),
		grpc.WithTransportCredentials(toPeer{config: under.dial(target, host)}),
		grpc.WithDefaultCallOptions(
			grpc.ForceCodecV2(rawCodec{}),
			grpc.MaxCallRecvMsgSize(p.message),
			grpc.MaxCallSendMsgSize(p.message),
		),
		grpc.WithConnectParams(grpc.ConnectParams{
			Backoff:           backoff.Config{BaseDelay: 200 * time.Millisecond, Multiplier: 1.6, Jitter: 0.2, MaxDelay: connectBackoff},
			MinConnectTimeout: connectTimeout,
		}),
		grpc.WithKeepaliveParams(keepalive.ClientParameters{Time: 30 * time.Second, Timeout: 15 * time.Second}),
		grpc.WithIdleTimeout(peerIdle),
		grpc.WithDisableServiceConfig(),
		grpc.WithDisableRetry(),
		grpc.WithNoProxy(),
	)
	if err != nil {
		return nil, fmt.Errorf("dial node: %s: %w", target, err)
	}

	return &peerConn{conn: conn, users: 1, used: time.Now()}, nil
}

// toPeer are transport credentials that leave the server name to the
// configuration, which knows more than one.
type toPeer struct {
	config *tls.Config
}

func (t toPeer) ClientHandshake(ctx context.Context, authority string, raw net.Conn) (net.Conn, credentials.AuthInfo, error) {
	return credentials.NewTLS(t.config).ClientHandshake(ctx, authority, raw)
}

func (t toPeer) ServerHandshake(net.Conn) (net.Conn, credentials.AuthInfo, error) {
	return nil, nil, errors.New("these credentials are for a client")
}

func (t toPeer) Info() credentials.ProtocolInfo { return credentials.NewTLS(t.config).Info() }

func (t toPeer) Clone() credentials.TransportCredentials { return t }

func (t toPeer) OverrideServerName(string) error { return nil }
