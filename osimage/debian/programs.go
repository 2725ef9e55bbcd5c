package debian

import (
	"context"
	"debug/elf"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/ichor-os/ichor/bundle/filetree"
)

// multiarch is Debian's name of the folder for an architecture's libraries.
var multiarch = map[string]string{"amd64": "x86_64-linux-gnu", "arm64": "aarch64-linux-gnu"}

// AddPrograms adds programs of a Debian tree (by their base names, found in
// /usr/bin and /usr/sbin) to /usr/bin of a file tree, with exactly the
// libraries that they and their libraries load, and returns the packages that
// all of it is from. Scripts are refused.
func (t Tree) AddPrograms(target *filetree.Tree, names ...string) (packages []string, err error) {
	pending := make([]string, 0, len(names))
	var taken []string
	for _, name := range names {
		source, err := t.find(name, "usr/bin", "usr/sbin")
		if err != nil {
			return nil, fmt.Errorf("take debian program: %w", err)
		}
		target.Copy("usr/bin/"+name, 0o755, source, "")
		pending = append(pending, source)
	}
	for len(pending) > 0 {
		source := pending[0]
		pending, taken = pending[1:], append(taken, source)
		added, err := t.addLibraries(target, source)
		if err != nil {
			return nil, fmt.Errorf("take debian program: %w", err)
		}
		pending = append(pending, added...)
	}
	packages, err = t.packagesOf(taken)
	if err != nil {
		return nil, err
	}
	return packages, target.Err()
}

// packagesOf returns the packages that files of the tree are from, sorted.
func (t Tree) packagesOf(files []string) ([]string, error) {
	owners, err := t.owners()
	if err != nil {
		return nil, err
	}
	var packages []string
	for _, file := range files {
		name, err := filepath.Rel(t.Folder, file)
		if err != nil {
			return nil, fmt.Errorf("find package: %w", err)
		}
		owner, ok := owners[filepath.ToSlash(name)]
		if !ok {
			return nil, fmt.Errorf("find package: %s is from none", name)
		}
		packages = append(packages, owner)
	}
	slices.Sort(packages)
	return slices.Compact(packages), nil
}

// addLibraries adds what one ELF file loads and returns the sources of what was
// new.
func (t Tree) addLibraries(target *filetree.Tree, source string) ([]string, error) {
	loads, err := ReadLoads(source)
	if err != nil {
		return nil, err
	}
	wanted := map[string]string{} // path in the target → source
	for _, library := range loads.Libraries {
		if IsLoader(library) {
			continue // it is in memory already, as what started the program
		}
		found, err := t.find(library, "usr/lib/"+multiarch[t.Arch], "usr/lib")
		if err != nil {
			return nil, fmt.Errorf("%s loads %w", filepath.Base(source), err)
		}
		wanted["usr/lib/"+multiarch[t.Arch]+"/"+library] = found
	}
	if loads.Interpreter != "" {
		merged, _ := mergedPath(loads.Interpreter)
		found, err := t.find(path.Base(merged), path.Dir(merged), "usr/lib/"+multiarch[t.Arch])
		if err != nil {
			return nil, fmt.Errorf("%s is started by %w", filepath.Base(source), err)
		}
		wanted[merged] = found
	}
	var added []string
	for name, found := range wanted {
		if target.Has(name) {
			continue
		}
		perm := fs.FileMode(0o644)
		if IsLoader(path.Base(name)) {
			perm = 0o755
		}
		target.Copy(name, perm, found, "")
		added = append(added, found)
	}
	slices.Sort(added)
	return added, nil
}

// IsLoader tells whether a library's name is that of the dynamic loader, which
// libc names among what it loads.
func IsLoader(name string) bool { return strings.HasPrefix(name, "ld-linux-") }

