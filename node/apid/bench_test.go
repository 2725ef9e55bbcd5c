package apid

import (
	"context"
	"crypto/tls"
	"net"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/types/known/emptypb"

	ichorpb "github.com/ichor-os/ichor/api/ichor"
	machinepb "github.com/ichor-os/ichor/api/machine"
	"github.com/ichor-os/ichor/node/apid/settings"
	"github.com/ichor-os/ichor/pki"
)

// bareProxy is the least that a proxy of two hops can be: a server over mutual
// TLS whose only method calls a client on the unix socket.
type bareProxy struct {
	machinepb.UnimplementedMachineServiceServer
	next machinepb.MachineServiceClient
}

func (p bareProxy) Version(ctx context.Context, in *emptypb.Empty) (*machinepb.VersionResponse, error) {
	return p.next.Version(ctx, in)
}

// typedMachined answers Version the usual way.
type typedMachined struct {
	machinepb.UnimplementedMachineServiceServer
}

func (typedMachined) Version(context.Context, *emptypb.Empty) (*machinepb.VersionResponse, error) {
	return &machinepb.VersionResponse{Messages: []*machinepb.Version{{
		Version:  &machinepb.VersionInfo{Tag: "v1.13.9", Sha: "0123456789ab", GoVersion: "go1.26", Os: "linux", Arch: "amd64"},
		Platform: &machinepb.PlatformInfo{Name: "container", Mode: "container"},
	}}}, nil
}

// sink takes audit records and forgets them.
type sink struct {
	ichorpb.UnimplementedAuditIntakeServer
}

func (sink) Record(context.Context, *ichorpb.AuditIntakeRequest) (*ichorpb.AuditIntakeResponse, error) {
	return &ichorpb.AuditIntakeResponse{}, nil
}

func startTyped(b *testing.B) string {
	b.Helper()

	path := b.TempDir() + "/machine.sock"

	listener, err := net.Listen("unix", path)
	if err != nil {
		b.Fatal(err)
	}

	server := grpc.NewServer()
	machinepb.RegisterMachineServiceServer(server, typedMachined{})
	ichorpb.RegisterAuditIntakeServer(server, sink{})

	go func() { _ = server.Serve(listener) }()

	b.Cleanup(server.Stop)

	return path
}

func startBare(b *testing.B, f *fixture, address, backend string) {
	b.Helper()

	next, err := grpc.NewClient("unix://"+backend, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		b.Fatal(err)
	}

	certificate, err := f.issue(pki.Template{Names: []string{address}}).TLS()
	if err != nil {
		b.Fatal(err)
	}

	server := grpc.NewServer(grpc.Creds(credentials.NewTLS(&tls.Config{
		MinVersion: tls.VersionTLS13, Certificates: []tls.Certificate{certificate},
		ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: f.authority.Pool(),
	})))
	machinepb.RegisterMachineServiceServer(server, bareProxy{next: machinepb.NewMachineServiceClient(next)})

	listener := f.listen(address)

	go func() { _ = server.Serve(listener) }()

	b.Cleanup(func() {
		server.Stop()
		_ = next.Close()
	})
}

