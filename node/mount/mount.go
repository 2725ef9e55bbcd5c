// Package mount makes the file systems that a node needs before anything else
// can run: kernel file systems, device nodes, memory-backed folders and the
// writable layers over the read-only root.
//
// Container is the list for a node that is a set of Linux namespaces: the
// launcher has bound the root file system read-only and the node's own folders
// below it, and everything else is made here, inside the namespaces. It does
// not know disks; volumes are the noun disk's matter.
package mount

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// System is what this package does to the kernel.
type System interface {
	// Mount is mount(2).
	Mount(source, target, fstype string, flags uintptr, data string) error
	// Unmount is umount2(2).
	Unmount(target string, flags int) error
	// Mknod makes a device node with exactly the given mode.
	Mknod(path string, mode uint32, dev uint64) error
	// MkdirAll makes a folder and its parents with exactly the given mode.
	MkdirAll(path string, mode os.FileMode) error
	// Symlink makes a symbolic link; one that is there already is no error.
	Symlink(target, path string) error
}

// Point is one mount.
type Point struct {
	Source, Target, Type string
	Flags                uintptr
	Data                 string
	// Mode of the target folder where it has to be made; 0 means it must exist.
	Mode os.FileMode
	// Optional mounts may be refused by the kernel without harm.
	Optional bool
}

const noExec = unix.MS_NOSUID | unix.MS_NODEV | unix.MS_NOEXEC

// Container lists the mounts of a node in namespaces, in order, except for
// cgroups, which Cgroups makes. The root is read-only: a target with a Mode lies
// below a mount that comes earlier.
func Container() []Point {
	return []Point{
		{Source: "proc", Target: "/proc", Type: "proc", Flags: noExec},
		{Source: "sysfs", Target: "/sys", Type: "sysfs", Flags: noExec},
		{Source: "tmpfs", Target: "/dev", Type: "tmpfs", Flags: unix.MS_NOSUID, Data: "mode=0755,size=1m"},
		{Source: "devpts", Target: "/dev/pts", Type: "devpts", Flags: unix.MS_NOSUID | unix.MS_NOEXEC,
			Data: "newinstance,ptmxmode=0666,mode=0620,gid=5", Mode: 0o755},
		{Source: "mqueue", Target: "/dev/mqueue", Type: "mqueue", Flags: noExec, Mode: 0o1777},
		{Source: "shm", Target: "/dev/shm", Type: "tmpfs", Flags: noExec, Data: "mode=1777,size=64m", Mode: 0o1777},
		{Source: "tmpfs", Target: "/run", Type: "tmpfs", Flags: unix.MS_NOSUID | unix.MS_NODEV, Data: "mode=0755,size=256m"},
		{Source: "tmpfs", Target: "/tmp", Type: "tmpfs", Flags: unix.MS_NOSUID | unix.MS_NODEV, Data: "mode=1777,size=256m"},
		// Pods with a user namespace of their own may only mount proc where a
		// proc without anything mounted over it is visible.
		{Source: "proc", Target: "/run/procfull", Type: "proc", Flags: noExec, Mode: 0o555},
	}
}

// Do makes the mounts in order and stops at the first that fails.
func Do(sys System, points []Point) error {
	for _, p := range points {
		if p.Mode != 0 {
			if err := sys.MkdirAll(p.Target, p.Mode); err != nil {
				return fmt.Errorf("make mount point: %s: %w", p.Target, err)
			}
		}
		err := sys.Mount(p.Source, p.Target, p.Type, p.Flags, p.Data)
		if err != nil && !p.Optional {
			return fmt.Errorf("mount %s: %s: %w", p.Type, p.Target, err)
		}
	}
	return nil
}

// device is a character device of every node.
type device struct {
	name         string
	major, minor uint32
	mode         uint32
}

var devices = []device{
	{"null", 1, 3, 0o666},
	{"zero", 1, 5, 0o666},
	{"full", 1, 7, 0o666},
	{"random", 1, 8, 0o666},
	{"urandom", 1, 9, 0o666},
	{"kmsg", 1, 11, 0o600},
	{"tty", 5, 0, 0o666},
	{"fuse", 10, 229, 0o666},
}

// Devices makes the device nodes and links of /dev, for nodes without devtmpfs.
func Devices(sys System) error {
	for _, d := range devices {
		path := "/dev/" + d.name
		if err := sys.Mknod(path, unix.S_IFCHR|d.mode, unix.Mkdev(d.major, d.minor)); err != nil {
			return fmt.Errorf("make device: %s: %w", path, err)
		}
	}
	for _, link := range [][2]string{
		{"/proc/self/fd", "/dev/fd"},
		{"/proc/self/fd/0", "/dev/stdin"},
		{"/proc/self/fd/1", "/dev/stdout"},
		{"/proc/self/fd/2", "/dev/stderr"},
		{"pts/ptmx", "/dev/ptmx"},
	} {
		if err := sys.Symlink(link[0], link[1]); err != nil {
			return fmt.Errorf("make link: %s: %w", link[1], err)
		}
	}
	return nil
}

// Share makes all mounts propagate to the mount namespaces that are made from
// this one, which kubelet and CSI drivers need.
func Share(sys System) error {
	if err := sys.Mount("", "/", "", unix.MS_SHARED|unix.MS_REC, ""); err != nil {
		return fmt.Errorf("share mounts: /: %w", err)
	}
	return nil
}

// hostSysctls are kernel-wide settings and what kubelet insists on. A node in
// namespaces must not change the computer's, so it is shown these instead.
var hostSysctls = map[string]string{
	"vm/overcommit_memory":      "1",
	"vm/panic_on_oom":           "0",
	"kernel/panic":              "10",
	"kernel/panic_on_oops":      "1",
	"kernel/keys/root_maxkeys":  "1000000",
	"kernel/keys/root_maxbytes": "25000000",
}

// ShadowSysctls binds private files over the kernel-wide settings that programs
// on a node read and would write, so that the computer's own stay as they are.
func ShadowSysctls(sys System, folder string) error {
	if err := sys.MkdirAll(folder, 0o755); err != nil {
		return fmt.Errorf("make folder: %s: %w", folder, err)
	}
	for name, value := range hostSysctls {
		source := filepath.Join(folder, strings.ReplaceAll(name, "/", "."))
		if err := os.WriteFile(source, []byte(value+"\n"), 0o644); err != nil {
			return fmt.Errorf("write setting: %s: %w", name, err)
		}
		target := "/proc/sys/" + name
		err := sys.Mount(source, target, "", unix.MS_BIND, "")
		// A kernel without the setting needs no shadow.
		if err != nil && !errors.Is(err, unix.ENOENT) {
			return fmt.Errorf("shadow setting: %s: %w", name, err)
		}
	}
	return nil
}

// Overlay mounts a writable layer, kept in store, over a folder of the
// read-only root. store must not lie on an overlay itself.
func Overlay(sys System, target, store string) error {
	upper, work := filepath.Join(store, "upper"), filepath.Join(store, "work")
	for _, folder := range []string{upper, work} {
		if err := sys.MkdirAll(folder, 0o755); err != nil {
			return fmt.Errorf("make overlay: %s: %w", target, err)
		}
	}
	data := fmt.Sprintf("lowerdir=%s,upperdir=%s,workdir=%s", target, upper, work)
	if err := sys.Mount("overlay", target, "overlay", unix.MS_NODEV, data); err != nil {
		return fmt.Errorf("mount overlay: %s: %w", target, err)
	}
	return nil
}
