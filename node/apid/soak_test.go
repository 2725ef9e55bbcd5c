package apid

import (
	"context"
	"math/rand/v2"
	"os"
	"runtime"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/emptypb"

	machinepb "github.com/ichor-os/ichor/api/machine"
	"github.com/ichor-os/ichor/client"
	"github.com/ichor-os/ichor/pki"
)

// Calls of all kinds, that end well, end badly or are given up, while
// identities change: nothing stays behind. Runs for as long as ICHOR_LONG says.
func TestSoak_NothingStaysBehind(t *testing.T) {
	text := os.Getenv("ICHOR_LONG")
	if text == "" {
		t.Skip("set ICHOR_LONG to a duration, such as 2m")
	}

	length, err := time.ParseDuration(text)
	if err != nil {
		t.Fatal(err)
	}

	first, second, nodes := threeNodes(t)
	for _, n := range []*testNode{first, second} {
		n.machined.set(moody)
	}

	user := first.user("os:admin")

	// What is kept on purpose, such as connections, is there after a while.
	load(t.Context(), length/4, first, second, user, nodes)

	before, memory := settled()

	load(t.Context(), length, first, second, user, nodes)

	after, now := settled()
	t.Logf("goroutines %d, then %d; heap %d KiB, then %d KiB", before, after, memory>>10, now>>10)

	if after > before+20 {
		t.Errorf("goroutines grew from %d to %d", before, after)
	}

	if now > memory+8<<20 {
		t.Errorf("heap grew from %d KiB to %d KiB", memory>>10, now>>10)
	}
}

// load disturbs nodes from several callers at a time, and gives the first node
// a new identity now and then.
func load(ctx context.Context, length time.Duration, first, second *testNode, user *client.Client, nodes []string) {
	ctx, cancel := context.WithTimeout(ctx, length)
	defer cancel()

	var group sync.WaitGroup

	for range 8 {
		group.Go(func() {
			for ctx.Err() == nil {
				disturb(ctx, user, nodes)
			}
		})
	}

	ticker := time.NewTicker(200 * time.Millisecond)
	defer ticker.Stop()

	for ctx.Err() == nil {
		first.settings.Client = first.issue(pki.Template{Organizations: []string{"os:impersonator"}})
		first.use()
		first.machined.taken()
		second.machined.taken()

		select {
		case <-ctx.Done():
		case <-ticker.C:
		}
	}

	group.Wait()
}

// moody answers well, badly, with much, or not at all.
func moody(method string, stream grpc.ServerStream) error {
	switch rand.IntN(5) {
	case 0:
		return status.Error(codes.Internal, "no")
	case 1:
		<-stream.Context().Done()
		return stream.Context().Err()
	case 2:
		_ = drain(stream)
		return stream.SendMsg(newFrame(make([]byte, 0)))
	case 3:
		return nil
	default:
		return emptyAnswer(method, stream)
	}
}

// disturb makes a call of each kind and gives up soon.
func disturb(ctx context.Context, user *client.Client, nodes []string) {
	ctx, cancel := context.WithTimeout(ctx, time.Duration(1+rand.IntN(50))*time.Millisecond)
	defer cancel()

	for _, target := range []context.Context{ctx, client.WithNode(ctx, nodes[0]), client.WithNode(ctx, nodes[1]), client.WithNodes(ctx, nodes...)} {
		_, _ = user.Machine.Hostname(target, &emptypb.Empty{})

		if stream, err := user.Machine.Logs(target, &machinepb.LogsRequest{Follow: true}); err == nil {
			_, _ = stream.Recv()
		}

		if stream, err := user.Machine.EtcdRecover(target); err == nil {
			_, _ = stream.CloseAndRecv()
		}
	}
}

// settled returns goroutines and heap once they have stopped falling.
func settled() (goroutines int, heap uint64) {
	goroutines = runtime.NumGoroutine()

	for range 50 {
		time.Sleep(100 * time.Millisecond)
		runtime.GC()

		if n := runtime.NumGoroutine(); n < goroutines {
			goroutines = n
		}
	}

	var stats runtime.MemStats

	runtime.ReadMemStats(&stats)

	return goroutines, stats.HeapAlloc
}