// BenchmarkUnary measures a unary call through apid beside one through
// bareProxy: one caller after the other for the median, sixteen at a time for
// the throughput. The two take turns, so that other load hits both. Where
// ICHOR_BOUNDS is set, less than 0.8 of the throughput fails, and so does a
// median that is more than 200 µs higher.
func BenchmarkUnary(b *testing.B) {
	f := newFixture(b)
	backend := startTyped(b)

	startBare(b, f, "127.0.0.2", backend)

	node := f.start("127.0.0.1", settings.ControlPlane, func(_ *testNode, o *Options) { o.Backend = backend })
	other := &testNode{fixture: f, address: "127.0.0.2"}

	clients := []machinepb.MachineServiceClient{
		machinepb.NewMachineServiceClient(other.client("os:reader")),
		machinepb.NewMachineServiceClient(node.client("os:reader")),
	}

	for _, callers := range []int{1, 16} {
		name := map[int]string{1: "median", 16: "throughput"}[callers]

		b.Run(name, func(b *testing.B) {
			var (
				medians [2][]time.Duration
				spent   [2]time.Duration
				cpu     [2]time.Duration
				ratios  []float64
			)

			const round = 2000

			for b.Loop() {
				var totals [2]time.Duration

				for i, client := range clients {
					before := cpuTime(b)
					took, total := burst(b, client, callers, round)
					slices.Sort(took)

					cpu[i] += cpuTime(b) - before

					medians[i] = append(medians[i], took[len(took)/2])
					spent[i] += total
					totals[i] = total
				}

				ratios = append(ratios, totals[0].Seconds()/totals[1].Seconds())
			}

			for i := range medians {
				slices.Sort(medians[i])
			}

			bare, through := medians[0][len(medians[0])/2], medians[1][len(medians[1])/2]
			calls := float64(round * len(medians[0]))

			b.ReportMetric(0, "ns/op")
			b.ReportMetric(float64(bare.Microseconds()), "bare-p50-µs")
			b.ReportMetric(float64(through.Microseconds()), "apid-p50-µs")
			b.ReportMetric(calls/spent[0].Seconds(), "bare-calls/s")
			b.ReportMetric(calls/spent[1].Seconds(), "apid-calls/s")
			slices.Sort(ratios)

			ratio := ratios[len(ratios)/2]
			b.ReportMetric(ratio, "ratio")
			// Less at the mercy of what else runs: callers and backend included.
			b.ReportMetric(cpu[0].Seconds()/cpu[1].Seconds(), "cpu-ratio")

			if os.Getenv("ICHOR_BOUNDS") == "" {
				return
			}

			if callers > 1 && ratio < 0.8 {
				b.Errorf("%.2f of the throughput of a bare proxy, want 0.8", ratio)
			}

			if callers == 1 && through-bare > 200*time.Microsecond {
				b.Errorf("median %s, that of a bare proxy is %s: more than 200 µs", through, bare)
			}
		})
	}
}

// cpuTime returns the processor time that the benchmark has used so far.
func cpuTime(b *testing.B) time.Duration {
	b.Helper()

	var usage unix.Rusage

	if err := unix.Getrusage(unix.RUSAGE_SELF, &usage); err != nil {
		b.Fatal(err)
	}

	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// BenchmarkThousandItems measures a stream of 1,000 items of 1 KiB, like a list
// of resources, through apid, and through two of them.
func BenchmarkThousandItems(b *testing.B) {
	f := newFixture(b)
	first, second := f.start("127.0.0.1", settings.ControlPlane), f.start("127.0.0.2", settings.Worker)
	conn := first.client("os:reader")

	for _, n := range []*testNode{first, second} {
		n.machined.set(func(_ string, stream grpc.ServerStream) error {
			if err := drain(stream); err != nil {
				return err
			}

			for range 1000 {
				if err := stream.SendMsg(newFrame(make([]byte, 1<<10))); err != nil {
					return err
				}
			}

			return nil
		})
	}

	for name, md := range map[string][]string{"here": nil, "forwarded": {"node", "127.0.0.2"}} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if err := rawCall(b, conn, "/cosi.resource.State/List", md...); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// burst makes n calls from several callers and returns the time of each, and
// of all.
func burst(b *testing.B, client machinepb.MachineServiceClient, callers, n int) ([]time.Duration, time.Duration) {
	b.Helper()

	took := make([]time.Duration, n)
	began := time.Now()

	var group sync.WaitGroup

	for caller := range callers {
		group.Go(func() {
			for i := caller; i < n; i += callers {
				start := time.Now()

				if _, err := client.Version(context.Background(), &emptypb.Empty{}); err != nil {
					b.Error(err)
					return
				}

				took[i] = time.Since(start)
			}
		})
	}

	group.Wait()

	return took, time.Since(began)
}
