package kinds

import (
	"context"
	"net"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	"google.golang.org/grpc/test/bufconn"

	resourcepb "github.com/ichor-os/ichor/api/cosi/resource"
	"github.com/ichor-os/ichor/resource"
	"github.com/ichor-os/ichor/resource/state"
)

// written are the kinds that clients may write, by their wire name: none, as no
// noun acts on what a client wrote.
var written = map[string]bool{}

// Whatever the roles of a caller: what the node tells of itself is written by the
// node.
func TestKinds_AreWrittenByTheNodeUnlessListed(t *testing.T) {
	engine := resource.New(resource.Options{})
	if err := engine.Register(All()...); err != nil {
		t.Fatal(err)
	}
	everything := func(context.Context, *resource.Definition, state.Verb) error { return nil }
	listener, server := bufconn.Listen(1<<20), grpc.NewServer()
	resourcepb.RegisterStateServer(server, state.New(engine, everything))
	go func() { _ = server.Serve(listener) }()
	defer server.Stop()
	conn, err := grpc.NewClient("passthrough:///state", grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return listener.DialContext(ctx) }))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	api := resourcepb.NewStateClient(conn)
	for _, kind := range All() {
		def := kind.Definition()
		if def.ClientWrites != written[def.Type] {
			t.Errorf("%s: clients may write it: %v, want %v", def.Type, def.ClientWrites, written[def.Type])
		}
		if def.ClientWrites {
			continue
		}
		one := &resourcepb.Resource{
			Metadata: &resourcepb.Metadata{Namespace: def.Namespace, Type: def.Type, Id: "x", Version: "1", Phase: "running"},
			Spec:     &resourcepb.Spec{YamlSpec: "{}"},
		}
		for verb, call := range map[string]func() error{
			"create": func() error {
				_, err := api.Create(t.Context(), &resourcepb.CreateRequest{Resource: one})
				return err
			},
			"update": func() error {
				_, err := api.Update(t.Context(), &resourcepb.UpdateRequest{NewResource: one})
				return err
			},
			"destroy": func() error {
				_, err := api.Destroy(t.Context(), &resourcepb.DestroyRequest{Namespace: def.Namespace, Type: def.Type, Id: "x"})
				return err
			},
			"teardown": func() error {
				_, err := api.Teardown(t.Context(), &resourcepb.TeardownRequest{Namespace: def.Namespace, Type: def.Type, Id: "x"})
				return err
			},
		} {
			if err := call(); status.Code(err) != codes.PermissionDenied {
				t.Errorf("%s %s: got %v, want PermissionDenied", verb, def.Type, err)
			}
		}
	}
}
