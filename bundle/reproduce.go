package bundle

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Reproduce builds a program a second time under conditions that must not
// matter (an empty build cache, a copy of the module in another folder, another
// umask, time zone and number of threads) and fails if the two differ. The
// second build shares the module cache, whose content go.sum pins, and nothing
// else.
func (b *Builder) Reproduce(ctx context.Context, name string) error {
	first, err := b.Build(ctx, name)
	if err != nil {
		return err
	}
	programs, err := b.resolve([]string{name})
	if err != nil {
		return err
	}
	sum, err := b.rebuild(ctx, programs[0])
	if err != nil {
		return fmt.Errorf("reproduce program: %s: %w", name, err)
	}
	if sum != first.SHA256 {
		return fmt.Errorf("reproduce program: %s: second build has SHA-256 %s, first has %s", name, sum, first.SHA256)
	}
	return nil
}

// rebuild compiles a program from nothing and returns the hash of the result.
func (b *Builder) rebuild(ctx context.Context, p Program) (string, error) {
	elsewhere, err := os.MkdirTemp("", "ichor-reproduce-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(elsewhere)
	module := filepath.Join(elsewhere, "a folder", "module")
	if err := copyModule(b.dir(p), module); err != nil {
		return "", fmt.Errorf("copy module: %w", err)
	}
	out := filepath.Join(elsewhere, "out")
	err = b.compile(ctx, p, compilation{
		moduleDir: module,
		out:       out,
		env: []string{
			"GOCACHE=" + filepath.Join(elsewhere, "cache"), "TMPDIR=" + elsewhere,
			"TZ=Pacific/Kiritimati", "LC_ALL=C.UTF-8", "GOMAXPROCS=1",
		},
		prefix: []string{"sh", "-c", `umask 077; exec "$@"`, "sh"},
	})
	if err != nil {
		return "", err
	}
	return hashFile(out)
}

// copyModule copies a module's files, without hidden ones and without folders
// that are modules of their own.
func copyModule(from, to string) error {
	return filepath.WalkDir(from, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		target := filepath.Join(to, relative)
		hidden := path != from && strings.HasPrefix(entry.Name(), ".")
		switch {
		case entry.IsDir() && (hidden || path != from && exists(filepath.Join(path, "go.mod"))):
			return filepath.SkipDir
		case entry.IsDir():
			return os.MkdirAll(target, 0o700)
		case hidden || !entry.Type().IsRegular():
			return nil
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(target, content, 0o600)
	})
}
