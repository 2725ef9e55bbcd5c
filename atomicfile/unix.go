//go:build unix

package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// keepOwner gives a file the owner of another. Only root may give files away;
// for all others the owner is the same already.
func keepOwner(path string, old fs.FileInfo) {
	if stat, ok := old.Sys().(*syscall.Stat_t); ok {
		_ = os.Lchown(path, int(stat.Uid), int(stat.Gid))
	}
}

// syncFolder makes a rename in a folder durable.
func syncFolder(path string) error {
	folder, err := os.Open(path)
	if err != nil {
		return err
	}
	err = folder.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOTSUP) {
		err = nil // the file system has no such call; the rename is as durable as it gets
	}
	return errors.Join(err, folder.Close())
}
