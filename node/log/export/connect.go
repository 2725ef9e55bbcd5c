package export

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"net/url"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ichor-os/ichor/node/log/spec"
)

// link is a connection to a destination. It knows how much of what was written
// the other side's kernel has confirmed.
type link struct {
	net.Conn
	raw    *net.TCPConn // nil for UDP
	sent   *counted
	packet bool
}

// counted counts the bytes that a connection takes.
type counted struct {
	net.Conn
	written atomic.Int64
}

// Write implements net.Conn.
func (c *counted) Write(p []byte) (int, error) {
	n, err := c.Conn.Write(p)
	c.written.Add(int64(n))
	return n, err
}

// confirmed is how many bytes the other side's kernel has. A datagram is gone
// when it is sent.
func (l *link) confirmed() int64 {
	written := l.sent.written.Load()
	if l.raw == nil {
		return written
	}
	pending := 0
	raw, err := l.raw.SyscallConn()
	if err == nil {
		err = raw.Control(func(fd uintptr) { pending, _ = unix.IoctlGetInt(int(fd), unix.SIOCOUTQ) })
	}
	if err != nil {
		return 0
	}
	return written - int64(pending)
}

// connect opens a connection to the endpoint of a destination.
func connect(ctx context.Context, to spec.DestinationSpec, bounds Bounds) (*link, error) {
	endpoint, err := url.Parse(to.Endpoint)
	if err != nil {
		return nil, fmt.Errorf("read endpoint: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, bounds.Connect)
	defer cancel()
	network := "tcp"
	if endpoint.Scheme == "udp" {
		network = "udp"
	}
	dialer := net.Dialer{KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: bounds.Silence / 2, Interval: bounds.Silence / 6, Count: 3}}
	conn, err := dialer.DialContext(ctx, network, endpoint.Host)
	if err != nil {
		return nil, err
	}
	l := &link{sent: &counted{Conn: conn}, packet: network == "udp"}
	l.Conn = l.sent
	if tcp, ok := conn.(*net.TCPConn); ok {
		l.raw = tcp
		// What stays unconfirmed for so long ends the connection.
		if raw, err := tcp.SyscallConn(); err == nil {
			_ = raw.Control(func(fd uintptr) {
				_ = unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_USER_TIMEOUT, int(bounds.Silence/time.Millisecond))
			})
		}
	}
	if endpoint.Scheme != "tls" {
		return l, nil
	}
	roots, err := x509.SystemCertPool()
	if err != nil {
		roots = x509.NewCertPool()
	}
	roots.AppendCertsFromPEM([]byte(to.Authorities))
	secure := tls.Client(l.sent, &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: roots, ServerName: endpoint.Hostname()})
	if err := secure.HandshakeContext(ctx); err != nil {
		conn.Close()
		return nil, err
	}
	l.Conn = secure
	return l, nil
}
