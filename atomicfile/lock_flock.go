//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package atomicfile

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// Bounds of waiting for a lock.
const (
	lockTimeout = 10 * time.Second
	lockPause   = 10 * time.Millisecond
)

// Lock keeps other callers of Lock for files of the same folder out until
// unlock is called: what reads a file, changes it and writes it back needs that.
// The lock is on the folder (flock(2)), so it leaves nothing behind. It waits
// at most 10 s. On file systems without locks it does nothing.
func Lock(path string) (unlock func() error, err error) {
	target, err := resolve(path)
	if err != nil {
		return nil, err
	}
	folder, err := os.Open(filepath.Dir(target))
	if err != nil {
		return nil, err
	}
	for end := time.Now().Add(lockTimeout); ; time.Sleep(lockPause) {
		err := syscall.Flock(int(folder.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		switch {
		case err == nil:
			return folder.Close, nil
		case errors.Is(err, syscall.ENOTSUP), errors.Is(err, syscall.ENOLCK), errors.Is(err, syscall.ENOSYS):
			return folder.Close, nil
		case !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR), time.Now().After(end):
			return nil, errors.Join(fmt.Errorf("lock %s: %w", target, err), folder.Close())
		}
	}
}
