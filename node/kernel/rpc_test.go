package kernel

import (
	"context"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	commonpb "github.com/ichor-os/ichor/api/common"
	machinepb "github.com/ichor-os/ichor/api/machine"
)

// received collects what a stream is sent.
type received struct {
	grpc.ServerStream
	ctx   context.Context
	lines []string
}

func (r *received) Context() context.Context { return r.ctx }
func (r *received) Send(d *commonpb.Data) error {
	r.lines = append(r.lines, string(d.GetBytes()))
	return nil
}

// records is a log of which each read gives a record or an error.
type records struct{ list []any }

func (r *records) Read(p []byte) (int, error) {
	if len(r.list) == 0 {
		return 0, unix.EAGAIN
	}
	next := r.list[0]
	r.list = r.list[1:]
	if err, ok := next.(error); ok {
		return 0, err
	}
	return copy(p, next.(string)), nil
}

func (r *records) Seek(int64, int) (int64, error) { r.list = nil; return 0, nil }
func (r *records) Close() error                   { return nil }

func TestDmesg_MakesLinesOfRecords(t *testing.T) {
	open := func(bool) (io.ReadSeekCloser, error) {
		return &records{list: []any{
			"6,1,1000000,-;Linux version 6\n SUBSYSTEM=x\n", unix.EPIPE, "28,2,1500000,-;daemon; says\n", "nonsense",
		}}, nil
	}
	r := RPC{Open: open, Booted: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
	stream := &received{ctx: t.Context()}
	if err := r.Dmesg(&machinepb.DmesgRequest{}, stream); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"kern:    info: [2026-01-02T03:04:06.000000Z]: Linux version 6\n",
		"daemon: warning: [2026-01-02T03:04:06.500000Z]: daemon; says\n",
	}
	if diff := cmp.Diff(want, stream.lines); diff != "" {
		t.Errorf("lines (-want +got):\n%s", diff)
	}
	stream = &received{ctx: t.Context()}
	if err := r.Dmesg(&machinepb.DmesgRequest{Tail: true}, stream); err != nil || len(stream.lines) != 0 {
		t.Errorf("tail gave %q, %v; want nothing that is there already", stream.lines, err)
	}
}

func TestDmesg_DoesNotShowAKernelThatIsNotTheNodes(t *testing.T) {
	stream := &received{ctx: t.Context()}
	err := RPC{Shared: true}.Dmesg(&machinepb.DmesgRequest{}, stream)
	if status.Code(err) != codes.FailedPrecondition || len(stream.lines) > 0 || !strings.Contains(err.Error(), "logs machined") {
		t.Errorf("error = %v, lines %q; want FailedPrecondition with what to do", err, stream.lines)
	}
}

func TestDmesg_ReadsTheRealLogAndEnds(t *testing.T) {
	if f, err := os.Open(LogDevice); err != nil {
		t.Skipf("needs %s: %v", LogDevice, err)
	} else {
		f.Close()
	}
	r := RPC{Booted: Booted()}
	if err := r.Dmesg(&machinepb.DmesgRequest{}, &received{ctx: t.Context()}); err != nil {
		t.Errorf("without follow: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(50*time.Millisecond, cancel)
	if err := r.Dmesg(&machinepb.DmesgRequest{Follow: true, Tail: true}, &received{ctx: ctx}); err == nil {
		t.Error("follow ended by itself")
	}
}
