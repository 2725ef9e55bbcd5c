package trustd

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"log/slog"
	"net"
	"net/netip"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	securitypb "github.com/ichor-os/ichor/api/security"
	"github.com/ichor-os/ichor/node/apid/settings"
	"github.com/ichor-os/ichor/pki"
)

const token = "uwb3ja.1jvmptzhqb7qzfbk"

// trust is a trustd on loopback with its cluster.
type trust struct {
	t         *testing.T
	authority *pki.Authority
	server    *Server
	settings  settings.Trust
	address   string
	ahead     atomic.Int64
}

func startTrust(t *testing.T) *trust {
	t.Helper()

	authority, err := pki.NewMachineAuthority(time.Now().Add(-time.Hour))
	if err != nil {
		t.Fatal(err)
	}

	issuer, err := authority.Pair()
	if err != nil {
		t.Fatal(err)
	}

	x := &trust{t: t, authority: authority}
	x.settings = settings.Trust{
		Issuer: issuer, CA: issuer.Crt, Token: token,
		Server: x.issue(pki.Template{Names: []string{"127.0.0.1"}}),
		Taken: [][]string{
			{"10.5.0.1", "kube.example.org"},
			{"10.5.0.2", "rack4-n1"},
			{"127.0.0.1", "10.5.0.3", "rack4-n2"},
		},
	}
	server, err := NewServer(Options{
		Log: slog.New(slog.DiscardHandler),
		Now: func() time.Time { return time.Unix(1_800_000_000+x.ahead.Load(), 0) },
	})
	if err != nil {
		t.Fatal(err)
	}

	x.server = server

	if err := x.server.Use(&x.settings); err != nil {
		t.Fatal(err)
	}

	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}

	x.address = listener.Addr().String()

	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)

	go func() { done <- x.server.Serve(ctx, listener) }()

	t.Cleanup(func() {
		cancel()

		if err := <-done; err != nil {
			t.Error(err)
		}
	})

	return x
}

func (x *trust) issue(template pki.Template) pki.Pair {
	x.t.Helper()

	template.Usages, template.Lifetime = pki.PeerAuth, time.Hour

	pair, err := x.authority.Issue(pki.Ed25519, template)
	if err != nil {
		x.t.Fatal(err)
	}

	return pair
}

// ask sends a request, from the given local address, with the given tokens.
func (x *trust) ask(from string, shown *pki.Pair, csr []byte, tokens ...string) (*securitypb.CertificateResponse, error) {
	x.t.Helper()

	config := &tls.Config{MinVersion: tls.VersionTLS13, RootCAs: x.authority.Pool(), ServerName: "127.0.0.1"}

	if shown != nil {
		certificate, err := shown.TLS()
		if err != nil {
			x.t.Fatal(err)
		}

		config.Certificates = []tls.Certificate{certificate}
	}

	conn, err := grpc.NewClient("passthrough:///"+x.address,
		grpc.WithTransportCredentials(credentials.NewTLS(config)),
		grpc.WithContextDialer(func(ctx context.Context, address string) (net.Conn, error) {
			return (&net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}}).DialContext(ctx, "tcp", address)
		}))
	if err != nil {
		x.t.Fatal(err)
	}
	defer conn.Close()

	ctx, cancel := context.WithTimeout(x.t.Context(), 20*time.Second)
	defer cancel()

	ctx = metadata.NewOutgoingContext(ctx, metadata.MD{TokenKey: tokens})

	return securitypb.NewSecurityServiceClient(conn).Certificate(ctx, &securitypb.CertificateRequest{Csr: csr})
}

func request(t *testing.T, template pki.Template) []byte {
	t.Helper()

	key, err := pki.GenerateKey(pki.Ed25519)
	if err != nil {
		t.Fatal(err)
	}

	csr, err := pki.NewRequest(key, template)
	if err != nil {
		t.Fatal(err)
	}

	return csr
}

func TestCertificate_IsForTheNodeAndWithoutRole(t *testing.T) {
	x := startTrust(t)

	response, err := x.ask("127.0.0.8", nil, request(t, pki.Template{CommonName: "os:admin", Names: []string{"127.0.0.8", "rack4-n8", "fd00::8"}}), token)
	if err != nil {
		t.Fatal(err)
	}

	certificate, err := pki.ParseCertificate(response.GetCrt())
	if err != nil {
		t.Fatal(err)
	}

	if _, err := certificate.Verify(x509.VerifyOptions{Roots: x.authority.Pool(), KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}}); err != nil {
		t.Error(err)
	}

	if roles := certificate.Subject.Organization; len(roles) != 0 {
		t.Errorf("organizations %q", roles)
	}

	for _, name := range []string{"127.0.0.8", "rack4-n8", "fd00::8"} {
		if err := certificate.VerifyHostname(name); err != nil {
			t.Error(err)
		}
	}

	if life := time.Until(certificate.NotAfter); life > 24*time.Hour || life < 23*time.Hour {
		t.Errorf("valid for %s, want 24 h", life)
	}

	if string(response.GetCa()) != string(x.settings.CA) {
		t.Errorf("ca: got %s", response.GetCa())
	}

	if certificate.IsCA {
		t.Error("it can sign others")
	}
}

func TestCertificate_WrongTokens(t *testing.T) {
	x := startTrust(t)
	csr := request(t, pki.Template{Names: []string{"127.0.0.8"}})

	for i, tokens := range [][]string{nil, {""}, {token + "x"}, {token[:len(token)-1]}, {"wrong", token}, {token, token}} {
		from := netip.AddrFrom4([4]byte{127, 0, 1, byte(i + 1)}).String()

		if _, err := x.ask(from, nil, csr, tokens...); status.Code(err) != codes.PermissionDenied {
			t.Errorf("%q: got %v, want PermissionDenied", tokens, err)
		}
	}
}

