package namespaces

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
	"time"
)

// groupRoot is the folder in each hierarchy below which all clusters live.
const groupRoot = "ichor"

// controllers of version 1 that a node gets, where the computer mounts them.
var controllers = []string{"cpu", "cpuacct", "cpuset", "memory", "devices", "freezer", "blkio", "pids", "systemd"}

// groups are the computer's cgroup hierarchies that hold nodes.
type groups struct {
	bases   []string
	unified bool
}

// hostGroups finds the hierarchies below root (/sys/fs/cgroup): those of version
// 1, or the one of version 2 where it has controllers.
func hostGroups(root string) (groups, error) {
	if _, err := os.Stat(filepath.Join(root, "cgroup.controllers")); err == nil {
		return groups{bases: []string{root}, unified: true}, nil
	}
	var found groups
	for _, controller := range controllers {
		folder, err := filepath.EvalSymlinks(filepath.Join(root, controller))
		if err != nil || slices.Contains(found.bases, folder) {
			continue
		}
		if _, err := os.Stat(filepath.Join(folder, "cgroup.procs")); err == nil {
			found.bases = append(found.bases, folder)
		}
	}
	if len(found.bases) == 0 {
		return groups{}, fmt.Errorf("find cgroups: %s: no hierarchy is mounted", root)
	}
	return found, nil
}

// make makes the group at path (below groupRoot) in every hierarchy.
func (g groups) make(path string) error {
	for _, base := range g.bases {
		folder := base
		for part := range strings.SplitSeq(filepath.Join(groupRoot, path), "/") {
			parent := folder
			folder = filepath.Join(folder, part)
			if err := os.Mkdir(folder, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
				return fmt.Errorf("make cgroup: %w", err)
			}
			if err := g.inherit(parent, folder); err != nil {
				return err
			}
		}
	}
	return nil
}

// inherit copies the cpuset down (version 1 leaves it empty and then refuses
// processes), or hands the controllers down (version 2).
func (g groups) inherit(parent, folder string) error {
	if g.unified {
		available, err := os.ReadFile(filepath.Join(parent, "cgroup.controllers"))
		if err != nil {
			return fmt.Errorf("read controllers: %w", err)
		}
		for _, controller := range strings.Fields(string(available)) {
			// What a parent cannot hand down, its child does without.
			_ = os.WriteFile(filepath.Join(parent, "cgroup.subtree_control"), []byte("+"+controller), 0)
		}
		return nil
	}
	for _, name := range []string{"cpuset.cpus", "cpuset.mems"} {
		value, err := os.ReadFile(filepath.Join(parent, name))
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read cpuset: %w", err)
		}
		have, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			return fmt.Errorf("read cpuset: %w", err)
		}
		if len(bytes.TrimSpace(have)) > 0 {
			continue
		}
		if err := os.WriteFile(filepath.Join(folder, name), bytes.TrimSpace(value), 0); err != nil {
			return fmt.Errorf("fill cpuset: %w", err)
		}
	}
	return nil
}

// join moves a process into the group.
func (g groups) join(path string, pid int) error {
	for _, base := range g.bases {
		procs := filepath.Join(base, groupRoot, path, "cgroup.procs")
		if err := os.WriteFile(procs, []byte(strconv.Itoa(pid)), 0); err != nil {
			return fmt.Errorf("join cgroup: %d: %w", pid, err)
		}
	}
	return nil
}

// limit bounds memory (bytes) and processors; 0 leaves either alone.
func (g groups) limit(path string, memory uint64, cpus float64) error {
	write := func(controller, v1File, v1Value, v2File, v2Value string) error {
		file, value := filepath.Join(g.base(controller), groupRoot, path, v1File), v1Value
		if g.unified {
			file, value = filepath.Join(g.bases[0], groupRoot, path, v2File), v2Value
		}
		if err := os.WriteFile(file, []byte(value), 0); err != nil {
			return fmt.Errorf("limit %s: %w", controller, err)
		}
		return nil
	}
	if memory > 0 {
		value := strconv.FormatUint(memory, 10)
		if err := write("memory", "memory.limit_in_bytes", value, "memory.max", value); err != nil {
			return err
		}
	}
	if cpus > 0 {
		quota := strconv.Itoa(int(cpus * 100000))
		if err := write("cpu", "cpu.cfs_quota_us", quota, "cpu.max", quota+" 100000"); err != nil {
			return err
		}
	}
	return nil
}

// base is the version 1 hierarchy with the controller.
func (g groups) base(controller string) string {
	for _, base := range g.bases {
		if slices.Contains(strings.Split(filepath.Base(base), ","), controller) {
			return base
		}
	}
	return "/nonexistent"
}

// walk calls fn for the group at path and all below it in each hierarchy,
// children first. Groups that vanish meanwhile are passed over.
func (g groups) walk(path string, fn func(folder string) error) error {
	for _, base := range g.bases {
		var folders []string
		err := filepath.WalkDir(filepath.Join(base, groupRoot, path), func(name string, entry fs.DirEntry, err error) error {
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			if err != nil {
				return err
			}
			if entry.IsDir() {
				folders = append(folders, name)
			}
			return nil
		})
		if err != nil {
			return fmt.Errorf("list cgroups: %w", err)
		}
		for _, folder := range slices.Backward(folders) {
			if err := fn(folder); err != nil {
				return err
			}
		}
	}
	return nil
}

// processes lists the processes in the group at path and below.
func (g groups) processes(path string) ([]int, error) {
	var pids []int
	err := g.walk(path, func(folder string) error {
		text, err := os.ReadFile(filepath.Join(folder, "cgroup.procs"))
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENODEV) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read cgroup: %w", err)
		}
		for field := range strings.FieldsSeq(string(text)) {
			pid, err := strconv.Atoi(field)
			if err == nil && pid > 0 && !slices.Contains(pids, pid) {
				pids = append(pids, pid)
			}
		}
		return nil
	})
	return pids, err
}

// remove kills every process in the group and below, and removes the groups.
// It repeats both until nothing is left or the deadline passes.
func (g groups) remove(path string, within time.Duration) error {
	deadline := time.Now().Add(within)
	for {
		pids, err := g.processes(path)
		if err != nil {
			return err
		}
		for _, pid := range pids {
			if pid == os.Getpid() {
				continue
			}
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
		var left error
		err = g.walk(path, func(folder string) error {
			if err := os.Remove(folder); err != nil && !errors.Is(err, fs.ErrNotExist) {
				left = err
			}
			return nil
		})
		if err != nil {
			return err
		}
		if left == nil {
			// The common folder goes with the last cluster.
			for _, base := range g.bases {
				_ = os.Remove(filepath.Join(base, groupRoot))
			}
			return nil
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("remove cgroups: %s: %d processes: %w", path, len(pids), left)
		}
		time.Sleep(20 * time.Millisecond)
	}
}
