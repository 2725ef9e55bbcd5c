package client

import (
	"bufio"
	"context"
	"crypto/tls"
	"net"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/emptypb"

	machinepb "github.com/ichor-os/ichor/api/machine"
	"github.com/ichor-os/ichor/pki"
	"github.com/ichor-os/ichor/pki/talosconfig"
)

// node is a server on loopback that answers as the test says.
type node struct {
	machinepb.UnimplementedMachineServiceServer

	address string

	mu    sync.Mutex
	calls []metadata.MD
	fail  []error // what the next calls fail with
}

func (n *node) take(ctx context.Context) error {
	n.mu.Lock()
	defer n.mu.Unlock()

	md, _ := metadata.FromIncomingContext(ctx)
	n.calls = append(n.calls, md)

	if len(n.fail) == 0 {
		return nil
	}

	err := n.fail[0]
	n.fail = n.fail[1:]

	return err
}

func (n *node) Version(ctx context.Context, _ *emptypb.Empty) (*machinepb.VersionResponse, error) {
	return &machinepb.VersionResponse{Messages: []*machinepb.Version{{Version: &machinepb.VersionInfo{Tag: n.address}}}}, n.take(ctx)
}

func (n *node) Reboot(ctx context.Context, _ *machinepb.RebootRequest) (*machinepb.RebootResponse, error) {
	return &machinepb.RebootResponse{}, n.take(ctx)
}

func newAuthority(t *testing.T) *pki.Authority {
	t.Helper()

	authority, err := pki.NewMachineAuthority(time.Now().Add(-24 * time.Hour))
	if err != nil {
		t.Fatal(err)
	}

	return authority
}

func issue(t *testing.T, authority *pki.Authority, template pki.Template) pki.Pair {
	t.Helper()

	template.Usages = pki.PeerAuth
	if template.Lifetime == 0 {
		template.Lifetime = time.Hour
	}

	pair, err := authority.Issue(pki.Ed25519, template)
	if err != nil {
		t.Fatal(err)
	}

	return pair
}

// startNode starts a node that asks for client certificates of the authority,
// or for none if it is nil.
func startNode(t *testing.T, identity pki.Pair, clients *pki.Authority) *node {
	t.Helper()

	certificate, err := identity.TLS()
	if err != nil {
		t.Fatal(err)
	}

	config := &tls.Config{MinVersion: tls.VersionTLS13, Certificates: []tls.Certificate{certificate}}
	if clients != nil {
		config.ClientAuth, config.ClientCAs = tls.RequireAndVerifyClientCert, clients.Pool()
	}

	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}

	n := &node{address: listener.Addr().String()}
	server := grpc.NewServer(grpc.Creds(credentials.NewTLS(config)))
	machinepb.RegisterMachineServiceServer(server, n)

	done := make(chan error, 1)

	go func() { done <- server.Serve(listener) }()

	t.Cleanup(func() {
		server.Stop()

		if err := <-done; err != nil {
			t.Error(err)
		}
	})

	return n
}

// cluster is an authority, an administrator and the identity of a node.
type cluster struct {
	authority   *pki.Authority
	admin, node pki.Pair
}

func newCluster(t *testing.T) cluster {
	t.Helper()

	authority := newAuthority(t)

	return cluster{
		authority: authority,
		admin:     issue(t, authority, pki.Template{Organizations: []string{"os:admin"}}),
		node:      issue(t, authority, pki.Template{Names: []string{"127.0.0.1"}}),
	}
}

func (c cluster) options(endpoints ...string) Options {
	return Options{Endpoints: endpoints, CA: pki.EncodeCertificate(c.authority.Certificate), Client: c.admin, Context: "lab"}
}

func dial(t *testing.T, options Options) *Client {
	t.Helper()

	c, err := New(options)
	if err != nil {
		t.Fatal(err)
	}

	t.Cleanup(func() { _ = c.Close() })

	return c
}

func version(t *testing.T, c *Client, ctx context.Context) (string, error) {
	t.Helper()

	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()

	response, err := c.Machine.Version(ctx, &emptypb.Empty{})
	if err != nil {
		return "", err
	}

	return response.GetMessages()[0].GetVersion().GetTag(), nil
}

