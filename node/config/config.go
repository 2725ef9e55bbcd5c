// Package config keeps a node's machine config: the one in force, on disk in the
// STATE folder, and the way a new one comes in.
package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/ichor-os/ichor/atomicfile"
	machineconfig "github.com/ichor-os/ichor/config"
)

// Path is where the config is kept on a node.
const Path = "/system/state/config.yaml"

// Store keeps the config in a file.
type Store struct{ Path string }

// Load reads the config; without one it returns nil.
func (s Store) Load() (*machineconfig.Config, error) {
	text, err := os.ReadFile(s.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read machine config: %w", err)
	}
	c, err := machineconfig.Parse(text, machineconfig.File(s.Path))
	if err != nil {
		return nil, fmt.Errorf("read machine config: %w", err)
	}
	return c, nil
}

// LoadComplete is Load for a node that starts: a config that lacks the v1alpha1
// document, as a node in maintenance takes one, does not take it out of there.
func (s Store) LoadComplete() (*machineconfig.Config, error) {
	c, err := s.Load()
	if err != nil || c == nil || c.Main() == nil {
		return nil, err
	}
	return c, nil
}

// Save replaces the config; after a crash there is the old one or the new one.
func (s Store) Save(text []byte) error {
	if err := atomicfile.Replace(s.Path, text, 0o600); err != nil {
		return fmt.Errorf("write machine config: %w", err)
	}
	return nil
}
