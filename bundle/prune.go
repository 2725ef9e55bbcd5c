package bundle

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

const (
	// unusedAge is how long a build stays in the cache that nothing asks for,
	// once there is a newer one of the same program.
	unusedAge = 48 * time.Hour
	// touchAge is how often the use of a build is noted.
	touchAge = time.Hour
)

// touch notes that a build is in use: the time of its entry says when it was
// asked for last.
func (s store) touch(key string, now time.Time) {
	path := filepath.Join(s.path(key), entryFile)
	if info, err := os.Stat(path); err == nil && now.Sub(info.ModTime()) > touchAge {
		// A cache that cannot be written can still be read.
		_ = os.Chtimes(path, now, now)
	}
}

// prune removes builds of the artifact's program and architecture that have not
// been asked for in unusedAge, and what aborted builds left at that time. Work
// on the sources of this repository makes a new key every few minutes, and the
// cache would fill the disk.
func (s store) prune(newest Artifact, now time.Time) error {
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return fmt.Errorf("prune cache: %w", err)
	}
	for _, dir := range entries {
		key, aborted := strings.CutSuffix(dir.Name(), ".partial")
		info, err := os.Stat(filepath.Join(s.dir, dir.Name(), entryFile))
		if aborted {
			info, err = dir.Info()
		}
		if err != nil || key == newest.Key || now.Sub(info.ModTime()) < unusedAge {
			continue // in use, gone by now, or not a build
		}
		if !aborted && !s.isOf(key, newest) {
			continue
		}
		if err := s.remove(key); err != nil {
			return fmt.Errorf("prune cache: %w", err)
		}
	}
	return nil
}

// isOf reports whether a build is of the same program and architecture.
func (s store) isOf(key string, other Artifact) bool {
	content, err := os.ReadFile(filepath.Join(s.path(key), entryFile))
	if err != nil {
		return false
	}
	var e entry
	return json.Unmarshal(content, &e) == nil && e.Name == other.Name && e.Arch == other.Arch
}

// remove takes a build and its leftovers out of the cache, unless a builder
// works on them. A removal that is cut off leaves a leftover.
func (s store) remove(key string) error {
	file, err := s.openLock(key)
	if err != nil {
		return err
	}
	defer file.Close()
	if syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) != nil {
		return nil
	}
	leftover := s.path(key) + ".partial"
	if err := os.RemoveAll(leftover); err != nil {
		return err
	}
	if err := os.Rename(s.path(key), leftover); err != nil && !os.IsNotExist(err) {
		return err
	}
	return os.RemoveAll(leftover)
}
