package apid

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"log/slog"
	"net"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/metadata"
	"google.golang.org/protobuf/proto"

	ichorpb "github.com/ichor-os/ichor/api/ichor"
	"github.com/ichor-os/ichor/node/apid/settings"
	"github.com/ichor-os/ichor/pki"
)

// fixture is a cluster of apids on loopback addresses that share a port, each
// with a machined that the test plays.
type fixture struct {
	t         testing.TB
	authority *pki.Authority
	port      int
	listeners map[string]net.Listener // reserved, by address
}

// testNode is one of them.
type testNode struct {
	*fixture
	address  string
	server   *Server
	settings settings.API
	machined *machined
	stop     func()
}

func newFixture(t testing.TB) *fixture {
	t.Helper()

	authority, err := pki.NewMachineAuthority(time.Now().Add(-time.Hour))
	if err != nil {
		t.Fatal(err)
	}

	f := &fixture{t: t, authority: authority}

	for range 20 {
		if err = f.reserve("127.0.0.1", "127.0.0.2"); err == nil {
			return f
		}
	}

	t.Fatalf("no port is free on all addresses: %v", err)

	return nil
}

// reserve opens a port that is free on all addresses.
func (f *fixture) reserve(addresses ...string) error {
	f.listeners, f.port = map[string]net.Listener{}, 0

	for _, address := range addresses {
		listener, err := net.Listen("tcp", net.JoinHostPort(address, strconv.Itoa(f.port)))
		if err != nil {
			for _, other := range f.listeners {
				_ = other.Close()
			}

			return err
		}

		f.listeners[address], f.port = listener, listener.Addr().(*net.TCPAddr).Port
		f.t.Cleanup(func() { _ = listener.Close() })
	}

	return nil
}

// start starts a node on a loopback address. Its settings can be changed
// before they are used.
func (f *fixture) start(address string, mode settings.Mode, change ...func(*testNode, *Options)) *testNode {
	f.t.Helper()

	listener := f.listen(address)
	n := &testNode{fixture: f, address: address, machined: startMachined(f.t)}
	n.settings = settings.API{Mode: mode, Self: []string{address}, Server: f.issue(pki.Template{Names: []string{address}})}

	if mode != settings.Maintenance {
		n.settings.CA = pki.EncodeCertificate(f.authority.Certificate)
	}

	if mode == settings.ControlPlane {
		n.settings.Client = f.issue(pki.Template{Organizations: []string{"os:impersonator"}})
	}

	options := Options{
		Backend: n.machined.path, PeerPort: f.port, Limits: DefaultLimits(),
		Log: slog.New(slog.DiscardHandler), Now: time.Now,
	}

	for _, c := range change {
		c(n, &options)
	}

	var err error
	if n.server, err = NewServer(options); err != nil {
		f.t.Fatal(err)
	}

	n.use()

	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)

	go func() { done <- n.server.Serve(ctx, listener) }()

	n.stop = sync.OnceFunc(func() {
		cancel()

		if err := <-done; err != nil {
			f.t.Errorf("serve: %v", err)
		}
	})
	f.t.Cleanup(n.stop)

	return n
}

// listen returns the listener that is reserved for an address.
func (f *fixture) listen(address string) net.Listener {
	f.t.Helper()

	listener, ok := f.listeners[address]
	if !ok {
		f.t.Fatalf("no port is reserved on %s", address)
	}

	delete(f.listeners, address)

	return listener
}

func (n *testNode) use() {
	n.t.Helper()

	if err := n.server.Use(&n.settings); err != nil {
		n.t.Fatal(err)
	}
}

// issue signs a certificate for an hour, for clients and servers unless the
// template says otherwise.
func (f *fixture) issue(template pki.Template) pki.Pair {
	f.t.Helper()

	return issueBy(f.t, f.authority, template)
}

func issueBy(t testing.TB, authority *pki.Authority, template pki.Template) pki.Pair {
	t.Helper()

	if template.Usages == nil {
		template.Usages = pki.PeerAuth
	}

	if template.Lifetime == 0 {
		template.Lifetime = time.Hour
	}

	pair, err := authority.Issue(pki.Ed25519, template)
	if err != nil {
		t.Fatal(err)
	}

	return pair
}

// client connects to the node with a certificate of the given roles.
func (n *testNode) client(roles ...string) *grpc.ClientConn {
	n.t.Helper()

	pair := n.issue(pki.Template{Organizations: roles, Usages: pki.ClientAuth})

	return n.clientWith(&pair)
}

