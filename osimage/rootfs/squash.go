package rootfs

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/ichor-os/ichor/bundle/filetree"
	"github.com/ichor-os/ichor/bundle/publish"
	"github.com/ichor-os/ichor/osimage/debian"
)

// A Compression says how small a squashfs becomes and how long that takes.
type Compression string

const (
	// Fast packs in about a second, for development.
	Fast Compression = "fast"
	// Small packs as small as zstd can, for releases.
	Small Compression = "small"
)

var compressionFlags = map[Compression][]string{
	Fast:  {"-b", "131072", "-Xcompression-level", "3"},
	Small: {"-b", "1048576", "-Xcompression-level", "22"},
}

// Squash packs a folder into a squashfs image at target with the mksquashfs of a
// tool tree. The same folder gives the same image: all owners are root, times
// are the folder's own, which filetree sets.
func Squash(ctx context.Context, tools debian.Tree, folder, target string, compression Compression) (err error) {
	flags, ok := compressionFlags[compression]
	if !ok {
		return fmt.Errorf("pack root: compression %q is neither %s nor %s", compression, Fast, Small)
	}
	temporary, err := os.MkdirTemp(filepath.Dir(target), "squash-")
	if err != nil {
		return fmt.Errorf("pack root: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(temporary)) }()
	image := filepath.Join(temporary, "image")
	args := append([]string{folder, image, "-comp", "zstd", "-all-root", "-noappend", "-reproducible", "-no-xattrs",
		"-no-progress", "-quiet", "-no-recovery", "-mem", "512M"}, flags...)
	cmd, err := tools.Command(ctx, "mksquashfs", args...)
	if err != nil {
		return fmt.Errorf("pack root: %w", err)
	}
	cmd.Env = append(cmd.Env, fmt.Sprintf("SOURCE_DATE_EPOCH=%d", filetree.Epoch))
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("pack root: mksquashfs: %w: %s", err, out)
	}
	if err := errors.Join(os.Chmod(image, 0o644), publish.SyncFolder(image)); err != nil {
		return fmt.Errorf("pack root: %w", err)
	}
	if err := os.Rename(image, target); err != nil {
		return fmt.Errorf("pack root: %w", err)
	}
	return nil
}
