// Package disk tells of the disks that a node can see.
//
// A node in namespaces sees those of the computer it runs on and may write none
// of them: it lists them as read-only, none of them is the system's, and there
// is nothing of its own to wipe.
package disk

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	storagepb "github.com/ichor-os/ichor/api/storage"
)

// sector is the unit of sizes in sysfs, in bytes, whatever the disk's own is.
const sector = 512

// virtual are the kinds of block devices that are no disks: they show a file, a
// part of memory, or other devices.
var virtual = []string{"loop", "ram", "zram", "dm-", "md", "nbd", "drbd", "rbd", "fd"}

// List reads the disks from a sysfs, by name. Devices without a size, such as
// card readers without a card, are left out.
func List(sys string) ([]*storagepb.Disk, error) {
	entries, err := os.ReadDir(filepath.Join(sys, "block"))
	if err != nil {
		return nil, fmt.Errorf("list disks: %w", err)
	}
	var list []*storagepb.Disk
	for _, entry := range entries {
		if isVirtual(entry.Name()) {
			continue
		}
		// A disk that is pulled out in between has no size either.
		if d := read(filepath.Join(sys, "block", entry.Name())); d.GetSize() > 0 {
			list = append(list, d)
		}
	}
	return list, nil
}

func isVirtual(name string) bool {
	for _, prefix := range virtual {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}

func read(folder string) *storagepb.Disk {
	name := filepath.Base(folder)
	size, _ := strconv.ParseUint(text(folder, "size"), 10, 64)
	d := &storagepb.Disk{
		Size: size * sector, DeviceName: "/dev/" + name,
		Name: text(folder, "device/name"), Model: text(folder, "device/model"),
		Serial: text(folder, "device/serial"), Modalias: text(folder, "device/modalias"),
		Uuid: text(folder, "uuid"), Wwid: text(folder, "wwid"),
		Readonly: text(folder, "ro") == "1",
		Type:     kind(folder, name),
	}
	if d.Wwid == "" {
		d.Wwid = text(folder, "device/wwid")
	}
	if d.Serial == "" {
		d.Serial = text(folder, "serial")
	}
	if real, err := filepath.EvalSymlinks(folder); err == nil {
		if _, bus, ok := strings.Cut(real, "/devices/"); ok {
			d.BusPath = "/" + strings.TrimSuffix(bus, "/block/"+name)
		}
	}
	if subsystem, err := os.Readlink(filepath.Join(folder, "subsystem")); err == nil {
		d.Subsystem = "/sys/class/" + filepath.Base(subsystem)
	}
	return d
}

func kind(folder, name string) storagepb.Disk_DiskType {
	switch {
	case strings.HasPrefix(name, "nvme"):
		return storagepb.Disk_NVME
	case strings.HasPrefix(name, "mmcblk"):
		return storagepb.Disk_SD
	case strings.HasPrefix(name, "sr"):
		return storagepb.Disk_CD
	case text(folder, "queue/rotational") == "1":
		return storagepb.Disk_HDD
	case text(folder, "queue/rotational") == "0":
		return storagepb.Disk_SSD
	}
	return storagepb.Disk_UNKNOWN
}

// text is the content of an attribute, or "" if the device has none.
func text(folder, attribute string) string {
	content, err := os.ReadFile(filepath.Join(folder, attribute))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(strings.TrimRight(string(content), "\x00\n"))
}