// clientWith connects to the node with a certificate, or with none.
func (n *testNode) clientWith(pair *pki.Pair, options ...grpc.DialOption) *grpc.ClientConn {
	n.t.Helper()

	roots := x509.NewCertPool()
	roots.AddCert(n.authority.Certificate)

	config := &tls.Config{MinVersion: tls.VersionTLS13, RootCAs: roots, ServerName: n.address}

	if pair != nil {
		certificate, err := pair.TLS()
		if err != nil {
			n.t.Fatal(err)
		}

		config.Certificates = []tls.Certificate{certificate}
	}

	options = append([]grpc.DialOption{
		grpc.WithTransportCredentials(credentials.NewTLS(config)),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(64<<20), grpc.MaxCallSendMsgSize(64<<20)),
		grpc.WithDisableServiceConfig(),
	}, options...)

	conn, err := grpc.NewClient("passthrough:///"+net.JoinHostPort(n.address, strconv.Itoa(n.port)), options...)
	if err != nil {
		n.t.Fatal(err)
	}

	n.t.Cleanup(func() { _ = conn.Close() })

	return conn
}

// machined stands in for the process behind apid: it notes each call and
// answers as it is told.
type machined struct {
	path string

	mu     sync.Mutex
	calls  []call
	audit  []*ichorpb.AuditIntakeRequest
	answer func(method string, stream grpc.ServerStream) error
}

type call struct {
	method string
	md     metadata.MD
}

func startMachined(t testing.TB) *machined {
	t.Helper()

	m := &machined{path: filepath.Join(t.TempDir(), "machine.sock"), answer: emptyAnswer}

	listener, err := net.Listen("unix", m.path)
	if err != nil {
		t.Fatal(err)
	}

	server := grpc.NewServer(
		grpc.ForceServerCodecV2(rawCodec{}),
		grpc.MaxRecvMsgSize(64<<20), grpc.MaxSendMsgSize(64<<20),
		grpc.UnknownServiceHandler(func(_ any, stream grpc.ServerStream) error {
			method, _ := grpc.MethodFromServerStream(stream)
			md, _ := metadata.FromIncomingContext(stream.Context())

			if method == recordMethod {
				return m.takeRecords(stream)
			}

			m.mu.Lock()
			m.calls = append(m.calls, call{method: method, md: md})
			answer := m.answer
			m.mu.Unlock()

			return answer(method, stream)
		}),
	)

	done := make(chan error, 1)

	go func() { done <- server.Serve(listener) }()

	t.Cleanup(func() {
		server.Stop()

		if err := <-done; err != nil {
			t.Errorf("machined: %v", err)
		}
	})

	return m
}

// takeRecords stands in for the audit trail.
func (m *machined) takeRecords(stream grpc.ServerStream) error {
	var request frame

	if err := stream.RecvMsg(&request); err != nil {
		return err
	}

	in := new(ichorpb.AuditIntakeRequest)
	err := proto.Unmarshal(request.data.Materialize(), in)
	request.free()

	if err != nil {
		return err
	}

	m.mu.Lock()
	m.audit = append(m.audit, in)
	m.mu.Unlock()

	return stream.SendMsg(newFrame(nil))
}

// records returns the records that came so far.
func (m *machined) records() []*ichorpb.AuditRecord {
	m.mu.Lock()
	defer m.mu.Unlock()

	var out []*ichorpb.AuditRecord
	for _, request := range m.audit {
		out = append(out, request.GetRecords()...)
	}

	return out
}

func (m *machined) set(answer func(method string, stream grpc.ServerStream) error) {
	m.mu.Lock()
	defer m.mu.Unlock()

	m.answer = answer
}

// taken returns the calls since it was last asked.
func (m *machined) taken() []call {
	m.mu.Lock()
	defer m.mu.Unlock()

	calls := m.calls
	m.calls = nil

	return calls
}

// emptyAnswer reads what the caller sends and answers with an empty message.
func emptyAnswer(_ string, stream grpc.ServerStream) error {
	if err := drain(stream); err != nil {
		return err
	}

	return stream.SendMsg(newFrame(nil))
}

func drain(stream grpc.ServerStream) error {
	for {
		var request frame

		if err := stream.RecvMsg(&request); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}

		request.free()
	}
}

// rawCall makes a call of any kind with one empty request, and returns the
// error that ends it. Metadata is given as pairs.
func rawCall(t testing.TB, conn *grpc.ClientConn, method string, md ...string) error {
	t.Helper()

	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()

	ctx = metadata.AppendToOutgoingContext(ctx, md...)

	stream, err := conn.NewStream(ctx, &grpc.StreamDesc{ClientStreams: true, ServerStreams: true}, method, grpc.ForceCodecV2(rawCodec{}))
	if err != nil {
		return err
	}

	if err := stream.SendMsg(newFrame(nil)); err != nil && err != io.EOF {
		return err
	}

	if err := stream.CloseSend(); err != nil {
		return err
	}

	for {
		var response frame

		if err := stream.RecvMsg(&response); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}

		response.free()
	}
}

func (c call) String() string { return fmt.Sprintf("%s %v", c.method, c.md) }
