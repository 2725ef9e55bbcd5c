// Package publish puts files, folders and links in place whole or not at all.
//
// What is written goes to a temporary name beside its target, is flushed to
// disk and renamed. A reader sees the old thing, the new thing or nothing: a
// full disk, an interrupt or a power cut leaves at most a temporary name that
// no reader takes for the real one (IsTemporary) and that Sweep removes.
//
// It does not lock: two writers of the same name both succeed, and the later
// rename stays.
package publish

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// prefix begins the base name of everything that is not yet published.
const prefix = ".unpublished-"

// IsTemporary tells whether a base name was made by this package for something
// that is not published.
func IsTemporary(name string) bool { return strings.HasPrefix(name, prefix) }

// File calls write with a new file and publishes it at path with mode perm
// (whatever the umask) when write returns nil. The parent folder is created.
func File(path string, perm fs.FileMode, write func(io.Writer) error) (err error) {
	parent := filepath.Dir(path)
	if err := os.MkdirAll(parent, 0o755); err != nil {
		return fmt.Errorf("create folder: %w", err)
	}
	f, err := os.CreateTemp(parent, prefix+filepath.Base(path)+"-")
	if err != nil {
		return fmt.Errorf("create temporary file: %w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, ignoreClosed(f.Close()), ignoreMissing(os.Remove(f.Name())))
		}
	}()
	if err := write(f); err != nil {
		return err
	}
	if err := f.Chmod(perm); err != nil {
		return fmt.Errorf("set mode: %w", err)
	}
	if err := f.Sync(); err != nil {
		return fmt.Errorf("flush: %s: %w", path, err)
	}
	if err := f.Close(); err != nil {
		return fmt.Errorf("close: %s: %w", path, err)
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return fmt.Errorf("publish file: %w", err)
	}
	return SyncFolder(parent)
}

// Bytes publishes content at path with mode perm.
func Bytes(path string, perm fs.FileMode, content []byte) error {
	return File(path, perm, func(w io.Writer) error {
		_, err := w.Write(content)
		return err
	})
}

// Folder calls fill with the path of a new empty folder and publishes it at
// path when fill returns nil. Every file below is flushed first. It fails if
// path exists and is not an empty folder.
func Folder(path string, fill func(temporary string) error) error {
	_, err := NamedFolder(filepath.Dir(path), func(temporary string) (string, error) {
		return filepath.Base(path), fill(temporary)
	})
	return err
}

// NamedFolder is Folder for a name that only its content decides: fill returns
// it. It returns the path.
func NamedFolder(parent string, fill func(temporary string) (name string, err error)) (path string, err error) {
	if err := os.MkdirAll(parent, 0o755); err != nil {
		return "", fmt.Errorf("create folder: %w", err)
	}
	temporary, err := os.MkdirTemp(parent, prefix)
	if err != nil {
		return "", fmt.Errorf("create temporary folder: %w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, RemoveAll(temporary))
		}
	}()
	if err := os.Chmod(temporary, 0o755); err != nil {
		return "", fmt.Errorf("set mode: %w", err)
	}
	name, err := fill(temporary)
	if err != nil {
		return "", err
	}
	if err := SyncTree(temporary); err != nil {
		return "", err
	}
	path = filepath.Join(parent, name)
	if err := os.Rename(temporary, path); err != nil {
		return "", fmt.Errorf("publish folder: %w", err)
	}
	return path, SyncFolder(parent)
}

// Link publishes a symbolic link at path that points to target, replacing
// whatever file or link was there.
func Link(target, path string) error {
	temporary := filepath.Join(filepath.Dir(path), fmt.Sprintf("%s%s-%d-%d", prefix, filepath.Base(path), os.Getpid(), time.Now().UnixNano()))
	if err := os.Symlink(target, temporary); err != nil {
		return fmt.Errorf("create link: %w", err)
	}
	if err := os.Rename(temporary, path); err != nil {
		return errors.Join(fmt.Errorf("publish link: %w", err), os.Remove(temporary))
	}
	return SyncFolder(filepath.Dir(path))
}

// Discard takes a folder away: it first gets a temporary name, so that no reader
// finds it half removed. A process that has it open keeps what it has.
func Discard(path string) error {
	temporary := filepath.Join(filepath.Dir(path), fmt.Sprintf("%s%s-%d-%d", prefix, filepath.Base(path), os.Getpid(), time.Now().UnixNano()))
	if err := os.Rename(path, temporary); err != nil {
		return fmt.Errorf("discard folder: %w", err)
	}
	return RemoveAll(temporary)
}

// Sweep removes from folder what was left unpublished by a process that died:
// temporary names older than age. A missing folder is not an error.
func Sweep(folder string, age time.Duration) error {
	entries, err := os.ReadDir(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("look for leftovers: %w", err)
	}
	for _, entry := range entries {
		if !IsTemporary(entry.Name()) {
			continue
		}
		info, err := entry.Info()
		if err != nil || time.Since(info.ModTime()) < age {
			continue
		}
		if err := RemoveAll(filepath.Join(folder, entry.Name())); err != nil {
			return fmt.Errorf("remove leftover: %w", err)
		}
	}
	return nil
}

// RemoveAll removes a tree even if folders in it are read-only.
func RemoveAll(path string) error {
	err := filepath.WalkDir(path, func(p string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			return os.Chmod(p, 0o700)
		}
		return nil
	})
	return errors.Join(ignoreMissing(err), os.RemoveAll(path))
}

// SyncTree flushes every regular file and folder below path.
func SyncTree(path string) error {
	return filepath.WalkDir(path, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return fmt.Errorf("flush tree: %w", err)
		}
		if !d.IsDir() && !d.Type().IsRegular() {
			return nil
		}
		return SyncFolder(p)
	})
}

// SyncFolder flushes a folder's entries (or a file's content) to disk.
func SyncFolder(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("flush: %w", err)
	}
	if err := f.Sync(); err != nil {
		return errors.Join(fmt.Errorf("flush: %s: %w", path, err), f.Close())
	}
	return f.Close()
}

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

func ignoreClosed(err error) error {
	if errors.Is(err, fs.ErrClosed) {
		return nil
	}
	return err
}