// unused returns an address on which nobody listens.
func unused(t *testing.T) string {
	t.Helper()

	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()

	return listener.Addr().String()
}

// silent returns an address where connections are taken and nothing is said.
func silent(t *testing.T) string {
	t.Helper()

	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}

	t.Cleanup(func() { _ = listener.Close() })

	return listener.Addr().String()
}

func TestEndpoints_FirstThatAnswersIsUsed(t *testing.T) {
	c := newCluster(t)
	first, second := startNode(t, c.node, c.authority), startNode(t, c.node, c.authority)
	foreign := startNode(t, newCluster(t).node, c.authority)

	for name, test := range map[string]struct {
		endpoints []string
		want      string
	}{
		"all live":                    {[]string{first.address, second.address}, first.address},
		"other order":                 {[]string{second.address, first.address}, second.address},
		"first refuses":               {[]string{unused(t), second.address}, second.address},
		"first says nothing":          {[]string{silent(t), silent(t), second.address}, second.address},
		"first is of another cluster": {[]string{foreign.address, second.address}, second.address},
	} {
		t.Run(name, func(t *testing.T) {
			began := time.Now()

			got, err := version(t, dial(t, c.options(test.endpoints...)), t.Context())
			if err != nil || got != test.want {
				t.Errorf("got %q, %v, want %q", got, err, test.want)
			}

			if took := time.Since(began); took > 5*time.Second {
				t.Errorf("took %s", took)
			}
		})
	}
}

