package assets

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"text/tabwriter"
)

// WriteSizes prints how large each part of the assets is, largest first within
// its group. Sizes are in bytes of a thousandth of a megabyte: MB.
func (a *Assets) WriteSizes(w io.Writer) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	row := func(name string, size int64, note string) {
		fmt.Fprintf(table, "%.1f MB\t  %s\t%s\n", float64(size)/1e6, name, note)
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
