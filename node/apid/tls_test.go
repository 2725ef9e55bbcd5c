package apid

import (
	"crypto/tls"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	commonpb "github.com/ichor-os/ichor/api/common"
	machinepb "github.com/ichor-os/ichor/api/machine"
	"github.com/ichor-os/ichor/node/access"
	"github.com/ichor-os/ichor/node/apid/settings"
	"github.com/ichor-os/ichor/pki"
)

const version = "/machine.MachineService/Version"

func TestTLS_BadCertificatesAreRefused(t *testing.T) {
	f := newFixture(t)
	node := f.start("127.0.0.1", settings.ControlPlane)

	foreign, err := pki.NewMachineAuthority(time.Now())
	if err != nil {
		t.Fatal(err)
	}

	admin := []string{"os:admin"}
	pairs := map[string]*pki.Pair{"none": nil}

	for name, pair := range map[string]pki.Pair{
		"expired": f.issue(pki.Template{Organizations: admin, Usages: pki.ClientAuth,
			NotBefore: time.Now().Add(-2 * time.Hour), Lifetime: time.Hour}),
		"not yet valid": f.issue(pki.Template{Organizations: admin, Usages: pki.ClientAuth, NotBefore: time.Now().Add(time.Hour)}),
		"foreign":       issueBy(t, foreign, pki.Template{Organizations: admin, Usages: pki.ClientAuth}),
		"server only":   f.issue(pki.Template{Organizations: admin, Usages: pki.ServerAuth}),
	} {
		pairs[name] = &pair
	}

	for name, pair := range pairs {
		t.Run(name, func(t *testing.T) {
			err := rawCall(t, node.clientWith(pair), version)
			if status.Code(err) != codes.Unavailable {
				t.Errorf("got %v, want the handshake to fail", err)
			}

			if calls := node.machined.taken(); len(calls) != 0 {
				t.Errorf("calls reached machined: %v", calls)
			}
		})
	}
}

func TestTLS_OldVersionsAreRefused(t *testing.T) {
	node := newFixture(t).start("127.0.0.1", settings.Maintenance)

	conn, err := tls.Dial("tcp", net.JoinHostPort(node.address, strconv.Itoa(node.port)),
		&tls.Config{InsecureSkipVerify: true, MaxVersion: tls.VersionTLS12})
	if err == nil {
		_ = conn.Close()
		t.Error("TLS 1.2 was accepted")
	}
}

// A certificate that runs out while its connection lasts is refused from then on.
func TestTLS_CertificateExpiresDuringConnection(t *testing.T) {
	var ahead atomic.Int64

	node := newFixture(t).start("127.0.0.1", settings.ControlPlane, func(_ *testNode, o *Options) {
		o.Now = func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }
	})
	conn := node.client("os:reader")

	if err := rawCall(t, conn, version); err != nil {
		t.Fatal(err)
	}

	ahead.Store(int64(2 * time.Hour))

	if err := rawCall(t, conn, version); status.Code(err) != codes.Unauthenticated {
		t.Errorf("got %v, want Unauthenticated", err)
	}
}

// An authority that is no longer accepted takes its callers with it, connected
// or not; one that is accepted beside it does not.
func TestTLS_AuthorityIsReplacedWithoutRestart(t *testing.T) {
	node := newFixture(t).start("127.0.0.1", settings.ControlPlane)

	second, err := pki.NewMachineAuthority(time.Now().Add(-time.Hour))
	if err != nil {
		t.Fatal(err)
	}

	pair := issueBy(t, second, pki.Template{Organizations: []string{"os:reader"}, Usages: pki.ClientAuth})
	oldConn, newConn := node.client("os:reader"), node.clientWith(&pair)

	if err := rawCall(t, oldConn, version); err != nil {
		t.Fatal(err)
	}

	first := node.settings.CA
	node.settings.CA = append(append([]byte{}, first...), pki.EncodeCertificate(second.Certificate)...)
	node.use()

	for name, conn := range map[string]*grpc.ClientConn{"old": oldConn, "new": newConn} {
		if err := rawCall(t, conn, version); err != nil {
			t.Errorf("%s authority beside the other: %v", name, err)
		}
	}

	node.settings.CA = pki.EncodeCertificate(second.Certificate)
	node.use()

	if err := rawCall(t, oldConn, version); status.Code(err) != codes.Unauthenticated {
		t.Errorf("removed authority on an open connection: got %v, want Unauthenticated", err)
	}

	if err := rawCall(t, newConn, version); err != nil {
		t.Errorf("remaining authority: %v", err)
	}
}

func TestTLS_ServerCertificateIsReplacedWithoutRestart(t *testing.T) {
	node := newFixture(t).start("127.0.0.1", settings.ControlPlane)
	conn := node.client("os:reader")

	if err := rawCall(t, conn, version); err != nil {
		t.Fatal(err)
	}

	renewed := node.issue(pki.Template{Names: []string{"127.0.0.1"}})
	node.settings.Server = renewed
	node.use()

	if err := rawCall(t, conn, version); err != nil {
		t.Errorf("call on a connection from before: %v", err)
	}

	client := node.issue(pki.Template{Usages: pki.ClientAuth})

	certificate, err := client.TLS()
	if err != nil {
		t.Fatal(err)
	}

	probe, err := tls.Dial("tcp", net.JoinHostPort(node.address, strconv.Itoa(node.port)),
		&tls.Config{InsecureSkipVerify: true, Certificates: []tls.Certificate{certificate}, NextProtos: []string{"h2"}})
	if err != nil {
		t.Fatal(err)
	}
	defer probe.Close()

	want, err := pki.ParseCertificate(renewed.Crt)
	if err != nil {
		t.Fatal(err)
	}

	if got := probe.ConnectionState().PeerCertificates[0]; !got.Equal(want) {
		t.Error("a new connection still sees the old certificate")
	}
}

