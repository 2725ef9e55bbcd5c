package applet

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// installCNI takes pairs SOURCE TARGET and copies each file to its target,
// whole or not at all, with the source's permission bits. A target that holds
// the same content already is left alone, so its readers are not woken.
func installCNI(args []string, _ io.Writer) error {
	if len(args) == 0 || len(args)%2 != 0 {
		return errors.New("want pairs of a source and a target file")
	}
	for i := 0; i < len(args); i += 2 {
		if err := installFile(args[i], args[i+1]); err != nil {
			return err
		}
	}
	return nil
}

func installFile(source, target string) (err error) {
	content, err := os.ReadFile(source)
	if err != nil {
		return fmt.Errorf("install: %w", err)
	}
	info, err := os.Stat(source)
	if err != nil {
		return fmt.Errorf("install: %w", err)
	}
	if old, err := os.ReadFile(target); err == nil && string(old) == string(content) {
		return nil
	}
	folder := filepath.Dir(target)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return fmt.Errorf("install: %w", err)
	}
	// The leading dot keeps the runtime from reading a half-written file.
	f, err := os.CreateTemp(folder, "."+filepath.Base(target)+"-")
	if err != nil {
		return fmt.Errorf("install: %w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(f.Name()))
		}
	}()
	_, err = f.Write(content)
	if err := errors.Join(err, f.Chmod(info.Mode().Perm()), f.Sync(), f.Close()); err != nil {
		return fmt.Errorf("install: %s: %w", target, err)
	}
	if err := os.Rename(f.Name(), target); err != nil {
		return fmt.Errorf("install: %w", err)
	}
	return nil
}
