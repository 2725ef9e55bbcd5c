package rootfs

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/ichor-os/ichor/osimage/debian"
)

// runtimeFolders are mounted over on a node. Links from /etc may lead into them;
// from a folder of programs they would name programs that nobody checked.
var runtimeFolders = []string{"dev", "proc", "run", "sys", "system", "tmp", "var"}

// checker walks one tree and collects what is wrong with it.
type checker struct {
	root  string
	allow Allow
	// seen holds every program, applet and library that was found.
	seen     map[string]bool
	problems []error
}

// Check walks a tree and returns one error that joins everything that breaks
// the rules: files that can be run or loaded and are not on the list, or are on
// it and missing; scripts; names that are refused everywhere; libraries that do
// not resolve inside the tree; setuid, setgid, file capabilities; files that
// anyone can write; device nodes, sockets and pipes; links out of the tree.
func Check(root string, allow Allow) error {
	c := &checker{root: root, allow: allow, seen: map[string]bool{}}
	err := filepath.WalkDir(root, func(full string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, full)
		if err != nil {
			return err
		}
		if name == "." {
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		return c.visit(filepath.ToSlash(name), full, info)
	})
	if err != nil {
		return fmt.Errorf("check root: %w", err)
	}
	c.missing()
	if len(c.problems) > 0 {
		return fmt.Errorf("check root: %s: %d rules broken:\n%w", root, len(c.problems), errors.Join(c.problems...))
	}
	return nil
}

func (c *checker) report(name, format string, args ...any) {
	c.problems = append(c.problems, fmt.Errorf("/%s: "+format, append([]any{name}, args...)...))
}

func (c *checker) visit(name, full string, info fs.FileInfo) error {
	if slices.Contains(refusedNames, path.Base(name)) {
		c.report(name, "a shell, an interpreter or a program that starts others")
	}
	mode := info.Mode()
	if mode&(fs.ModeSetuid|fs.ModeSetgid) != 0 {
		c.report(name, "setuid or setgid")
	}
	switch {
	case mode&fs.ModeSymlink != 0:
		return c.link(name, full)
	case mode.IsDir():
		if mode.Perm()&0o002 != 0 && mode&fs.ModeSticky == 0 {
			c.report(name, "folder that anyone can write")
		}
		return nil
	case mode.IsRegular():
		if mode.Perm()&0o002 != 0 {
			c.report(name, "file that anyone can write")
		}
		return c.regular(name, full, mode)
	}
	c.report(name, "is a %s; only files, folders and links belong here", mode.Type())
	return nil
}

// link checks where a symbolic link leads and, if that is a program, that it is
// a known applet.
func (c *checker) link(name, full string) error {
	target, err := os.Readlink(full)
	if err != nil {
		return err
	}
	led := target
	if !path.IsAbs(led) {
		led = path.Join(path.Dir("/"+name), target)
		if escapes(path.Dir(name), target) {
			c.report(name, "link leads out of the tree: %s", target)
			return nil
		}
	}
	inside := strings.TrimPrefix(path.Clean(led), "/")
	if first, _, _ := strings.Cut(inside, "/"); slices.Contains(runtimeFolders, first) {
		if !strings.HasPrefix(name, "etc/") {
			c.report(name, "link leads to what only a running node has: %s", target)
		}
		return nil
	}
	info, err := os.Stat(filepath.Join(c.root, filepath.FromSlash(inside)))
	if err != nil {
		c.report(name, "link leads to nothing in the tree: %s", target)
		return nil
	}
	if !info.Mode().IsRegular() || info.Mode().Perm()&0o111 == 0 {
		return nil
	}
	if c.allow.Applets[name] != target {
		c.report(name, "applet that is not on the list: %s", target)
		return nil
	}
	c.seen[name] = true
	return nil
}

// escapes tells whether following a relative link from a folder climbs above the
// root at any point.
func escapes(folder, target string) bool {
	depth := 0
	if folder != "." {
		depth = strings.Count(folder, "/") + 1
	}
	for part := range strings.SplitSeq(target, "/") {
		switch part {
		case "", ".":
		case "..":
			if depth--; depth < 0 {
				return true
			}
		default:
			depth++
		}
	}
	return false
}

func (c *checker) regular(name, full string, mode fs.FileMode) error {
	if size, err := unix.Lgetxattr(full, "security.capability", nil); err == nil && size > 0 {
		c.report(name, "file capabilities")
	}
	start, err := readStart(full)
	if err != nil {
		return err
	}
	if bytes.HasPrefix(start, []byte("#!")) {
		c.report(name, "script")
		return nil
	}
	isELF := bytes.HasPrefix(start, []byte("\x7fELF"))
	executable := mode.Perm()&0o111 != 0
	if !isELF && !executable {
		return nil
	}
	listed := slices.Contains(c.allow.Libraries, name)
	if slices.Contains(c.allow.Programs, name) {
		listed = executable
	}
	switch {
	case !isELF:
		c.report(name, "executable that is no ELF program")
		return nil
	case !listed:
		c.report(name, "program or library that is not on the list")
	}
	c.seen[name] = true
	c.libraries(name, full)
	return nil
}

// libraries checks that everything an ELF file loads is in the tree.
func (c *checker) libraries(name, full string) {
	loads, err := debian.ReadLoads(full)
	if err != nil {
		c.report(name, "%v", err)
		return
	}
	if len(loads.SearchPath) > 0 {
		c.report(name, "has a library search path of its own: %s", strings.Join(loads.SearchPath, ":"))
	}
	if loads.Interpreter != "" {
		if _, err := os.Stat(filepath.Join(c.root, loads.Interpreter)); err != nil {
			c.report(name, "its loader %s is not in the tree", loads.Interpreter)
		}
	}
	for _, library := range loads.Libraries {
		if debian.IsLoader(library) {
			continue
		}
		found := slices.ContainsFunc(c.allow.Libraries, func(listed string) bool {
			if path.Base(listed) != library {
				return false
			}
			_, err := os.Stat(filepath.Join(c.root, filepath.FromSlash(listed)))
			return err == nil
		})
		if !found {
			c.report(name, "loads %s, which is not in the tree", library)
		}
	}
}

// missing reports what is on the list and was not found.
func (c *checker) missing() {
	wanted := slices.Concat(c.allow.Programs, c.allow.Libraries, slices.Sorted(maps.Keys(c.allow.Applets)))
	for _, name := range wanted {
		if !c.seen[name] {
			c.report(name, "is on the list and not in the tree")
		}
	}
}

func readStart(full string) ([]byte, error) {
	f, err := os.Open(full)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	start := make([]byte, 4)
	n, err := io.ReadFull(f, start)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, err
	}
	return start[:n], nil
}
