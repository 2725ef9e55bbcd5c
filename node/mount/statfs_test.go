package mount

import (
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