func TestCertificate_Refusals(t *testing.T) {
	x := startTrust(t)

	for name, test := range map[string]struct {
		template pki.Template
		want     codes.Code
	}{
		"role":                    {pki.Template{Organizations: []string{"os:admin"}, Names: []string{"127.0.0.8"}}, codes.PermissionDenied},
		"any organization":        {pki.Template{Organizations: []string{"x"}, Names: []string{"127.0.0.8"}}, codes.PermissionDenied},
		"no name":                 {pki.Template{}, codes.InvalidArgument},
		"too many names":          {pki.Template{Names: slices.Collect(manyNames(65))}, codes.InvalidArgument},
		"pattern":                 {pki.Template{Names: []string{"*.example.org"}}, codes.PermissionDenied},
		"control plane endpoint":  {pki.Template{Names: []string{"127.0.0.8", "KUBE.example.org."}}, codes.PermissionDenied},
		"another member's name":   {pki.Template{Names: []string{"127.0.0.8", "rack4-n1"}}, codes.PermissionDenied},
		"another member's number": {pki.Template{Names: []string{"127.0.0.8", "10.5.0.2"}}, codes.PermissionDenied},
		"in IPv6 writing":         {pki.Template{Names: []string{"127.0.0.8", "::ffff:10.5.0.2"}}, codes.PermissionDenied},
	} {
		if _, err := x.ask("127.0.0.8", nil, request(t, test.template), token); status.Code(err) != test.want {
			t.Errorf("%s: got %v, want %s", name, err, test.want)
		}
	}

	if _, err := x.ask("127.0.0.8", nil, []byte("no request"), token); status.Code(err) != codes.InvalidArgument {
		t.Errorf("no request: got %v, want InvalidArgument", err)
	}

	if _, err := x.ask("127.0.0.8", nil, make([]byte, largestMessage), token); status.Code(err) != codes.ResourceExhausted {
		t.Errorf("large request: got %v, want ResourceExhausted", err)
	}
}

func manyNames(n int) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for i := range n {
			if !yield("n" + strings.Repeat("x", i) + ".org") {
				return
			}
		}
	}
}

// A member keeps what is its own: from its own address, or by showing the
// certificate that it has.
func TestCertificate_MemberRenewsItsOwn(t *testing.T) {
	x := startTrust(t)

	if _, err := x.ask("127.0.0.1", nil, request(t, pki.Template{Names: []string{"127.0.0.1", "10.5.0.3", "rack4-n2"}}), token); err != nil {
		t.Errorf("from its own address: %v", err)
	}

	present := x.issue(pki.Template{Names: []string{"10.5.0.2", "rack4-n1"}})
	csr := request(t, pki.Template{Names: []string{"10.5.0.2", "rack4-n1"}})

	if _, err := x.ask("127.0.0.9", &present, csr, token); err != nil {
		t.Errorf("from behind another address with its certificate: %v", err)
	}

	if _, err := x.ask("127.0.0.9", &present, csr); status.Code(err) != codes.PermissionDenied {
		t.Errorf("with its certificate but no token: got %v, want PermissionDenied", err)
	}
}

func TestCertificate_GuessingIsSlowedDownForItsSourceAlone(t *testing.T) {
	x := startTrust(t)
	csr := request(t, pki.Template{Names: []string{"node"}})

	for range wrongBurst {
		if _, err := x.ask("127.0.0.8", nil, csr, "guess"); status.Code(err) != codes.PermissionDenied {
			t.Fatalf("got %v, want PermissionDenied", err)
		}
	}

	if _, err := x.ask("127.0.0.8", nil, csr, token); status.Code(err) != codes.ResourceExhausted {
		t.Errorf("after too many: got %v, want ResourceExhausted", err)
	}

	if _, err := x.ask("127.0.0.9", nil, csr, token); err != nil {
		t.Errorf("another source: %v", err)
	}

	x.ahead.Store(int64(wrongEvery/time.Second) + 1)

	if _, err := x.ask("127.0.0.8", nil, csr, token); err != nil {
		t.Errorf("later: %v", err)
	}
}

func TestRates_BoundTheirMemory(t *testing.T) {
	now := time.Unix(1_800_000_000, 0)
	r := newRates(2, time.Second, func() time.Time { return now })

	addr := netip.MustParseAddr("10.0.0.0")
	for range mostSources {
		addr = addr.Next()

		if !r.take(addr) {
			t.Fatal("refused within the bound")
		}
	}

	if r.take(addr.Next()) {
		t.Error("a source beyond the bound was let in")
	}

	now = now.Add(time.Hour)

	if !r.take(addr.Next()) {
		t.Error("refused although the others have rested")
	}

	if len(r.buckets) > 1 {
		t.Errorf("%d buckets kept", len(r.buckets))
	}
}

func TestUse_TokenIsReplacedWithoutRestart(t *testing.T) {
	x := startTrust(t)
	csr := request(t, pki.Template{Names: []string{"node"}})

	x.settings.Token = "another"
	if err := x.server.Use(&x.settings); err != nil {
		t.Fatal(err)
	}

	if _, err := x.ask("127.0.0.8", nil, csr, token); status.Code(err) != codes.PermissionDenied {
		t.Errorf("old token: got %v, want PermissionDenied", err)
	}

	if _, err := x.ask("127.0.0.8", nil, csr, "another"); err != nil {
		t.Errorf("new token: %v", err)
	}
}
