//lint:file-ignore SA1019 the metadata of merged answers is what nodes send

package cli_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	commonpb "github.com/ichor-os/ichor/api/common"
	resourcepb "github.com/ichor-os/ichor/api/cosi/resource"
	machinepb "github.com/ichor-os/ichor/api/machine"
	storagepb "github.com/ichor-os/ichor/api/storage"
	"github.com/ichor-os/ichor/cli"
	"github.com/ichor-os/ichor/pki"
	"github.com/ichor-os/ichor/pki/talosconfig"
)

// fakeNode is a node API over TLS on loopback that answers for all nodes that it
// is asked for; "10.0.0.9" is the one that is always out of reach.
type fakeNode struct {
	machinepb.UnimplementedMachineServiceServer
	address     string // where it listens
	talosconfig string // file with a context that leads to it, for two nodes
	mu          sync.Mutex
	applied     []*machinepb.ApplyConfigurationRequest
	changed     metadata.MD // of the last of them
	waits       int         // how often the node still says that the config waits
	reverts     bool
	roles       *machinepb.GenerateClientConfigurationRequest
	logs        *machinepb.LogsRequest
}

const (
	goodNode = "10.0.0.2"
	deadNode = "10.0.0.9"
)

// startFake starts a node and writes a client config for it.
func startFake(t *testing.T, nodes ...string) *fakeNode {
	t.Helper()
	authority, err := pki.NewMachineAuthority(time.Now().Add(-time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	server, err := authority.Issue(pki.Ed25519, pki.Template{Names: []string{"127.0.0.1"}, Usages: pki.PeerAuth, Lifetime: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	admin, err := authority.IssueClient([]pki.Role{"os:admin"}, time.Hour, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	certificate, err := server.TLS()
	if err != nil {
		t.Fatal(err)
	}
	n := &fakeNode{}
	n.address = serve(t, n, &tls.Config{
		MinVersion: tls.VersionTLS13, Certificates: []tls.Certificate{certificate}, ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: authority.Pool(),
	})
	context := talosconfig.NewContext([]string{n.address}, pki.EncodeCertificate(authority.Certificate), admin)
	context.Nodes = nodes
	config := &talosconfig.Config{Context: "fake", Contexts: map[string]*talosconfig.Context{"fake": context}}
	text, err := config.Encode()
	if err != nil {
		t.Fatal(err)
	}
	n.talosconfig = filepath.Join(t.TempDir(), "talosconfig")
	if err := os.WriteFile(n.talosconfig, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return n
}

func serve(t *testing.T, n *fakeNode, config *tls.Config) (address string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := grpc.NewServer(grpc.Creds(credentials.NewTLS(config)))
	machinepb.RegisterMachineServiceServer(server, n)
	storagepb.RegisterStorageServiceServer(server, fakeDisks{})
	resourcepb.RegisterStateServer(server, fakeState{resources: fakeResources(), node: n})
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(server.Stop)
	return listener.Addr().String()
}

// run runs talosctl against the node.
func (n *fakeNode) run(t *testing.T, args ...string) (exit int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	exit = cli.Run(args, strings.NewReader(""), &out, &errs, []string{"HOME=" + t.TempDir(), "TALOSCONFIG=" + n.talosconfig})
	return exit, out.String(), errs.String()
}

// asked gives the metadata of the answer of each node that a call names.
func asked(ctx context.Context) []*commonpb.Metadata {
	md, _ := metadata.FromIncomingContext(ctx)
	var answers []*commonpb.Metadata
	for _, name := range append(md.Get("nodes"), md.Get("node")...) {
		answer := &commonpb.Metadata{Hostname: name}
		if name == deadNode {
			failure := status.New(codes.Unavailable, "no route to host")
			answer.Error, answer.Status = failure.Message(), failure.Proto()
		}
		answers = append(answers, answer)
	}
	if len(answers) == 0 {
		return []*commonpb.Metadata{nil}
	}
	return answers
}

// refuse fails a call to the one node that is out of reach.
func refuse(ctx context.Context) error {
	md, _ := metadata.FromIncomingContext(ctx)
	if node := md.Get("node"); len(node) > 0 && node[0] == deadNode {
		return status.Error(codes.Unavailable, "no route to host")
	}
	return nil
}
