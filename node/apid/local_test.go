package apid

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"

	"github.com/ichor-os/ichor/node/access"
	"github.com/ichor-os/ichor/node/apid/settings"
)

// byLocalSocket starts two nodes, the first with a local socket that believes
// whom the test says, and connects to that.
func byLocalSocket(t *testing.T, believe func(access.Peer) bool) (conn *grpc.ClientConn, first, second *testNode) {
	t.Helper()
	f := newFixture(t)
	first = f.start("127.0.0.1", settings.ControlPlane, func(_ *testNode, o *Options) { o.Local = believe })
	second = f.start("127.0.0.2", settings.Worker)

	path := filepath.Join(t.TempDir(), "apid.sock")

	listener, err := listenLocal(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}

	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)

	go func() { ended <- first.server.ServeLocal(ctx, listener) }()

	t.Cleanup(func() {
		cancel()

		if err := <-ended; err != nil {
			t.Error(err)
		}
	})

	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("socket is %v, %v; want it for its owner alone", info, err)
	}

	conn, err = grpc.NewClient("passthrough:///local", grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "unix", path)
		}))
	if err != nil {
		t.Fatal(err)
	}

	t.Cleanup(func() { _ = conn.Close() })

	return conn, first, second
}

// A container that got hold of the socket has no roles, whatever it claims, and
// reaches neither machined nor another node.
func TestLocal_AContainerIsRefused(t *testing.T) {
	for name, believe := range map[string]func(access.Peer) bool{
		"another process": func(p access.Peer) bool { return p.PID != int32(os.Getpid()) },
		"nobody":          nil,
	} {
		t.Run(name, func(t *testing.T) {
			conn, first, second := byLocalSocket(t, believe)

			for _, claim := range [][]string{
				nil,
				{access.MetadataKey, "os:admin"},
				{access.MetadataKey, "os:admin", "proxyfrom", "127.0.0.1"},
				{access.MetadataKey, "os:admin", "node", "127.0.0.2"},
				{access.MetadataKey, "os:impersonator"},
			} {
				if err := rawCall(t, conn, version, claim...); status.Code(err) != codes.PermissionDenied {
					t.Errorf("claiming %q: got %v, want PermissionDenied", claim, err)
				}
			}

			if calls := slices.Concat(first.machined.taken(), second.machined.taken()); len(calls) != 0 {
				t.Errorf("calls reached machined: %v", calls)
			}
		})
	}
}

func TestLocal_MachinedSpeaksForItsCaller(t *testing.T) {
	conn, first, second := byLocalSocket(t, func(p access.Peer) bool { return p.PID == int32(os.Getpid()) })

	err := rawCall(t, conn, version, access.MetadataKey, "os:reader")
	checkReached(t, first, version, "os:reader", err, true, []string{"os:reader"})

	err = rawCall(t, conn, version, access.MetadataKey, "os:reader", "node", "127.0.0.2")
	checkReached(t, second, version, "os:reader", err, true, []string{"os:reader"})

	// Its caller's roles are all that counts.
	const reset = "/machine.MachineService/Reset"

	err = rawCall(t, conn, reset, access.MetadataKey, "os:reader", "node", "127.0.0.2")
	checkReached(t, second, reset, "os:reader", err, false, nil)

	err = rawCall(t, conn, version)
	checkReached(t, first, version, "", err, false, nil)
}
