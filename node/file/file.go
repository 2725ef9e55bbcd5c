// Package file writes what other nouns want on the node's disks and in memory,
// so that a crash leaves the old content or the new one and never a part.
package file

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/ichor-os/ichor/node/file/spec"
)

// Write writes the files that are not as wanted and names those it changed.
func Write(files []spec.File) (changed []string, err error) {
	for _, f := range files {
		did, err := write(f)
		if err != nil {
			return changed, fmt.Errorf("write file: %s: %w", f.Path, err)
		}
		if did {
			changed = append(changed, f.Path)
		}
	}
	return changed, nil
}

func write(f spec.File) (bool, error) {
	mode := f.Mode
	if mode == 0 {
		mode = 0o600
	}
	if old, err := os.ReadFile(f.Path); err == nil && bytes.Equal(old, f.Content) {
		return false, own(f.Path, f, mode)
	}
	if err := os.MkdirAll(filepath.Dir(f.Path), 0o755); err != nil {
		return false, err
	}
	temp := filepath.Join(filepath.Dir(f.Path), "."+filepath.Base(f.Path)+".new")
	out, err := os.OpenFile(temp, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return false, err
	}
	_, err = out.Write(f.Content)
	if err = errors.Join(err, out.Sync(), out.Close()); err != nil {
		return false, err
	}
	if err := own(temp, f, mode); err != nil {
		return false, err
	}
	if err := os.Rename(temp, f.Path); err != nil {
		return false, err
	}
	folder, err := os.Open(filepath.Dir(f.Path))
	if err != nil {
		return false, err
	}
	defer folder.Close()
	return true, folder.Sync()
}

func own(path string, f spec.File, mode os.FileMode) error {
	if err := os.Chmod(path, mode); err != nil {
		return err
	}
	if os.Geteuid() != 0 {
		return nil
	}
	return os.Chown(path, f.UID, f.GID)
}
