package mount

import (
	"errors"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// Kernel is the System of this computer.
type Kernel struct{}

// Mount implements System.
func (Kernel) Mount(source, target, fstype string, flags uintptr, data string) error {
	return unix.Mount(source, target, fstype, flags, data)
}

// Unmount implements System.
func (Kernel) Unmount(target string, flags int) error { return unix.Unmount(target, flags) }

// Mknod implements System.
func (Kernel) Mknod(path string, mode uint32, dev uint64) error {
	if err := unix.Mknod(path, mode, int(dev)); err != nil && !errors.Is(err, unix.EEXIST) {
		return err
	}
	return unix.Chmod(path, mode&0o7777)
}

// MkdirAll implements System.
func (Kernel) MkdirAll(path string, mode os.FileMode) error {
	if err := os.MkdirAll(path, 0o755); err != nil {
		return err
	}
	return syscall.Chmod(path, uint32(mode&0o7777))
}

// Symlink implements System.
func (Kernel) Symlink(target, path string) error {
	if err := os.Symlink(target, path); err != nil && !errors.Is(err, unix.EEXIST) {
		return err
	}
	return nil
}
