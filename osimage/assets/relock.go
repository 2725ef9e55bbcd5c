package assets

import (
	"context"
	"path/filepath"
	"slices"

	"github.com/ichor-os/ichor/bundle/publish"
	"github.com/ichor-os/ichor/osimage/debian"
)

// Relock moves the Debian pins to the newest versions of their series, for every
// supported architecture, and writes the lock file in the source tree. The
// program must be built again to use it.
func (b *Builder) Relock(ctx context.Context) (debian.Lock, error) {
	lock, err := debian.Locked()
	if err != nil {
		return debian.Lock{}, err
	}
	names := append(debian.ImagePackages(), debian.ToolPackages()...)
	slices.Sort(names)
	names = slices.Compact(names)
	store := &debian.Store{Folder: filepath.Join(b.Cache, "debian"), Log: b.log}
	moved := debian.Lock{Series: lock.Series}
	for _, arch := range []string{"amd64", "arm64"} {
		pins, err := store.Relock(ctx, lock.Series, arch, names)
		if err != nil {
			return debian.Lock{}, err
		}
		moved.Pins = append(moved.Pins, pins...)
	}
	content, err := moved.Format()
	if err != nil {
		return debian.Lock{}, err
	}
	return moved, publish.Bytes(filepath.Join(b.Source, debian.LockPath), 0o644, content)
}
