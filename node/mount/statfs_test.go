package mount

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"golang.org/x/sys/unix"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	machinepb "github.com/ichor-os/ichor/api/machine"
)

func TestStatfs_AgreesWithTheKernel(t *testing.T) {
	path := t.TempDir()
	got, err := Storage{}.Statfs(t.Context(), &machinepb.StorageServiceStatfsRequest{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	var fs unix.Statfs_t
	if err := unix.Statfs(path, &fs); err != nil {
		t.Fatal(err)
	}
	if got.GetSize() != fs.Blocks*uint64(fs.Bsize) || got.GetInodes() != fs.Files || got.GetUsed()+got.GetAvailable() > got.GetSize() {
		t.Errorf("statfs = %v, kernel says %+v", got, fs)
	}
	for path, want := range map[string]codes.Code{"/nothing/here": codes.NotFound, "relative": codes.InvalidArgument, "": codes.InvalidArgument} {
		if _, err := (Storage{}).Statfs(t.Context(), &machinepb.StorageServiceStatfsRequest{Path: path}); status.Code(err) != want {
			t.Errorf("%q: %v, want %s", path, err, want)
		}
	}
}

func TestShadowBootID_DiffersAtEachStart(t *testing.T) {
	seen := map[string]bool{}
	for range 2 {
		folder, sys := t.TempDir(), &recorder{}
		if err := ShadowBootID(sys, folder); err != nil {
			t.Fatal(err)
		}
		id, err := os.ReadFile(filepath.Join(folder, "kernel.random.boot_id"))
		if err != nil || !regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}\n$`).Match(id) {
			t.Errorf("id = %q, %v; want a UUID", id, err)
		}
		if want := "bind /proc/sys/kernel/random/boot_id"; !slices.Contains(sys.calls, want) {
			t.Errorf("calls = %v, want %s", sys.calls, want)
		}
		seen[string(id)] = true
	}
	if len(seen) != 2 {
		t.Errorf("ids = %v, want two", seen)
	}
}
