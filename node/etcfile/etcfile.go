// Package etcfile is the only writer below /etc. The root file system ships an
// empty placeholder for each file and folder that a node fills in; this package
// keeps the contents in memory and binds them over the placeholders.
package etcfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"golang.org/x/sys/unix"
)

// Mounter binds one path over another; mount.Kernel is the real one.
type Mounter interface {
	Mount(source, target, fstype string, flags uintptr, data string) error
	Unmount(target string, flags int) error
}

// Folder writes files and folders of one /etc.
type Folder struct {
	// Etc is /etc, Store a folder in memory.
	Etc, Store string
	Mounter    Mounter

	mu    sync.Mutex
	bound map[string]bool
}

// Write gives the file its content. Readers that have it open see the new
// content, as the file is changed in place: a bind mount does not follow a
// rename.
func (f *Folder) Write(name, content string, mode os.FileMode) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.store(name, content, mode); err != nil {
		return err
	}
	return f.bind(name)
}

// Remove shows what the root file system ships again.
func (f *Folder) Remove(name string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.bound[name] {
		target := filepath.Join(f.Etc, name)
		if err := f.Mounter.Unmount(target, unix.MNT_DETACH); err != nil {
			return fmt.Errorf("unbind file: %s: %w", target, err)
		}
		delete(f.bound, name)
	}
	if err := os.Remove(filepath.Join(f.Store, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove file: /etc/%s: %w", name, err)
	}
	return nil
}

func (f *Folder) store(name, content string, mode os.FileMode) error {
	path := filepath.Join(f.Store, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("write file: /etc/%s: %w", name, err)
	}
	if old, err := os.ReadFile(path); err != nil || string(old) != content {
		if err := os.WriteFile(path, []byte(content), mode); err != nil {
			return fmt.Errorf("write file: /etc/%s: %w", name, err)
		}
	}
	return nil
}

// Bind gives the folder name of /etc a writable content in memory, and returns
// the path to write to.
func (f *Folder) Bind(name string) (string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	path := filepath.Join(f.Store, name)
	if err := os.MkdirAll(path, 0o755); err != nil {
		return "", fmt.Errorf("make folder: /etc/%s: %w", name, err)
	}
	return path, f.bind(name)
}

func (f *Folder) bind(name string) error {
	if f.bound[name] {
		return nil
	}
	target := filepath.Join(f.Etc, name)
	if err := f.Mounter.Mount(filepath.Join(f.Store, name), target, "", unix.MS_BIND, ""); err != nil {
		return fmt.Errorf("bind file: %s: does the root file system have it?: %w", target, err)
	}
	if f.bound == nil {
		f.bound = map[string]bool{}
	}
	f.bound[name] = true
	return nil
}