// find returns the path of the real file of that name in the first folder that
// has it, with links followed inside the tree only.
func (t Tree) find(name string, folders ...string) (string, error) {
	for _, folder := range folders {
		found, err := t.resolve(folder+"/"+name, 0)
		if err == nil {
			return found, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
	}
	return "", fmt.Errorf("%s: in no package of the lock: %w", name, fs.ErrNotExist)
}

func (t Tree) resolve(name string, depth int) (string, error) {
	if depth > 10 {
		return "", fmt.Errorf("%s: too many links", name)
	}
	full := filepath.Join(t.Folder, filepath.FromSlash(name))
	info, err := os.Lstat(full)
	if err != nil {
		return "", err
	}
	if info.Mode()&fs.ModeSymlink == 0 {
		return full, nil
	}
	link, err := os.Readlink(full)
	if err != nil {
		return "", err
	}
	if !path.IsAbs(link) {
		link = path.Join(path.Dir(name), link)
	}
	merged, ok := mergedPath(path.Clean("/" + link))
	if !ok {
		return "", fmt.Errorf("%s: link leads outside", name)
	}
	return t.resolve(merged, depth+1)
}

// Read returns the content of a file of the tree.
func (t Tree) Read(name string) ([]byte, error) {
	found, err := t.resolve(name, 0)
	if err != nil {
		return nil, fmt.Errorf("read debian file: %w", err)
	}
	return os.ReadFile(found)
}

// Certificates joins Mozilla's certificate authorities, in the order of their
// file names, as update-ca-certificates would.
func (t Tree) Certificates() ([]byte, error) {
	const folder = "usr/share/ca-certificates/mozilla"
	entries, err := os.ReadDir(filepath.Join(t.Folder, folder))
	if err != nil {
		return nil, fmt.Errorf("read certificate authorities: %w", err)
	}
	var joined []byte
	for _, entry := range entries {
		content, err := t.Read(folder + "/" + entry.Name())
		if err != nil {
			return nil, err
		}
		joined = append(joined, content...)
		if len(content) > 0 && content[len(content)-1] != '\n' {
			joined = append(joined, '\n')
		}
	}
	return joined, nil
}

// Command runs a program of the tree with the tree's own loader and libraries,
// so that what the host has installed makes no difference. The tree must be for
// the host's architecture.
func (t Tree) Command(ctx context.Context, name string, args ...string) (*exec.Cmd, error) {
	program, err := t.find(name, "usr/bin", "usr/sbin")
	if err != nil {
		return nil, fmt.Errorf("run debian program: %w", err)
	}
	loads, err := ReadLoads(program)
	if err != nil {
		return nil, fmt.Errorf("run debian program: %w", err)
	}
	loader, err := t.find(path.Base(loads.Interpreter), "usr/lib/"+multiarch[t.Arch])
	if err != nil {
		return nil, fmt.Errorf("run debian program: %s: %w", name, err)
	}
	libraries := filepath.Join(t.Folder, "usr/lib", multiarch[t.Arch])
	cmd := exec.CommandContext(ctx, loader, append([]string{"--inhibit-cache", "--library-path", libraries, program}, args...)...)
	cmd.Env = []string{"LC_ALL=C", "TZ=UTC"}
	// Nobody waits for it any more once this process is gone.
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	return cmd, nil
}

// Loads is what an ELF file needs in order to start.
type Loads struct {
	// Interpreter is the absolute path of the loader; empty for libraries and
	// static programs.
	Interpreter string
	Libraries   []string
	// SearchPath is set if the file brings a search path of its own.
	SearchPath []string
}

// ReadLoads reads an ELF file's headers. A file that is no ELF file is an error.
func ReadLoads(name string) (Loads, error) {
	f, err := elf.Open(name)
	if err != nil {
		return Loads{}, fmt.Errorf("read program: %s: %w", name, err)
	}
	defer f.Close()
	var loads Loads
	for _, segment := range f.Progs {
		if segment.Type != elf.PT_INTERP {
			continue
		}
		content := make([]byte, segment.Filesz)
		if _, err := segment.ReadAt(content, 0); err != nil {
			return Loads{}, fmt.Errorf("read program: %s: loader: %w", name, err)
		}
		loads.Interpreter = strings.TrimRight(string(content), "\x00")
	}
	if f.SectionByType(elf.SHT_DYNAMIC) == nil {
		return loads, nil
	}
	if loads.Libraries, err = f.ImportedLibraries(); err != nil {
		return Loads{}, fmt.Errorf("read program: %s: libraries: %w", name, err)
	}
	for _, tag := range []elf.DynTag{elf.DT_RPATH, elf.DT_RUNPATH} {
		found, err := f.DynString(tag)
		if err != nil {
			return Loads{}, fmt.Errorf("read program: %s: search path: %w", name, err)
		}
		loads.SearchPath = append(loads.SearchPath, found...)
	}
	return loads, nil
}
