package kubeconfig

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/ichor-os/ichor/atomicfile"
	"github.com/ichor-os/ichor/bounded"
)

// File is a kubeconfig together with where it is kept.
type File struct {
	*Config
	path string
}

// DefaultPath says which file to use: given if it is set, else the first of
// $KUBECONFIG, which may be a list, else ~/.kube/config.
func DefaultPath(given string, getenv func(string) string) (string, error) {
	if given != "" {
		return given, nil
	}
	for _, path := range filepath.SplitList(getenv("KUBECONFIG")) {
		if path != "" {
			return path, nil
		}
	}
	home := getenv("HOME")
	if home == "" {
		return "", errors.New("find kubeconfig: HOME is not set: set KUBECONFIG or name the file")
	}
	return filepath.Join(home, ".kube", "config"), nil
}

// Open reads a file. One that does not exist is an empty kubeconfig, and is made
// by Save.
func Open(path string) (*File, error) {
	text, err := bounded.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("open kubeconfig: %w", err)
	}
	config, err := Parse(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return &File{Config: config, path: path}, nil
}

// Path is where the file is.
func (f *File) Path() string { return f.path }

// Save writes the file. A new one gets mode 0600, an existing one keeps its own.
func (f *File) Save() error {
	text, err := f.Encode()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(f.path), 0o700); err != nil {
		return fmt.Errorf("save kubeconfig: %w", err)
	}
	if err := atomicfile.Update(f.path, text, 0o600); err != nil {
		return fmt.Errorf("save kubeconfig: %w", err)
	}
	return nil
}
