package client

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"sync"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
)

// trace follows how connections to the endpoints fare, because the error of a
// call tells little of it, and turns errors of calls into ones that tell.
type trace struct {
	context  string
	config   *tls.Config
	insecure bool

	mu     sync.Mutex
	failed []failure
	live   int // connections that a node has spoken on
}

// failure is why the last attempt to connect to an address came to nothing.
type failure struct {
	address string
	err     error
}

// failures returns why no endpoint could be used. It is empty if one is in use:
// then whatever fails does so behind it.
func (t *trace) failures() []failure {
	t.mu.Lock()
	defer t.mu.Unlock()

	if t.live > 0 {
		return nil
	}

	return append([]failure(nil), t.failed...)
}

// note keeps the last failure of an address, in the order in which addresses
// first failed. Attempts that were given up because another endpoint was faster
// say nothing.
func (t *trace) note(ctx context.Context, address string, err error) {
	if errors.Is(ctx.Err(), context.Canceled) {
		return
	}

	t.mu.Lock()
	defer t.mu.Unlock()

	for i := range t.failed {
		if t.failed[i].address == address {
			t.failed[i].err = err
			return
		}
	}

	t.failed = append(t.failed, failure{address: address, err: err})
}

// connected forgets all failures: an endpoint is in use.
func (t *trace) connected() {
	t.mu.Lock()
	defer t.mu.Unlock()

	t.live++
	t.failed = nil
}

func (t *trace) disconnected() {
	t.mu.Lock()
	defer t.mu.Unlock()

	t.live--
}

func (t *trace) dial(ctx context.Context, address string) (net.Conn, error) {
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", address)
	if err != nil {
		t.note(ctx, address, err)

		return nil, err
	}

	return &tracedConn{Conn: conn, address: address}, nil
}

// tracedConn knows the endpoint that it leads to.
type tracedConn struct {
	net.Conn
	address string
}

func (t *trace) credentials() credentials.TransportCredentials {
	return tracedCredentials{TransportCredentials: credentials.NewTLS(t.config), trace: t}
}

// tracedCredentials do TLS and note how it went.
type tracedCredentials struct {
	credentials.TransportCredentials
	trace *trace
}

func (c tracedCredentials) ClientHandshake(ctx context.Context, authority string, raw net.Conn) (net.Conn, credentials.AuthInfo, error) {
	traced, ok := raw.(*tracedConn)
	if !ok {
		return c.TransportCredentials.ClientHandshake(ctx, authority, raw)
	}

	conn, info, err := c.TransportCredentials.ClientHandshake(ctx, authority, raw)
	if err != nil {
		c.trace.note(ctx, traced.address, err)
		return nil, nil, err
	}

	// In TLS 1.3 a node looks at the caller's certificate only after the
	// caller is done; what it says then is the first thing to be read.
	return &firstRead{Conn: conn, trace: c.trace, address: traced.address}, info, nil
}

func (c tracedCredentials) Clone() credentials.TransportCredentials {
	return tracedCredentials{TransportCredentials: c.TransportCredentials.Clone(), trace: c.trace}
}

// firstRead notes the outcome of the first read on a connection.
type firstRead struct {
	net.Conn
	trace   *trace
	address string

	mu     sync.Mutex
	spoken bool // something was read
	ended  bool // nothing will be
}

func (f *firstRead) Read(b []byte) (int, error) {
	n, err := f.Conn.Read(b)

	f.mu.Lock()
	defer f.mu.Unlock()

	switch {
	case f.spoken || f.ended:
	case err == nil:
		f.spoken = true
		f.trace.connected()
	default:
		f.ended = true
		f.trace.note(context.Background(), f.address, &refusal{cause: err})
	}

	return n, err
}

func (f *firstRead) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()

	if f.spoken && !f.ended {
		f.trace.disconnected()
	}

	f.ended = f.ended || f.spoken

	return f.Conn.Close()
}

func (t *trace) unary(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption) error {
	return t.explain(invoke(ctx, method, req, reply, cc, opts...), targets(ctx))
}

func (t *trace) stream(ctx context.Context, desc *grpc.StreamDesc, cc *grpc.ClientConn, method string, open grpc.Streamer, opts ...grpc.CallOption) (grpc.ClientStream, error) {
	stream, err := open(ctx, desc, cc, method, opts...)
	if err != nil {
		return nil, t.explain(err, targets(ctx))
	}

	return &tracedStream{ClientStream: stream, trace: t, asked: targets(ctx)}, nil
}

// tracedStream explains the errors of a stream.
type tracedStream struct {
	grpc.ClientStream
	trace *trace
	asked []string
}

func (s *tracedStream) RecvMsg(m any) error {
	return s.trace.explain(s.ClientStream.RecvMsg(m), s.asked)
}

func (s *tracedStream) SendMsg(m any) error {
	return s.trace.explain(s.ClientStream.SendMsg(m), s.asked)
}
