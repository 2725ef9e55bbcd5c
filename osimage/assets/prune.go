package assets

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/ichor-os/ichor/bundle/publish"
)

// Prune removes the folders of earlier builds that no link leads to and that no
// process of this computer has mounted, and returns them. What makes builds
// quick stays.
func (b *Builder) Prune(ctx context.Context) ([]string, error) {
	parents := []string{"assets", "image-caches", "samples"}
	for _, parent := range parents {
		unlock, err := b.lock(ctx, parent)
		if err != nil {
			return nil, err
		}
		defer unlock()
	}
	mounted, err := mounts()
	if err != nil {
		return nil, err
	}
	var removed []string
	for _, parent := range parents {
		folders, err := b.unused(filepath.Join(b.Cache, parent), mounted)
		if err != nil {
			return removed, err
		}
		for _, folder := range folders {
			if err := publish.Discard(folder); err != nil {
				return removed, fmt.Errorf("prune: %w", err)
			}
			removed = append(removed, folder)
		}
	}
	return removed, b.forget()
}

// unused lists the folders below parent that nothing leads to or has mounted.
func (b *Builder) unused(parent string, mounted []byte) ([]string, error) {
	entries, err := os.ReadDir(parent)
	if os.IsNotExist(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("prune: %w", err)
	}
	linked := map[string]bool{}
	for _, entry := range entries {
		if target, err := os.Readlink(filepath.Join(parent, entry.Name())); err == nil {
			linked[filepath.Base(target)] = true
		}
	}
	var folders []string
	for _, entry := range entries {
		if !entry.IsDir() || linked[entry.Name()] || bytes.Contains(mounted, []byte("/"+entry.Name()+"/")) {
			continue
		}
		folders = append(folders, filepath.Join(parent, entry.Name()))
	}
	return folders, nil
}

// mounts joins the mount tables of all processes: a node's mounts are in a
// namespace of its own.
func mounts() ([]byte, error) {
	tables, err := filepath.Glob("/proc/[0-9]*/mountinfo")
	if err != nil {
		return nil, fmt.Errorf("prune: %w", err)
	}
	var joined []byte
	for _, table := range tables {
		// A process that ended meanwhile has nothing mounted.
		if content, err := os.ReadFile(table); err == nil {
			joined = append(joined, content...)
		}
	}
	return joined, nil
}

// forget removes links from inputs to folders that are gone.
func (b *Builder) forget() error {
	links, err := filepath.Glob(filepath.Join(b.Cache, "inputs", "*"))
	if err != nil {
		return fmt.Errorf("prune: %w", err)
	}
	for _, link := range links {
		if _, err := os.Stat(link); os.IsNotExist(err) {
			if err := os.Remove(link); err != nil {
				return fmt.Errorf("prune: %w", err)
			}
		}
	}
	return nil
}
