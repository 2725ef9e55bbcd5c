package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/ichor-os/ichor/atomicfile"
)

// Folder is where a node keeps its configs.
const Folder = "/system/state"

// The files of a [Disk].
const (
	// storedFile holds the config that the node starts with.
	storedFile = "config.yaml"
	// goodFile holds the last config that is known to keep the node in reach.
	goodFile = "config.good.yaml"
	// pendingFile tells that the stored config waits for confirmation.
	pendingFile = "config.pending.json"
	// refusedFile holds the config that was taken back or could not be read, for
	// people to look at; its first line says why.
	refusedFile = "config.refused.yaml"
)

// A Disk keeps small files by name. After a crash a file is the old one or the
// new one, and what was written before it is there too.
type Disk interface {
	// Read gives fs.ErrNotExist for a file that is not there.
	Read(name string) ([]byte, error)
	Write(name string, content []byte) error
	// Remove does nothing for a file that is not there.
	Remove(name string) error
}

// Files is a Disk in a folder.
type Files string

// Read implements Disk.
func (f Files) Read(name string) ([]byte, error) {
	text, err := os.ReadFile(filepath.Join(string(f), name))
	if err != nil {
		return nil, fmt.Errorf("read machine config: %w", err)
	}
	return text, nil
}

// Write implements Disk.
func (f Files) Write(name string, content []byte) error {
	if err := atomicfile.Replace(filepath.Join(string(f), name), content, 0o600); err != nil {
		return fmt.Errorf("write machine config: %w", err)
	}
	return nil
}

// Remove implements Disk.
func (f Files) Remove(name string) error {
	err := os.Remove(filepath.Join(string(f), name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = syncFolder(string(f))
	}
	if err != nil {
		return fmt.Errorf("remove machine config: %w", err)
	}
	return nil
}

func syncFolder(path string) error {
	folder, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}
