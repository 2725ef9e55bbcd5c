// Package cgroup gives each service of a node a control group of its own.
//
// A Tree is the node's view of the cgroup file system, version 1 (a folder per
// controller) or version 2 (one folder). Services live in /system/<name>,
// machined itself in /init, and kubelet makes /kubepods. Limits are set where
// the kernel offers the controller; a missing one is reported, not hidden.
package cgroup

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// Controllers are those that a node uses, by their version 1 names.
var Controllers = []string{"cpu", "cpuacct", "cpuset", "memory", "devices", "freezer", "blkio", "pids", "systemd"}

// Mounter is the part of the kernel that Mount needs.
type Mounter interface {
	Mount(source, target, fstype string, flags uintptr, data string) error
	MkdirAll(path string, mode os.FileMode) error
	Symlink(target, path string) error
}

// Hierarchy is a line of /proc/self/cgroup: its controllers (none for version
// 2) and the path of the process in it.
type Hierarchy struct {
	Controllers []string
	Path        string
}

// ParseSelf reads the text of /proc/<pid>/cgroup.
func ParseSelf(text string) ([]Hierarchy, error) {
	var list []Hierarchy
	for line := range strings.Lines(text) {
		parts := strings.SplitN(strings.TrimRight(line, "\n"), ":", 3)
		if len(parts) != 3 {
			return nil, fmt.Errorf("parse cgroups: %q: want three fields", line)
		}
		h := Hierarchy{Path: parts[2]}
		if parts[1] != "" {
			h.Controllers = strings.Split(parts[1], ",")
		}
		list = append(list, h)
	}
	return list, nil
}

// Mount mounts the hierarchies that a process with the given /proc/self/cgroup
// is in at root (/sys/fs/cgroup): version 1 where any of Controllers has a
// hierarchy of its own, else version 2.
func Mount(sys Mounter, root, self string) (*Tree, error) {
	hierarchies, err := ParseSelf(self)
	if err != nil {
		return nil, err
	}
	const flags = unix.MS_NOSUID | unix.MS_NODEV | unix.MS_NOEXEC
	tree := &Tree{Root: root}
	for _, h := range hierarchies {
		if len(wanted(h.Controllers)) == 0 {
			continue
		}
		if len(tree.folders) == 0 {
			if err := sys.Mount("tmpfs", root, "tmpfs", flags, "mode=0755,size=1m"); err != nil {
				return nil, fmt.Errorf("mount cgroups: %s: %w", root, err)
			}
		}
		name := strings.TrimPrefix(strings.Join(h.Controllers, ","), "name=")
		data := strings.Join(h.Controllers, ",")
		if strings.HasPrefix(data, "name=") {
			data = "none," + data
		}
		folder := filepath.Join(root, name)
		if err := sys.MkdirAll(folder, 0o755); err != nil {
			return nil, fmt.Errorf("mount cgroups: %s: %w", folder, err)
		}
		if err := sys.Mount("cgroup", folder, "cgroup", flags, data); err != nil {
			return nil, fmt.Errorf("mount cgroups: %s: %w", folder, err)
		}
		if len(h.Controllers) > 1 {
			for _, controller := range h.Controllers {
				if err := sys.Symlink(name, filepath.Join(root, controller)); err != nil {
					return nil, fmt.Errorf("mount cgroups: %s: %w", controller, err)
				}
			}
		}
		tree.folders = append(tree.folders, folder)
	}
	if len(tree.folders) > 0 {
		return tree, nil
	}
	tree.unified = true
	if err := sys.Mount("cgroup2", root, "cgroup2", flags, "nsdelegate,memory_recursiveprot"); err != nil {
		if err := sys.Mount("cgroup2", root, "cgroup2", flags, ""); err != nil {
			return nil, fmt.Errorf("mount cgroups: %s: %w", root, err)
		}
	}
	return tree, nil
}

func wanted(controllers []string) []string {
	var found []string
	for _, c := range controllers {
		if slices.Contains(Controllers, strings.TrimPrefix(c, "name=")) {
			found = append(found, c)
		}
	}
	return found
}

// Tree is the mounted cgroup file system of a node.
type Tree struct {
	// Root is where it is mounted.
	Root    string
	unified bool
	folders []string
}

// Unified reports whether the tree is version 2.
func (t *Tree) Unified() bool { return t.unified }

// Init moves the calling process into /init and, in version 2, hands every
// controller down to the root's and /system's children.
func (t *Tree) Init() error {
	place, err := t.Make("init")
	if err != nil {
		return err
	}
	defer place.Close()
	for _, procs := range place.procs {
		if err := os.WriteFile(procs, []byte(strconv.Itoa(os.Getpid())), 0); err != nil {
			return fmt.Errorf("join cgroup: %s: %w", procs, err)
		}
	}
	if !t.unified {
		return nil
	}
	if err := os.MkdirAll(filepath.Join(t.Root, "system"), 0o755); err != nil {
		return fmt.Errorf("make cgroup: system: %w", err)
	}
	available, err := os.ReadFile(filepath.Join(t.Root, "cgroup.controllers"))
	if err != nil {
		return fmt.Errorf("read controllers: %w", err)
	}
	for _, folder := range []string{t.Root, filepath.Join(t.Root, "system")} {
		for _, controller := range strings.Fields(string(available)) {
			control := filepath.Join(folder, "cgroup.subtree_control")
			if err := os.WriteFile(control, []byte("+"+controller), 0); err != nil {
				return fmt.Errorf("hand down controller: %s: %w", controller, err)
			}
		}
	}
	return nil
}