func TestTargets_GoIntoMetadata(t *testing.T) {
	c := newCluster(t)
	n := startNode(t, c.node, c.authority)
	client := dial(t, c.options(n.address))

	for _, ctx := range []context.Context{
		t.Context(),
		WithNode(t.Context(), "10.5.0.2"),
		WithNodes(t.Context(), "10.5.0.2", "10.5.0.3"),
		WithNode(WithNodes(t.Context(), "10.5.0.2", "10.5.0.3"), "rack4-n1"),
		WithNodes(WithNode(t.Context(), "10.5.0.2")),
	} {
		if _, err := version(t, client, ctx); err != nil {
			t.Fatal(err)
		}
	}

	type seen struct{ Node, Nodes []string }

	var got []seen
	for _, md := range n.calls {
		got = append(got, seen{md.Get("node"), md.Get("nodes")})
	}

	want := []seen{
		{}, {Node: []string{"10.5.0.2"}}, {Nodes: []string{"10.5.0.2", "10.5.0.3"}}, {Node: []string{"rack4-n1"}}, {},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestRetry_OnlyWhatIsSafe(t *testing.T) {
	c := newCluster(t)
	n := startNode(t, c.node, c.authority)
	client := dial(t, c.options(n.address))
	unavailable := status.Error(codes.Unavailable, "the node is booting")

	n.fail = []error{unavailable, unavailable}
	if _, err := version(t, client, t.Context()); err != nil {
		t.Errorf("a call that reads: %v", err)
	}

	n.fail = []error{unavailable}
	if _, err := client.Machine.Reboot(t.Context(), &machinepb.RebootRequest{}); status.Code(err) != codes.Unavailable {
		t.Errorf("a call that changes: got %v, want Unavailable", err)
	}

	if len(n.calls) != 4 {
		t.Errorf("%d calls, want 3 and 1", len(n.calls))
	}
}

// What may be repeated is exactly what readers may call: reading.
func TestRetry_CoversWhatReadersMayCall(t *testing.T) {
	file, err := os.Open("../api/testdata/reference/rbac.tsv")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()

	var want []string

	for lines := bufio.NewScanner(file); lines.Scan(); {
		columns := strings.Split(lines.Text(), "\t")
		if len(columns) > 1 && slices.Contains(strings.Fields(columns[1]), "os:reader") {
			want = append(want, strings.TrimPrefix(columns[0], "/"))
		}
	}

	slices.Sort(want)

	got := slices.Sorted(slices.Values(readOnly))
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestErrors_SayWhatToDoNext(t *testing.T) {
	c := newCluster(t)
	other := newCluster(t)
	configured := startNode(t, c.node, c.authority)
	maintenance := startNode(t, issue(t, other.authority, pki.Template{}), nil)
	misnamed := startNode(t, issue(t, c.authority, pki.Template{Names: []string{"10.5.0.2"}}), c.authority)

	expired := c.options(configured.address)
	expired.Client = issue(t, c.authority, pki.Template{NotBefore: time.Now().Add(-2 * time.Hour), Lifetime: time.Hour})

	foreign := c.options(configured.address)
	foreign.Client = other.admin

	nobody := c.options(configured.address)
	nobody.Client = pki.Pair{}

	insecure := Options{Endpoints: []string{configured.address}, Insecure: true}
	pinned := Options{Endpoints: []string{maintenance.address}, Insecure: true, Fingerprints: []string{strings.Repeat("ab", 32)}}

	for name, test := range map[string]struct {
		options Options
		want    []string
	}{
		"expired":                 {expired, []string{`context "lab" expired on`, "config new"}},
		"certificate not known":   {foreign, []string{"does not accept the client certificate", "another cluster"}},
		"no certificate":          {nobody, []string{"asks for a client certificate", "config new"}},
		"wrong CA":                {other.options(configured.address), []string{"unknown authority", "--context"}},
		"node in maintenance":     {c.options(maintenance.address), []string{"unknown authority", "--insecure"}},
		"configured but insecure": {insecure, []string{"has a configuration already", "--insecure"}},
		"wrong fingerprint":       {pinned, []string{"fingerprint", "another machine"}},
		"wrong name":              {c.options(misnamed.address), []string{"127.0.0.1", "machine.certSANs"}},
		"unreachable":             {c.options(unused(t), unused(t)), []string{"connection refused", "check that the node is up"}},
		"unreachable and foreign": {other.options(unused(t), configured.address), []string{"connection refused", "unknown authority", "--context"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := version(t, dial(t, test.options), t.Context())
			if status.Code(err) != codes.Unavailable {
				t.Fatalf("got %v, want Unavailable", err)
			}

			for _, part := range test.want {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("got %q, want it to contain %q", err, part)
				}
			}

			if strings.Contains(err.Error(), "rpc error") {
				t.Errorf("%q speaks of its inside", err)
			}
		})
	}
}

func TestErrors_OfANodeKeepTheirCode(t *testing.T) {
	c := newCluster(t)
	n := startNode(t, c.node, c.authority)
	client := dial(t, c.options(n.address))

	for code, want := range map[codes.Code]string{
		codes.PermissionDenied:   "not allowed: as the node put it",
		codes.FailedPrecondition: "as the node put it",
		codes.Unimplemented:      "version",
		codes.Unauthenticated:    "config new",
	} {
		n.fail = []error{status.Error(code, "as the node put it")}

		_, err := version(t, client, t.Context())
		if status.Code(err) != code || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want code %s and %q", err, code, want)
		}
	}

	// Nothing is said of endpoints, not even of those that were passed over, when the endpoint answered.
	two := dial(t, c.options(silent(t), unused(t), n.address))
	if _, err := version(t, two, t.Context()); err != nil {
		t.Fatal(err)
	}

	n.fail = []error{status.Error(codes.Unavailable, "node 10.5.0.9 does not answer")}

	_, err := two.Machine.Reboot(t.Context(), &machinepb.RebootRequest{})
	if err == nil || strings.Contains(err.Error(), "no endpoint") || !strings.Contains(err.Error(), "10.5.0.9") {
		t.Errorf("got %v", err)
	}
}

func TestErrors_SilentEndpointIsNamed(t *testing.T) {
	c := newCluster(t)
	endpoint := silent(t)

	options := c.options(endpoint)
	options.connectTimeout = 200 * time.Millisecond

	_, err := version(t, dial(t, options), t.Context())
	if status.Code(err) != codes.Unavailable || !strings.Contains(err.Error(), endpoint+": no answer") {
		t.Errorf("got %v, want it to name %s", err, endpoint)
	}
}

func TestErrors_DeadlineNamesTheTargets(t *testing.T) {
	c := newCluster(t)
	client := dial(t, c.options(silent(t)))

	ctx, cancel := context.WithTimeout(WithNodes(t.Context(), "10.5.0.2", "10.5.0.3"), 50*time.Millisecond)
	defer cancel()

	_, err := client.Machine.Version(ctx, &emptypb.Empty{})
	if status.Code(err) != codes.DeadlineExceeded || !strings.Contains(err.Error(), "10.5.0.2, 10.5.0.3") {
		t.Errorf("got %v", err)
	}
}

func TestInsecure_FingerprintInEachWriting(t *testing.T) {
	identity := newCluster(t).node
	n := startNode(t, identity, nil)

	certificate, err := pki.ParseCertificate(identity.Crt)
	if err != nil {
		t.Fatal(err)
	}

	plain := pki.Fingerprint(certificate)

	var colons []string
	for i := 0; i < len(plain); i += 2 {
		colons = append(colons, strings.ToUpper(plain[i:i+2]))
	}

	for _, pins := range [][]string{nil, {plain}, {strings.Join(colons, ":")}, {strings.Repeat("0", 64), plain}} {
		c := dial(t, Options{Endpoints: []string{n.address}, Insecure: true, Fingerprints: pins})
		if _, err := version(t, c, t.Context()); err != nil {
			t.Errorf("%q: %v", pins, err)
		}
	}
}

func TestNew_RefusesWhatCannotWork(t *testing.T) {
	c := newCluster(t)

	broken := c.options("10.5.0.2")
	broken.Client.Key = issue(t, c.authority, pki.Template{}).Key

	noCA := c.options("10.5.0.2")
	noCA.CA = nil

	pinned := c.options("10.5.0.2")
	pinned.Fingerprints = []string{strings.Repeat("ab", 32)}

	for name, test := range map[string]struct {
		options Options
		want    string
	}{
		"no endpoint":         {c.options(), "--endpoints"},
		"empty endpoint":      {c.options(":50000"), "no host"},
		"key of another":      {broken, `context "lab"`},
		"no ca":               {noCA, `context "lab"`},
		"fingerprint":         {pinned, "--insecure"},
		"strange fingerprint": {Options{Endpoints: []string{"n"}, Insecure: true, Fingerprints: []string{"abc"}}, "SHA-256"},
	} {
		if _, err := New(test.options); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got %v, want %q", name, err, test.want)
		}
	}
}

