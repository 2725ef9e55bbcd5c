package trustd

import (
	"net"
	"strconv"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/ichor-os/ichor/pki"
)

func (x *trust) request() Request {
	x.t.Helper()

	_, port, err := net.SplitHostPort(x.address)
	if err != nil {
		x.t.Fatal(err)
	}

	number, err := strconv.Atoi(port)
	if err != nil {
		x.t.Fatal(err)
	}

	return Request{
		Endpoints: []string{"127.0.0.1"}, Port: number, CA: x.settings.CA, Token: token,
		Names: []string{"127.0.0.1", "localhost", "::1", "10.5.0.3", "rack4-n2"},
	}
}

func TestAsk_ReturnsAPairThatWorks(t *testing.T) {
	x := startTrust(t)

	first, err := Ask(t.Context(), x.request())
	if err != nil {
		t.Fatal(err)
	}

	again := x.request()
	again.Present = first.Pair

	second, err := Ask(t.Context(), again)
	if err != nil {
		t.Fatal(err)
	}

	for _, answer := range []Answer{first, second} {
		pair, err := answer.Pair.TLS()
		if err != nil {
			t.Fatal(err)
		}

		if err := pair.Leaf.VerifyHostname("rack4-n2"); err != nil {
			t.Error(err)
		}

		if string(answer.CA) != string(x.settings.CA) {
			t.Errorf("ca: %s", answer.CA)
		}
	}

	if string(first.Pair.Key) == string(second.Pair.Key) {
		t.Error("the key was used again")
	}
}

func TestAsk_GoesOnToTheNextEndpoint(t *testing.T) {
	x := startTrust(t)
	request := x.request()
	request.Endpoints = []string{"127.0.0.99", "127.0.0.1"}

	if _, err := Ask(t.Context(), request); err != nil {
		t.Error(err)
	}
}

// The token must not reach whoever answers at an endpoint's address.
func TestAsk_ShowsTheTokenToTheClusterOnly(t *testing.T) {
	x, other := startTrust(t), startTrust(t)
	request := x.request()
	request.CA = other.settings.CA

	_, err := Ask(t.Context(), request)
	if err == nil || !strings.Contains(err.Error(), "127.0.0.1") || strings.Contains(err.Error(), token) {
		t.Errorf("got %v, want an error that names the endpoint and not the token", err)
	}
}

func TestAsk_ExpiredCertificateDoesNotStandInTheWay(t *testing.T) {
	x := startTrust(t)
	request := x.request()

	pair, err := x.authority.Issue(pki.Ed25519, pki.Template{
		Names: request.Names, Usages: pki.PeerAuth, NotBefore: time.Now().Add(-time.Hour), Lifetime: time.Minute,
	})
	if err != nil {
		t.Fatal(err)
	}

	request.Present = pair

	if _, err := Ask(t.Context(), request); err != nil {
		t.Error(err)
	}
}

// Names that every node has belong to nobody.
func TestCertificate_LoopbackIsNobodys(t *testing.T) {
	x := startTrust(t)
	x.settings.Taken = [][]string{{"10.5.0.2", "localhost", "127.0.0.1", "::1"}}

	if err := x.server.Use(&x.settings); err != nil {
		t.Fatal(err)
	}

	csr := request(t, pki.Template{Names: []string{"127.0.0.8", "localhost", "127.0.0.1", "::1"}})
	if _, err := x.ask("127.0.0.8", nil, csr, token); err != nil {
		t.Error(err)
	}

	csr = request(t, pki.Template{Names: []string{"localhost", "10.5.0.2"}})
	if _, err := x.ask("127.0.0.8", nil, csr, token); status.Code(err) != codes.PermissionDenied {
		t.Errorf("another member's address: got %v, want PermissionDenied", err)
	}
}

// A name in two lists is for whoever stands in one of them with it, whatever
// their order: the endpoint may be a member's own address.
func TestCertificate_NameInTwoListsIsForItsOwner(t *testing.T) {
	for _, taken := range [][][]string{
		{{"10.5.0.1", "kube.example.org"}, {"127.0.0.9", "10.5.0.1"}},
		{{"127.0.0.9", "10.5.0.1"}, {"10.5.0.1", "kube.example.org"}},
	} {
		x := startTrust(t)
		x.settings.Taken = taken
		if err := x.server.Use(&x.settings); err != nil {
			t.Fatal(err)
		}
		csr := request(t, pki.Template{Names: []string{"10.5.0.1"}})
		if _, err := x.ask("127.0.0.9", nil, csr, token); err != nil {
			t.Errorf("its owner: %v", err)
		}
		if _, err := x.ask("127.0.0.10", nil, csr, token); status.Code(err) != codes.PermissionDenied {
			t.Errorf("another one: got %v, want PermissionDenied", err)
		}
	}
}
