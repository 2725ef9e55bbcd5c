package mount

import (
	"context"
	"errors"
	"path/filepath"

	"golang.org/x/sys/unix"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	machinepb "github.com/ichor-os/ichor/api/machine"
)

// Storage serves machine.StorageService.
type Storage struct {
	machinepb.UnimplementedStorageServiceServer
}

// Statfs implements StorageService: the size in bytes and the inodes of the file
// system that a path is on. Available is what programs without privileges get.
func (Storage) Statfs(_ context.Context, in *machinepb.StorageServiceStatfsRequest) (*machinepb.StorageServiceStatfsResponse, error) {
	if !filepath.IsAbs(in.GetPath()) {
		return nil, status.Errorf(codes.InvalidArgument, "measure file system: %q: give the whole path", in.GetPath())
	}
	var fs unix.Statfs_t
	if err := unix.Statfs(in.GetPath(), &fs); err != nil {
		code := codes.Internal
		if errors.Is(err, unix.ENOENT) || errors.Is(err, unix.ENOTDIR) {
			code = codes.NotFound
		}
		return nil, status.Errorf(code, "measure file system: %s: %v", in.GetPath(), err)
	}
	size := uint64(fs.Bsize)
	return &machinepb.StorageServiceStatfsResponse{
		Size: fs.Blocks * size, Used: (fs.Blocks - fs.Bfree) * size, Available: fs.Bavail * size,
		Inodes: fs.Files, InodesUsed: fs.Files - fs.Ffree, InodesFree: fs.Ffree,
	}, nil
}
