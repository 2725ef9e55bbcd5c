package client

import (
	"context"
	"crypto/tls"
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
}

// failure is why the last attempt to connect to an address came to nothing.
type failure struct {
	address string
	err     error
}

func (t *trace) failures() []failure {
	t.mu.Lock()
	defer t.mu.Unlock()

	return append([]failure(nil), t.failed...)
}

// note keeps the last failure of an address, in the order in which addresses
// first failed. A nil error forgets it.
func (t *trace) note(address string, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()

	for i := range t.failed {
		if t.failed[i].address == address {
			if err == nil {
				t.failed = append(t.failed[:i], t.failed[i+1:]...)
			} else {
				t.failed[i].err = err
			}

			return
		}
	}

	if err != nil {
		t.failed = append(t.failed, failure{address: address, err: err})
	}
}

// connected forgets all failures: an endpoint is in use, so that whatever
// fails from now on fails behind it.
func (t *trace) connected() {
	t.mu.Lock()
	defer t.mu.Unlock()

	t.failed = nil
}

func (t *trace) dial(ctx context.Context, address string) (net.Conn, error) {
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", address)
	if err != nil {
		// An attempt that grpc gave up itself, because another was faster,
		// says nothing.
		if ctx.Err() == nil {
			t.note(address, err)
		}

		return nil, err
	}

	return &tracedConn{Conn: conn, trace: t, address: address}, nil
}

// tracedConn knows the endpoint that it leads to.
type tracedConn struct {
	net.Conn
	trace   *trace
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
		c.trace.note(traced.address, err)
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
	once    sync.Once
}

func (f *firstRead) Read(b []byte) (int, error) {
	n, err := f.Conn.Read(b)

	f.once.Do(func() {
		if err != nil {
			f.trace.note(f.address, &refusal{cause: err})
		} else {
			f.trace.connected()
		}
	})

	return n, err
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
