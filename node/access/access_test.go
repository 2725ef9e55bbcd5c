package access_test

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/emptypb"

	machinepb "github.com/ichor-os/ichor/api/machine"
	"github.com/ichor-os/ichor/node/access"
	"github.com/ichor-os/ichor/pki"
)

func TestParse_KeepsKnownRolesOnly(t *testing.T) {
	got := access.Parse([]string{"os:reader", "system:masters", "OS:ADMIN", "os:etcd:backup", "os:reader"})

	if diff := cmp.Diff([]string{"os:reader", "os:etcd:backup"}, got.Names()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestParse_KnowsEveryRoleThatCanBeIssued(t *testing.T) {
	for _, role := range pki.Roles() {
		if got := access.Parse([]string{string(role)}).Names(); !cmp.Equal(got, []string{string(role)}) {
			t.Errorf("%s: got %q", role, got)
		}
	}
}

func TestCheck_UnknownMethodNeedsAdmin(t *testing.T) {
	const method = "/no.Such/Method"

	everyone := access.SetOf(access.Operator, access.Reader, access.EtcdBackup, access.ImageVerifier, access.MetaWriter, access.Impersonator)

	if err := access.Check(method, everyone, access.Configured); status.Code(err) != codes.PermissionDenied {
		t.Errorf("all roles but admin: got %v", err)
	}

	if err := access.Check(method, access.SetOf(access.Admin), access.Configured); err != nil {
		t.Errorf("admin: got %v", err)
	}

	if err := access.Check(method, access.SetOf(access.Reader), access.Maintenance); status.Code(err) != codes.PermissionDenied {
		t.Errorf("maintenance: got %v", err)
	}
}

func TestCheck_RefusalSaysWhatToDo(t *testing.T) {
	err := access.Check("/machine.MachineService/Reboot", access.SetOf(access.Reader), access.Configured)

	for _, part := range []string{"os:admin", "os:operator", "os:reader", "Reboot"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%q does not name %s", err, part)
		}
	}
}

type versionServer struct {
	machinepb.UnimplementedMachineServiceServer
}

func (versionServer) Version(context.Context, *emptypb.Empty) (*machinepb.VersionResponse, error) {
	return &machinepb.VersionResponse{}, nil
}

// Whoever is not apid, say a container that got hold of the socket, has no
// roles, whatever it writes into the metadata.
func TestGate_BelievesOnlyApid(t *testing.T) {
	for name, test := range map[string]struct {
		believed bool
		roles    []string
		want     codes.Code
	}{
		"apid with a role":    {true, []string{"os:reader"}, codes.OK},
		"apid without a role": {true, nil, codes.PermissionDenied},
		"another process":     {false, []string{"os:admin"}, codes.PermissionDenied},
	} {
		t.Run(name, func(t *testing.T) {
			var seen access.Peer

			conn := serveGate(t, access.Gate{
				Believe: func(p access.Peer) bool { seen = p; return test.believed },
				Mode:    func() access.Mode { return access.Configured },
			})

			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			defer cancel()

			ctx = metadata.NewOutgoingContext(ctx, metadata.MD{access.MetadataKey: test.roles})

			_, err := machinepb.NewMachineServiceClient(conn).Version(ctx, &emptypb.Empty{})
			if status.Code(err) != test.want {
				t.Errorf("unary: got %v, want %s", err, test.want)
			}

			if want := (access.Peer{PID: int32(os.Getpid()), UID: uint32(os.Getuid()), GID: uint32(os.Getgid())}); seen != want {
				t.Errorf("peer %v, want %v", seen, want)
			}

			stream, err := machinepb.NewMachineServiceClient(conn).Dmesg(ctx, &machinepb.DmesgRequest{})
			if err != nil {
				t.Fatal(err)
			}

			want := test.want
			if want == codes.OK {
				want = codes.Unimplemented
			}

			if _, err := stream.Recv(); status.Code(err) != want {
				t.Errorf("stream: got %v, want %s", err, want)
			}
		})
	}
}

// Only calls that pass are told, with where they came from.
func TestGate_TellsOfCallsThatPass(t *testing.T) {
	var told []string

	conn := serveGate(t, access.Gate{
		Believe: func(access.Peer) bool { return true },
		Mode:    func() access.Mode { return access.Configured },
		Passed: func(ctx context.Context, roles access.Set) {
			told = append(told, strings.Join(roles.Names(), ",")+" from "+access.Source(ctx).String())
		},
	})

	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()

	for _, md := range []metadata.MD{
		{access.MetadataKey: {"os:admin"}, access.SourceKey: {"::ffff:192.0.2.7"}},
		{access.MetadataKey: {"os:reader"}},
		{access.SourceKey: {"192.0.2.8"}},
	} {
		_, _ = machinepb.NewMachineServiceClient(conn).Version(metadata.NewOutgoingContext(ctx, md), &emptypb.Empty{})
	}

	if diff := cmp.Diff([]string{"os:admin from 192.0.2.7", "os:reader from invalid IP"}, told); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func serveGate(t *testing.T, gate access.Gate) *grpc.ClientConn {
	t.Helper()

	path := filepath.Join(t.TempDir(), "machine.sock")

	listener, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}

	server := grpc.NewServer(grpc.Creds(access.LocalCredentials()),
		grpc.UnaryInterceptor(gate.Unary), grpc.StreamInterceptor(gate.Stream))
	machinepb.RegisterMachineServiceServer(server, versionServer{})

	done := make(chan error, 1)

	go func() { done <- server.Serve(listener) }()

	t.Cleanup(func() {
		server.Stop()

		if err := <-done; err != nil {
			t.Error(err)
		}
	})

	conn, err := grpc.NewClient("unix://"+path, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}

	t.Cleanup(func() { _ = conn.Close() })

	return conn
}

func TestLocalCredentials_RefuseTheNetwork(t *testing.T) {
	near, far := net.Pipe()
	defer near.Close()
	defer far.Close()

	if _, _, err := access.LocalCredentials().ServerHandshake(near); err == nil {
		t.Error("a connection that is no unix socket was accepted")
	}
}
