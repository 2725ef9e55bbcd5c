package apid

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"google.golang.org/grpc"

	resourcepb "github.com/ichor-os/ichor/api/cosi/resource"
	"github.com/ichor-os/ichor/node/apid/settings"
	"github.com/ichor-os/ichor/resource"
	resourcestate "github.com/ichor-os/ichor/resource/state"
)

type addressSpec struct {
	Address string            `yaml:"address" protobuf:"1"`
	Link    string            `yaml:"linkName" protobuf:"2"`
	Scope   string            `yaml:"scope" protobuf:"3"`
	Flags   []string          `yaml:"flags" protobuf:"4"`
	Index   uint32            `yaml:"linkIndex" protobuf:"5"`
	Notes   map[string]string `yaml:"notes" protobuf:"6"`
}

// BenchmarkGetThousandResources measures a list of 1,000 resources of a usual
// size, from the store through the State service, the socket, apid and TLS. The
// bound is 30 ms; it fails the benchmark where ICHOR_BOUNDS is set.
func BenchmarkGetThousandResources(b *testing.B) {
	const count = 1000

	kind := resource.Define[addressSpec]("Addresses.test.ichor.dev", resource.Namespace("network"))
	engine := resource.New(resource.Options{})

	if err := engine.Register(kind); err != nil {
		b.Fatal(err)
	}

	err := engine.Commit(b.Context(), "bench", func(s *resource.Session) error {
		for i := range count {
			kind.Put(s, fmt.Sprintf("eth0/10.0.%d.%d/24", i/250, i%250), addressSpec{
				Address: fmt.Sprintf("10.0.%d.%d/24", i/250, i%250), Link: "eth0", Scope: "global",
				Flags: []string{"permanent", "noprefixroute"}, Index: 2, Notes: map[string]string{"layer": "operator"},
			})
		}

		return nil
	})
	if err != nil {
		b.Fatal(err)
	}

	socket := filepath.Join(b.TempDir(), "machine.sock")

	listener, err := net.Listen("unix", socket)
	if err != nil {
		b.Fatal(err)
	}

	server := grpc.NewServer()
	resourcepb.RegisterStateServer(server, resourcestate.New(engine, nil))

	go func() { _ = server.Serve(listener) }()

	b.Cleanup(server.Stop)

	f := newFixture(b)
	node := f.start("127.0.0.1", settings.ControlPlane, func(_ *testNode, o *Options) { o.Backend = socket })
	client := resourcepb.NewStateClient(node.client("os:reader"))

	for b.Loop() {
		stream, err := client.List(b.Context(), &resourcepb.ListRequest{Namespace: "network", Type: "Addresses.test.ichor.dev"})
		if err != nil {
			b.Fatal(err)
		}

		got := 0

		for {
			if _, err = stream.Recv(); err != nil {
				break
			}

			got++
		}

		if !errors.Is(err, io.EOF) || got != count {
			b.Fatalf("got %d resources, then %v", got, err)
		}
	}

	if took := b.Elapsed() / time.Duration(b.N); os.Getenv("ICHOR_BOUNDS") != "" && took > 30*time.Millisecond {
		b.Errorf("a list took %s, want 30 ms", took)
	}
}
