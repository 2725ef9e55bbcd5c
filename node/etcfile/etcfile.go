// Package etcfile is the only writer below /etc. The root file system ships an
// empty placeholder for each file and folder that a node fills in; this package
// keeps the contents in memory and binds them over the placeholders.
package etcfile

import (
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// Mounter binds one path over another; mount.Kernel is the real one.
type Mounter interface {
	Mount(source, target, fstype string, flags uintptr, data string) error
}

// Folder writes files and folders of one /etc.
type Folder struct {
	// Etc is /etc, Store a folder in memory.
	Etc, Store string
	Mounter    Mounter

	bound map[string]bool
}

// Write gives the file its content. Readers that have it open see the new
// content, as the file is changed in place: a bind mount does not follow a
// rename.
func (f *Folder) Write(name, content string, mode os.FileMode) error {
	path := filepath.Join(f.Store, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("write file: /etc/%s: %w", name, err)
	}
	if old, err := os.ReadFile(path); err != nil || string(old) != content {
		if err := os.WriteFile(path, []byte(content), mode); err != nil {
			return fmt.Errorf("write file: /etc/%s: %w", name, err)
		}
	}
	return f.bind(name)
}

// Bind gives the folder name of /etc a writable content in memory, and returns
// the path to write to.
func (f *Folder) Bind(name string) (string, error) {
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
