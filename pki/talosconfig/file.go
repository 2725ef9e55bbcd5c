package talosconfig

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/ichor-os/ichor/atomicfile"
)

// File is a config together with where it came from.
type File struct {
	Config
	path string
}

// DefaultPath says which file to use: given (a flag) if it is set, else
// $TALOSCONFIG, else ~/.talos/config.
func DefaultPath(given string, getenv func(string) string) (string, error) {
	if given != "" {
		return given, nil
	}
	if path := getenv("TALOSCONFIG"); path != "" {
		return path, nil
	}
	home := getenv("HOME")
	if home == "" {
		return "", errors.New("find client config: HOME is not set: name the file with --talosconfig")
	}
	return filepath.Join(home, ".talos", "config"), nil
}

// Open reads a file. One that does not exist is made, with no contexts.
func Open(path string) (*File, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		file := &File{path: path}
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return nil, fmt.Errorf("open client config: %w", err)
		}
		return file, file.Save()
	}
	if err != nil {
		return nil, fmt.Errorf("open client config: %w", err)
	}
	config, err := Parse(text)
	if err != nil {
		return nil, fmt.Errorf("open client config: %s: %w", path, err)
	}
	return &File{Config: *config, path: path}, nil
}

// Edit opens a file as [Open] does, lets change it, and saves it if change gives
// no error. Nobody else edits it meanwhile.
func Edit(path string, change func(*File) error) (err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("open client config: %w", err)
	}
	unlock, err := atomicfile.Lock(path)
	if err != nil {
		return fmt.Errorf("open client config: %w", err)
	}
	defer func() { err = errors.Join(err, unlock()) }()
	file, err := Open(path)
	if err != nil {
		return err
	}
	if err := change(file); err != nil {
		return err
	}
	return file.Save()
}

// Path is where the file is.
func (f *File) Path() string { return f.path }

// Save writes the file. A new one gets mode 0600, an existing one keeps its own.
func (f *File) Save() error {
	text, err := f.Encode()
	if err != nil {
		return err
	}
	if err := atomicfile.Update(f.path, text, 0o600); err != nil {
		return fmt.Errorf("save client config: %w", err)
	}
	return nil
}
