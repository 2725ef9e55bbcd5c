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
	"os"
	"path/filepath"
	"syscall"
)

// Replace writes content to path, with exactly mode. An existing file keeps its
// owner as far as the caller may set it. A symbolic link is followed, so that
// the link stays and its target changes.
func Replace(path string, content []byte, mode fs.FileMode) error {
	return replace(path, content, func(fs.FileInfo) fs.FileMode { return mode })
}

// Update is [Replace], but an existing file keeps its mode.
func Update(path string, content []byte, mode fs.FileMode) error {
	return replace(path, content, func(old fs.FileInfo) fs.FileMode {
		if old != nil {
			return old.Mode().Perm()
		}
		return mode
	})
}

// replace gives the file the mode that modeFor says, which gets nil for a new one.
func replace(path string, content []byte, modeFor func(old fs.FileInfo) fs.FileMode) error {
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
	temp, err := writeTemp(target, content, modeFor(old))
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

// Create writes content to path with exactly mode. It fails with an error that
// is [fs.ErrExist] if path exists, even if it came into being meanwhile.
func Create(path string, content []byte, mode fs.FileMode) error {
	temp, err := writeTemp(path, content, mode)
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
	return Replace(path, content, mode)
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

func writeTemp(target string, content []byte, mode fs.FileMode) (string, error) {
	file, err := os.CreateTemp(filepath.Dir(target), "."+filepath.Base(target)+".*")
	if err != nil {
		return "", &fs.PathError{Op: "create", Path: target, Err: errors.Unwrap(err)}
	}
	_, err = file.Write(content)
	err = errors.Join(err, file.Chmod(mode), file.Sync(), file.Close())
	if err != nil {
		return "", errors.Join(err, os.Remove(file.Name()))
	}
	return file.Name(), nil
}
