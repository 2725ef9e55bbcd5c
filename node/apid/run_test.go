package apid

import (
	"context"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/ichor-os/ichor/node/apid/settings"
	"github.com/ichor-os/ichor/pki"
)

// The process waits for its settings, serves in maintenance, and goes on as a
// configured node when the file is replaced.
func TestRun_FollowsItsSettings(t *testing.T) {
	f := newFixture(t)
	f.listen("127.0.0.1").Close() // Run opens it again

	m := startMachined(t)
	node := &testNode{fixture: f, address: "127.0.0.1", machined: m}
	path := filepath.Join(t.TempDir(), "apid.json")

	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)

	go func() {
		done <- Run(ctx, []string{
			"-settings", path, "-backend", m.path,
			"-listen", net.JoinHostPort(node.address, strconv.Itoa(f.port)), "-peer-port", strconv.Itoa(f.port),
		}, slog.New(slog.DiscardHandler))
	}()

	server := f.issue(pki.Template{Names: []string{node.address}})
	save := func(s settings.API) {
		t.Helper()

		if err := settings.Save(path, &s, os.Geteuid()); err != nil {
			t.Fatal(err)
		}
	}

	save(settings.API{Mode: settings.Maintenance, Server: server, Self: []string{node.address}})

	err := waitCall(node.clientWith(nil))
	checkReached(t, node, version, "maintenance", err, true, []string{"os:reader"})

	save(settings.API{
		Mode: settings.Worker, Server: server, Self: []string{node.address},
		CA: pki.EncodeCertificate(f.authority.Certificate),
	})

	// Until the new settings are seen, callers are readers; then the
	// certificate counts.
	conn := node.client("os:admin")
	for m.taken(); ; {
		err := waitCall(conn)
		if err != nil && status.Code(err) != codes.Unauthenticated {
			t.Fatal(err)
		}

		if calls := m.taken(); err == nil && calls[0].md.Get("talos-role")[0] == "os:admin" {
			break
		}

		// The connection was made in maintenance, without a certificate.
		conn = node.client("os:admin")
	}

	cancel()

	if err := <-done; err != nil {
		t.Error(err)
	}
}

// waitCall calls Version as soon as somebody serves it.
func waitCall(conn *grpc.ClientConn) error {
	var response frame

	err := conn.Invoke(context.Background(), version, newFrame(nil), &response, grpc.ForceCodecV2(rawCodec{}), grpc.WaitForReady(true))
	response.free()

	return err
}

func TestRun_RefusesUnknownFlags(t *testing.T) {
	if err := Run(t.Context(), []string{"-frob"}, slog.New(slog.DiscardHandler)); err == nil {
		t.Error("an unknown flag was taken")
	}
}
