package diagnostic

import (
	"context"
	"fmt"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ichor-os/ichor/resource"
)

// Folders are the writable places of a node.
var Folders = []string{"/var", "/system/state"}

// volumePause is how often they are looked at.
const volumePause = 30 * time.Second

// A volume is nearly full from this share on, with less than this left; a large
// one has enough for a while with the last tenth.
const (
	fullPercent = 90
	fullBytes   = 5 << 30
	inodesFull  = 95
)

// volumeSpec is how full a file system is. The numbers are whole, so that they
// change seldom.
type volumeSpec struct {
	UsedPercent   int `yaml:"usedPercent" protobuf:"1"`
	InodesPercent int `yaml:"inodesPercent" protobuf:"2"`
	// FreeGiB is rounded down.
	FreeGiB int `yaml:"freeGiB" protobuf:"3"`
}

var volumes = resource.Define[volumeSpec]("VolumeUsages.ichor.dev",
	resource.Namespace("runtime"), resource.DisplayType("VolumeUsage"), resource.Columns(
		resource.Column{Name: "Used", Path: "{.usedPercent}"},
		resource.Column{Name: "Inodes", Path: "{.inodesPercent}"},
		resource.Column{Name: "Free GiB", Path: "{.freeGiB}"},
	))

func volumeSource(folders []string) resource.Block {
	return resource.Source("volume-usage", volumes, func(ctx context.Context, f *resource.Feed[volumeSpec]) error {
		tick := time.NewTicker(volumePause)
		defer tick.Stop()
		for {
			var items []resource.Item[volumeSpec]
			for _, folder := range folders {
				var fs unix.Statfs_t
				if err := unix.Statfs(folder, &fs); err != nil {
					continue // it is not mounted yet
				}
				items = append(items, resource.Item[volumeSpec]{ID: folder, Spec: usage(fs)})
			}
			if err := f.Replace(items...); err != nil {
				return err
			}
			select {
			case <-tick.C:
			case <-ctx.Done():
				return nil
			}
		}
	})
}

func usage(fs unix.Statfs_t) volumeSpec {
	spec := volumeSpec{FreeGiB: int(fs.Bavail * uint64(fs.Bsize) >> 30)}
	// What is kept for root counts as neither.
	if total := fs.Blocks - fs.Bfree + fs.Bavail; total > 0 {
		spec.UsedPercent = int((fs.Blocks - fs.Bfree) * 100 / total)
	}
	if fs.Files > 0 {
		spec.InodesPercent = int((fs.Files - fs.Ffree) * 100 / fs.Files)
	}
	return spec
}

// checkVolumes finds file systems that are nearly full.
func checkVolumes(_ context.Context, s *resource.Session) error {
	var full []string
	for _, v := range volumes.List(s) {
		if v.Spec.UsedPercent >= fullPercent && v.Spec.FreeGiB < fullBytes>>30 {
			full = append(full, fmt.Sprintf("%s: %d %% used, less than %d GiB free", v.ID, v.Spec.UsedPercent, v.Spec.FreeGiB+1))
		}
		if v.Spec.InodesPercent >= inodesFull {
			full = append(full, fmt.Sprintf("%s: %d %% of the inodes used", v.ID, v.Spec.InodesPercent))
		}
	}
	if len(full) > 0 {
		findings.Put(s, "disk-nearly-full", Finding{
			Message: "a file system is nearly full: remove images and logs that nobody needs (talosctl image list, talosctl usage), or give the node a larger disk",
			Details: full, Grace: passing,
		})
	}
	return nil
}
