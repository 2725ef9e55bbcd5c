package file

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"google.golang.org/grpc"

	machinepb "github.com/ichor-os/ichor/api/machine"
)

// usages collects what a stream is sent.
type usages struct {
	grpc.ServerStream
	ctx   context.Context
	items map[string]*machinepb.DiskUsageInfo
}

func (u *usages) Context() context.Context { return u.ctx }
func (u *usages) Send(i *machinepb.DiskUsageInfo) error {
	u.items[i.GetName()] = i
	return nil
}

func TestS17_DiskUsageGoesOnAfterAPathThatCannotBeRead(t *testing.T) {
	folder := t.TempDir()
	good, broken := filepath.Join(folder, "good"), filepath.Join(folder, "broken")
	if err := os.MkdirAll(good, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(good, "file"), make([]byte, 100<<10), 0o600); err != nil {
		t.Fatal(err)
	}
	u := &usages{ctx: t.Context(), items: map[string]*machinepb.DiskUsageInfo{}}
	if err := (RPC{}).DiskUsage(&machinepb.DiskUsageRequest{Paths: []string{broken, good}}, u); err != nil {
		t.Fatal(err)
	}
	if got := u.items[broken]; got == nil || got.GetError() == "" {
		t.Errorf("broken path = %v, want an item with its error", got)
	}
	if got := u.items[good]; got == nil || got.GetError() != "" || got.GetSize() < 100<<10 {
		t.Errorf("good path = %v, want its size", got)
	}
}
