package assets

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/ichor-os/ichor/bundle/publish"
	"github.com/ichor-os/ichor/osimage/rootfs"
)

// Reproduce builds the assets (or, if quick, a sample of them) a second time
// under conditions that must not matter – empty caches of programs, compiled
// packages, layers and unpacked files; the sources copied to another folder;
// another umask, time zone, time and number of threads; as root also without a
// network – and fails if anything differs. Shared are what checksums pin: the
// module cache and the Debian packages.
func (b *Builder) Reproduce(ctx context.Context, quick bool) (err error) {
	command, build := "assets", b.Build
	if quick {
		command, build = "sample", b.BuildSample
	}
	first, err := build(ctx)
	if err != nil {
		return err
	}
	elsewhere, err := os.MkdirTemp("", "ichor-reproduce-")
	if err != nil {
		return fmt.Errorf("reproduce: %w", err)
	}
	defer func() { err = errors.Join(err, publish.RemoveAll(elsewhere)) }()
	folder, err := b.again(ctx, command, elsewhere)
	if err != nil {
		return fmt.Errorf("reproduce: second build: %w", err)
	}
	second, err := Open(folder)
	if err != nil {
		return fmt.Errorf("reproduce: %w", err)
	}
	if err := errors.Join(first.Verify(), second.Verify()); err != nil {
		return fmt.Errorf("reproduce: %w", err)
	}
	if differences := Differences(first.Manifest, second.Manifest); len(differences) > 0 {
		return fmt.Errorf("reproduce: the second build differs in %d parts:\n%s", len(differences), strings.Join(differences, "\n"))
	}
	return nil
}

// again runs this program from a copy of its sources and returns the folder that
// it made.
func (b *Builder) again(ctx context.Context, command, elsewhere string) (string, error) {
	source := filepath.Join(elsewhere, "another folder", "source")
	cache := filepath.Join(elsewhere, "cache")
	if err := copySource(ctx, b.Source, source); err != nil {
		return "", fmt.Errorf("copy sources: %w", err)
	}
	if err := copyPool(filepath.Join(b.Cache, "debian", "pool"), filepath.Join(cache, "debian", "pool")); err != nil {
		return "", fmt.Errorf("copy packages: %w", err)
	}
	args := []string{"-c", `umask 077; exec "$@"`, "sh", "go", "run", "./cmd/imager", command,
		"--cache", cache, "--programs", filepath.Join(elsewhere, "programs"), "--arch", b.arch()}
	if b.Strict {
		args = append(args, "--locked")
	}
	if b.compression() == rootfs.Small {
		args = append(args, "--release")
	}
	cmd := exec.CommandContext(ctx, "sh", args...)
	cmd.Dir = source
	cmd.Env = append(os.Environ(), "GOCACHE="+filepath.Join(elsewhere, "gocache"), "TMPDIR="+elsewhere,
		"TZ=Pacific/Kiritimati", "LC_ALL=C.UTF-8", fmt.Sprintf("GOMAXPROCS=%d", runtime.GOMAXPROCS(0)+1), "GOFLAGS=-buildvcs=false", "GOPROXY=off")
	// The go command starts compilers and this program; all end together.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
	cmd.WaitDelay = 20 * time.Second
	if os.Geteuid() == 0 {
		// A namespace of its own without any route: what is pinned and cached
		// must be enough.
		cmd.SysProcAttr.Cloneflags = syscall.CLONE_NEWNET
	}
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, os.Stderr
	if err := cmd.Run(); err != nil {
		return "", err
	}
	return strings.TrimSpace(out.String()), nil
}

// copySource copies the files that git knows.
func copySource(ctx context.Context, from, to string) error {
	list, err := exec.CommandContext(ctx, "git", "-C", from, "ls-files", "-z", "--cached", "--others", "--exclude-standard").Output()
	if err != nil {
		return fmt.Errorf("list sources: %w", err)
	}
	for name := range strings.SplitSeq(strings.TrimRight(string(list), "\x00"), "\x00") {
		info, err := os.Lstat(filepath.Join(from, name))
		if errors.Is(err, fs.ErrNotExist) {
			continue // deleted, not yet committed
		}
		if err != nil {
			return err
		}
		if !info.Mode().IsRegular() {
			continue
		}
		if err := copyFile(filepath.Join(from, name), filepath.Join(to, name), info.Mode().Perm()|0o600); err != nil {
			return err
		}
	}
	return nil
}

func copyPool(from, to string) error {
	entries, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if publish.IsTemporary(entry.Name()) {
			continue
		}
		if err := copyFile(filepath.Join(from, entry.Name()), filepath.Join(to, entry.Name()), 0o600); err != nil {
			return err
		}
	}
	return nil
}

func copyFile(from, to string, perm fs.FileMode) error {
	content, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	return os.WriteFile(to, content, perm)
}

// Differences compares two manifests and names each part that differs.
func Differences(first, second Manifest) []string {
	parts := func(m Manifest) map[string]any {
		named := map[string]any{"root file system": m.RootFS, "squashfs": m.Squashfs, "image index": m.Images}
		if m.Images != nil {
			for _, image := range m.Images.Images {
				named["image "+image.Reference] = image
			}
		}
		for _, program := range m.Programs {
			named["program "+program.Name] = program
		}
		for _, p := range m.Debian {
			named[fmt.Sprintf("debian package %s, tool %t", p.Name, p.Tool)] = p
		}
		for _, sbom := range m.SBOMs {
			named["bill of materials of "+sbom.Subject] = sbom
		}
		return named
	}
	one, two := parts(first), parts(second)
	for name := range two {
		if _, ok := one[name]; !ok {
			one[name] = nil
		}
	}
	var differences []string
	for _, name := range slices.Sorted(maps.Keys(one)) {
		a, b := render(one[name]), render(two[name])
		if a != b {
			differences = append(differences, fmt.Sprintf("%s: %s and %s", name, a, b))
		}
	}
	return differences
}

func render(part any) string {
	content, err := json.Marshal(part)
	if err != nil {
		return err.Error()
	}
	return string(content)
}
