package assets

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"text/tabwriter"

	"github.com/ichor-os/ichor/osimage/rootfs"
)

// Budgets in bytes.
const (
	// squashfsBudget is for the release form without kernel modules.
	squashfsBudget = 40_000_000
	imagesBudget   = 75_000_000
)

// CheckBudget fails if a part is larger than it may be. The fast form of the
// squashfs has no budget.
func (a *Assets) CheckBudget() error {
	var problems []error
	if s := a.Manifest.Squashfs; s != nil && s.Compression == string(rootfs.Small) && s.Size > squashfsBudget {
		problems = append(problems, fmt.Errorf("squashfs has %d bytes, may have %d", s.Size, squashfsBudget))
	}
	if l := a.Manifest.Images; l != nil && l.Size > imagesBudget {
		problems = append(problems, fmt.Errorf("images have %d bytes, may have %d", l.Size, imagesBudget))
	}
	if len(problems) == 0 {
		return nil
	}
	return fmt.Errorf("check sizes: %w", errors.Join(problems...))
}

// WriteSizes prints how large each part of the assets is in megabytes (a million
// bytes), and the larger files of the root.
func (a *Assets) WriteSizes(w io.Writer) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	row := func(name string, size int64, note string) {
		fmt.Fprintf(table, "%7.1f MB\t%s", float64(size)/1e6, name)
		if note != "" {
			fmt.Fprintf(table, "\t%s", note)
		}
		fmt.Fprintln(table)
	}
	if root := a.Manifest.RootFS; root != nil {
		row("root, unpacked", root.Size, fmt.Sprintf("%d entries", root.Files))
		if err := a.rootRows(row); err != nil {
			return err
		}
	}
	if squashfs := a.Manifest.Squashfs; squashfs != nil {
		row("root, squashfs", squashfs.Size, squashfs.Compression)
	}
	if layout := a.Manifest.Images; layout != nil {
		row("images", layout.Size, fmt.Sprintf("%d images, layers counted once", len(layout.Images)))
		for _, image := range layout.Images {
			row("  "+image.Reference, image.Size, fmt.Sprintf("%d layers", len(image.Layers)))
		}
	}
	return table.Flush()
}

// rootRows prints the largest files of the root.
func (a *Assets) rootRows(row func(name string, size int64, note string)) error {
	type sized struct {
		name string
		size int64
	}
	var files []sized
	root := a.Path(a.Manifest.RootFS.Path)
	err := filepath.WalkDir(root, func(full string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, full)
		if err == nil && info.Size() >= 500_000 {
			files = append(files, sized{"  /" + name, info.Size()})
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("list sizes: %w", err)
	}
	slices.SortFunc(files, func(x, y sized) int { return cmp.Compare(y.size, x.size) })
	for _, file := range files {
		row(file.name, file.size, "")
	}
	return nil
}