// Who connected while anybody could must not keep on when the node has a
// configuration.
func TestTLS_MaintenanceCallersLoseTheirRightsWithTheConfiguration(t *testing.T) {
	node := newFixture(t).start("127.0.0.1", settings.Maintenance)
	conn := node.clientWith(nil)

	if err := rawCall(t, conn, version); err != nil {
		t.Fatal(err)
	}

	node.settings.Mode = settings.Worker
	node.settings.CA = pki.EncodeCertificate(node.authority.Certificate)
	node.use()
	node.machined.taken()

	err := rawCall(t, conn, version)
	if status.Code(err) != codes.Unauthenticated || !strings.Contains(err.Error(), "client certificate") {
		t.Errorf("got %v, want Unauthenticated", err)
	}

	if calls := node.machined.taken(); len(calls) != 0 {
		t.Errorf("calls reached machined: %v", calls)
	}
}

func TestTLS_BadSettingsLeaveTheOldOnesInForce(t *testing.T) {
	node := newFixture(t).start("127.0.0.1", settings.ControlPlane)

	bad := node.settings
	bad.CA = []byte("no certificate")

	if err := node.server.Use(&bad); err == nil {
		t.Error("settings without a CA were taken")
	}

	bad = node.settings
	bad.Server.Key = node.settings.Client.Key

	if err := node.server.Use(&bad); err == nil {
		t.Error("a key of another certificate was taken")
	}

	if err := rawCall(t, node.client("os:reader"), version); err != nil {
		t.Error(err)
	}
}

func TestAllowed_OtherSourcesAreTurnedAway(t *testing.T) {
	node := newFixture(t).start("127.0.0.1", settings.ControlPlane)
	conn := node.client("os:reader")

	if err := rawCall(t, conn, version); err != nil {
		t.Fatal(err)
	}

	node.settings.Allowed = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	node.use()

	if err := rawCall(t, conn, version); err != nil {
		t.Errorf("allowed source: %v", err)
	}

	node.settings.Allowed = []netip.Prefix{netip.MustParsePrefix("10.5.0.0/24"), netip.MustParsePrefix("2001:db8::/32")}
	node.use()

	if err := rawCall(t, conn, version); status.Code(err) != codes.PermissionDenied {
		t.Errorf("open connection of a source no longer allowed: got %v, want PermissionDenied", err)
	}

	if err := rawCall(t, node.client("os:reader"), version); status.Code(err) != codes.Unavailable {
		t.Errorf("new connection of a source not allowed: got %v, want Unavailable", err)
	}
}

func TestTLS_NoRoleAtAllIsAnswered(t *testing.T) {
	node := newFixture(t).start("127.0.0.1", settings.Worker)

	err := rawCall(t, node.client(), version)
	if status.Code(err) != codes.PermissionDenied || !strings.Contains(err.Error(), access.Reader.String()) {
		t.Errorf("got %v, want PermissionDenied that names the roles that would do", err)
	}
}

// A stream that was opened under other settings ends when they would not allow
// it any more, and goes on when they do.
func TestTLS_StreamsEndWithTheRightToThem(t *testing.T) {
	node := newFixture(t).start("127.0.0.1", settings.Maintenance)
	node.machined.set(func(_ string, stream grpc.ServerStream) error {
		if err := stream.SendMsg(newFrame(nil)); err != nil {
			return err
		}

		<-stream.Context().Done()

		return stream.Context().Err()
	})

	follow := func(conn *grpc.ClientConn) grpc.ServerStreamingClient[commonpb.Data] {
		t.Helper()

		stream, err := machinepb.NewMachineServiceClient(conn).Dmesg(t.Context(), &machinepb.DmesgRequest{Follow: true})
		if err != nil {
			t.Fatal(err)
		}

		if _, err := stream.Recv(); err != nil {
			t.Fatal(err)
		}

		return stream
	}

	anonymous := follow(node.clientWith(nil))

	node.settings.Mode = settings.Worker
	node.settings.CA = pki.EncodeCertificate(node.authority.Certificate)
	node.use()

	if _, err := anonymous.Recv(); status.Code(err) != codes.Unauthenticated {
		t.Errorf("stream from before the configuration: got %v, want Unauthenticated", err)
	}

	second, err := pki.NewMachineAuthority(time.Now().Add(-time.Hour))
	if err != nil {
		t.Fatal(err)
	}

	node.settings.CA = append(node.settings.CA, pki.EncodeCertificate(second.Certificate)...)
	node.use()

	pair := issueBy(t, second, pki.Template{Organizations: []string{"os:reader"}, Usages: pki.ClientAuth})
	removed, kept := follow(node.client("os:reader")), follow(node.clientWith(&pair))

	node.settings.CA = pki.EncodeCertificate(second.Certificate)
	node.use()

	if _, err := removed.Recv(); status.Code(err) != codes.Unauthenticated {
		t.Errorf("stream under a removed authority: got %v, want Unauthenticated", err)
	}

	node.settings.Allowed = []netip.Prefix{netip.MustParsePrefix("10.5.0.0/24")}
	node.use()

	if _, err := kept.Recv(); status.Code(err) != codes.PermissionDenied {
		t.Errorf("stream of a source not allowed any more: got %v, want PermissionDenied", err)
	}
}
