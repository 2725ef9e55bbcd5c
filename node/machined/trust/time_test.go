package trust

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/protobuf/types/known/emptypb"
	"google.golang.org/protobuf/types/known/timestamppb"

	timepb "github.com/ichor-os/ichor/api/time"
	"github.com/ichor-os/ichor/node/apid/settings"
	"github.com/ichor-os/ichor/node/identity"
	"github.com/ichor-os/ichor/pki"
)

type clock struct {
	timepb.UnimplementedTimeServiceServer
}

func (clock) Time(context.Context, *emptypb.Empty) (*timepb.TimeResponse, error) {
	return &timepb.TimeResponse{Messages: []*timepb.Time{{Server: "s", Remotetime: timestamppb.Now()}}}, nil
}

func TestPeerTime_AsksWithTheIdentityOfAControlPlaneNode(t *testing.T) {
	authority, err := pki.NewMachineAuthority(time.Now())
	if err != nil {
		t.Fatal(err)
	}
	ca, err := authority.Pair()
	if err != nil {
		t.Fatal(err)
	}
	server, client, err := identity.ControlPlane(ca, identity.Names{Hostname: "n", Addresses: []netip.Addr{netip.MustParseAddr("127.0.0.1")}}, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	pair, err := tls.X509KeyPair(server.Crt, server.Key)
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(ca.Crt)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	node := grpc.NewServer(grpc.Creds(credentials.NewTLS(&tls.Config{
		Certificates: []tls.Certificate{pair}, ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: roots,
	})))
	timepb.RegisterTimeServiceServer(node, clock{})
	go func() { _ = node.Serve(listener) }()
	t.Cleanup(node.Stop)

	path := filepath.Join(t.TempDir(), "apid.json")
	ask := func() error {
		service, done, err := peerTime(path, listener.Addr().String(), "127.0.0.1")
		if err != nil {
			return err
		}
		_, err = service.Time(t.Context(), &emptypb.Empty{})
		if err := done(); err != nil {
			t.Error(err)
		}
		return err
	}
	for _, test := range []struct {
		mode settings.Mode
		ok   bool
	}{{settings.ControlPlane, true}, {settings.Worker, false}} {
		err := settings.Save(path, &settings.API{Mode: test.mode, CA: ca.Crt, Server: server, Client: client}, os.Getuid())
		if err != nil {
			t.Fatal(err)
		}
		if err := ask(); (err == nil) != test.ok {
			t.Errorf("%s: %v", test.mode, err)
		}
	}
}