func TestSplitEndpoint_AddsThePort(t *testing.T) {
	for endpoint, want := range map[string][2]string{
		"10.5.0.2":            {"10.5.0.2:50000", "10.5.0.2"},
		"10.5.0.2:6000":       {"10.5.0.2:6000", "10.5.0.2"},
		"api.example.org":     {"api.example.org:50000", "api.example.org"},
		"2001:db8::2":         {"[2001:db8::2]:50000", "2001:db8::2"},
		"[2001:db8::2]":       {"[2001:db8::2]:50000", "2001:db8::2"},
		"[2001:db8::2]:6000":  {"[2001:db8::2]:6000", "2001:db8::2"},
		"api.example.org:443": {"api.example.org:443", "api.example.org"},
	} {
		if address, host := splitEndpoint(endpoint); address != want[0] || host != want[1] {
			t.Errorf("%s: got %s, %s, want %s", endpoint, address, host, want)
		}
	}
}

func TestFromContext_EndpointsOnTheCommandLineWin(t *testing.T) {
	c := newCluster(t)
	context := talosconfig.NewContext([]string{"10.5.0.2"}, pki.EncodeCertificate(c.authority.Certificate), c.admin)

	for _, test := range []struct{ given, want []string }{
		{nil, []string{"10.5.0.2"}},
		{[]string{"10.5.0.9"}, []string{"10.5.0.9"}},
	} {
		options, err := FromContext("lab", context, test.given)
		if err != nil {
			t.Fatal(err)
		}

		if diff := cmp.Diff(test.want, options.Endpoints); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}

		if _, err := New(options); err != nil {
			t.Error(err)
		}
	}
}
