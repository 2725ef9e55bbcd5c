// Package atomicfile writes files so that a crash leaves the old content or the
// new one, never a part: a temporary file beside the target, fsync, rename,
// fsync of the folder.
//
// [Update] is for files that the user may have arranged in some way, [Replace]
// for files that shall be exactly as said, [Create] for files that must not exist.
package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"syscall"
)

// Replace writes content to path, with exactly mode. An existing file keeps its
// owner as far as the caller may set it. A symbolic link is followed, so that
// the link stays and its target changes.
func Replace(path string, content []byte, mode fs.FileMode) error {
	return replace(path, content, mode, func(temp *os.File, _ fs.FileInfo) error { return temp.Chmod(mode) })
}

// Update is [Replace], but an existing file keeps its mode, and a new one gets mode
// less the bits of the umask, like files that programs make in the usual way.
func Update(path string, content []byte, mode fs.FileMode) error {
	return replace(path, content, mode, func(temp *os.File, old fs.FileInfo) error {
		if old == nil {
			return nil
		}
		return temp.Chmod(old.Mode().Perm())
	})
}

// replace gives the file mode less the umask, unless chmod, which gets nil for a new file, sets another.
func replace(path string, content []byte, mode fs.FileMode, chmod func(temp *os.File, old fs.FileInfo) error) error {
	target, err := resolve(path)
	if err != nil {
		return err
	}
	old, err := os.Stat(target)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if old != nil && !old.Mode().IsRegular() {
		return writeThrough(target, content)
	}
	temp, err := writeTemp(target, content, mode, func(temp *os.File) error { return chmod(temp, old) })
	if err != nil {
		return err
	}
	if old != nil {
		keepOwner(temp, old)
	}
	if err := os.Rename(temp, target); err != nil {
		return errors.Join(err, os.Remove(temp))
	}
	return syncFolder(filepath.Dir(target))
}

// Create writes content to path with mode less the bits of the umask. It fails with an error that
// is [fs.ErrExist] if path exists, even if it came into being meanwhile.
func Create(path string, content []byte, mode fs.FileMode) error {
	temp, err := writeTemp(path, content, mode, func(*os.File) error { return nil })
	if err != nil {
		return err
	}
	err = os.Link(temp, path)
	if errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.ENOTSUP) || errors.Is(err, syscall.ENOSYS) {
		err = createWithoutLinks(temp, path, mode)
	}
	if err := errors.Join(err, os.Remove(temp)); err != nil {
		return err
	}
	return syncFolder(filepath.Dir(path))
}

// createWithoutLinks serves file systems that have no hard links: it reserves
// the name, then renames over its own empty file.
func createWithoutLinks(temp, path string, mode fs.FileMode) error {
	reserved, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	if err := reserved.Close(); err != nil {
		return err
	}
	content, err := os.ReadFile(temp)
	if err != nil {
		return err
	}
	if err := Update(path, content, mode); err != nil {
		return errors.Join(err, os.Remove(path))
	}
	return nil
}

// writeThrough serves devices and pipes such as /dev/stdout, which cannot be renamed over.
func writeThrough(path string, content []byte) error {
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = file.Write(content)
	return errors.Join(err, file.Close())
}

func resolve(path string) (string, error) {
	target, err := filepath.EvalSymlinks(path)
	if errors.Is(err, fs.ErrNotExist) {
		if link, readErr := os.Readlink(path); readErr == nil {
			return "", fmt.Errorf("open %s: the link points to %s, which does not exist", path, link)
		}
		return path, nil
	}
	return target, err
}

// writeTemp makes the temporary file; it is never open to more than mode says.
func writeTemp(target string, content []byte, mode fs.FileMode, chmod func(*os.File) error) (string, error) {
	file, err := openTemp(target, mode)
	if err != nil {
		return "", &fs.PathError{Op: "create", Path: target, Err: errors.Unwrap(err)}
	}
	_, err = file.Write(content)
	err = errors.Join(err, chmod(file), file.Sync(), file.Close())
	if err != nil {
		return "", errors.Join(err, os.Remove(file.Name()))
	}
	return file.Name(), nil
}

// openTemp makes a file of a new name beside the target. [os.CreateTemp] would
// not let the umask decide on its mode.
func openTemp(target string, mode fs.FileMode) (*os.File, error) {
	const attempts = 10000
	for i := 0; ; i++ {
		name := fmt.Sprintf(".%s.%x", filepath.Base(target), rand.Uint64())
		file, err := os.OpenFile(filepath.Join(filepath.Dir(target), name), os.O_RDWR|os.O_CREATE|os.O_EXCL, mode)
		if errors.Is(err, fs.ErrExist) && i < attempts {
			continue
		}
		return file, err
	}
}
