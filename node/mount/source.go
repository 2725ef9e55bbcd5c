package mount

import (
	"context"
	"fmt"
	"os"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/ichor-os/ichor/node/mount/spec"
	"github.com/ichor-os/ichor/resource"
)

// Source shows what is mounted on disks and in memory as resources. The kernel
// says when the table changes: a poll of it ends with an error condition.
func Source(path string) resource.Block {
	return resource.Source("mount-status", spec.MountStatuses, func(ctx context.Context, feed *resource.Feed[spec.MountStatusSpec]) error {
		table, err := os.Open(path)
		if err != nil {
			return fmt.Errorf("open mount table: %w", err)
		}
		defer table.Close()
		for ctx.Err() == nil {
			text, err := os.ReadFile(path)
			if err != nil {
				return fmt.Errorf("read mount table: %w", err)
			}
			if err := feed.Replace(statuses(string(text))...); err != nil {
				return err
			}
			for ctx.Err() == nil {
				poll := []unix.PollFd{{Fd: int32(table.Fd()), Events: unix.POLLPRI}}
				if n, err := unix.Poll(poll, 1000); err == nil && n > 0 {
					break
				}
			}
		}
		return ctx.Err()
	})
}

// statuses leaves out what pods mount, of which there may be very many.
func statuses(table string) []resource.Item[spec.MountStatusSpec] {
	seen := map[string]bool{}
	var items []resource.Item[spec.MountStatusSpec]
	for line := range strings.Lines(table) {
		fields := strings.Fields(line)
		if len(fields) < 4 {
			continue
		}
		target := unescape(fields[1])
		if seen[target] || strings.HasPrefix(target, "/var/lib/kubelet/pods/") || strings.HasPrefix(target, "/run/containerd/") ||
			strings.HasPrefix(target, "/run/netns/") {
			continue
		}
		seen[target] = true
		items = append(items, resource.Item[spec.MountStatusSpec]{ID: target, Spec: spec.MountStatusSpec{
			Source: unescape(fields[0]), Target: target, FilesystemType: fields[2], Options: strings.Split(fields[3], ","),
		}})
	}
	return items
}