// Place is a control group to start a process in.
type Place struct {
	// FD is the open folder in version 2, else nil.
	FD *os.File
	// Procs are the cgroup.procs files to join in version 1, else empty.
	Procs []string
	procs []string
}

// Close gives back FD.
func (p *Place) Close() {
	if p.FD != nil {
		p.FD.Close()
	}
}

// Make makes the group with the given path below the root, "system/apid", say.
func (t *Tree) Make(path string) (*Place, error) {
	place := &Place{}
	for _, base := range t.bases() {
		folder := filepath.Join(base, path)
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return nil, fmt.Errorf("make cgroup: %s: %w", folder, err)
		}
		if !t.unified {
			if err := inheritCPUs(base, path); err != nil {
				return nil, err
			}
		}
		place.procs = append(place.procs, filepath.Join(folder, "cgroup.procs"))
	}
	if !t.unified {
		place.Procs = place.procs
		return place, nil
	}
	fd, err := os.Open(filepath.Join(t.Root, path))
	if err != nil {
		return nil, fmt.Errorf("open cgroup: %s: %w", path, err)
	}
	place.FD = fd
	return place, nil
}

func (t *Tree) bases() []string {
	if t.unified {
		return []string{t.Root}
	}
	return t.folders
}

// inheritCPUs fills the cpuset of each group on the way down, which version 1
// leaves empty (and then refuses processes).
func inheritCPUs(base, path string) error {
	for _, name := range []string{"cpuset.cpus", "cpuset.mems"} {
		value, err := os.ReadFile(filepath.Join(base, name))
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read cpuset: %s: %w", base, err)
		}
		folder := base
		for part := range strings.SplitSeq(path, "/") {
			folder = filepath.Join(folder, part)
			file := filepath.Join(folder, name)
			have, err := os.ReadFile(file)
			if err != nil {
				return fmt.Errorf("read cpuset: %s: %w", folder, err)
			}
			if len(bytes.TrimSpace(have)) > 0 {
				continue
			}
			if err := os.WriteFile(file, bytes.TrimSpace(value), 0); err != nil {
				return fmt.Errorf("fill cpuset: %s: %w", folder, err)
			}
		}
	}
	return nil
}

// LimitMemory bounds the memory of the group, in bytes.
func (t *Tree) LimitMemory(path string, bytes uint64) error {
	file := filepath.Join(t.Root, "memory", path, "memory.limit_in_bytes")
	if t.unified {
		file = filepath.Join(t.Root, path, "memory.max")
	}
	if err := os.WriteFile(file, []byte(strconv.FormatUint(bytes, 10)), 0); err != nil {
		return fmt.Errorf("limit memory: %s: %w", path, err)
	}
	return nil
}

// Processes lists the processes in the group itself.
func (t *Tree) Processes(path string) ([]int, error) {
	var pids []int
	for _, base := range t.bases() {
		text, err := os.ReadFile(filepath.Join(base, path, "cgroup.procs"))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("read cgroup: %s: %w", path, err)
		}
		for field := range strings.FieldsSeq(string(text)) {
			pid, err := strconv.Atoi(field)
			if err != nil {
				return nil, fmt.Errorf("read cgroup: %s: %w", path, err)
			}
			if pid > 0 && !slices.Contains(pids, pid) {
				pids = append(pids, pid)
			}
		}
	}
	return pids, nil
}

// ProcessesBelow lists the processes in the group and in all below it.
func (t *Tree) ProcessesBelow(path string) ([]int, error) {
	var pids []int
	for _, base := range t.bases() {
		err := filepath.WalkDir(filepath.Join(base, path), func(folder string, entry fs.DirEntry, err error) error {
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			if err != nil || !entry.IsDir() {
				return err
			}
			relative, err := filepath.Rel(base, folder)
			if err != nil {
				return err
			}
			more, err := t.Processes(relative)
			for _, pid := range more {
				if !slices.Contains(pids, pid) {
					pids = append(pids, pid)
				}
			}
			return err
		})
		if err != nil {
			return nil, fmt.Errorf("list cgroup: %s: %w", path, err)
		}
	}
	return pids, nil
}

// Kill sends SIGKILL to every process of the group, so that nothing a service
// forked outlives it.
func (t *Tree) Kill(path string) error {
	pids, err := t.Processes(path)
	if err != nil {
		return err
	}
	for _, pid := range pids {
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
			return fmt.Errorf("kill process: %d: %w", pid, err)
		}
	}
	return nil
}
