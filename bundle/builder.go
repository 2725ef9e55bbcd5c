package bundle

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
)

// Artifact is a built program in the cache.
type Artifact struct {
	Name    string `json:"name"`    // Program.Name
	Path    string `json:"-"`       // the executable, absolute
	SHA256  string `json:"sha256"`  // of the executable, lower-case hex
	Key     string `json:"key"`     // of the inputs, lower-case hex
	Module  string `json:"module"`  // Program.Module
	Version string `json:"version"` // Program.Version
	Arch    string `json:"arch"`    // GOARCH
	Size    int64  `json:"size"`    // bytes
}

// Builder compiles programs and keeps them. Its zero value builds nothing: Root
// must be set. A Builder may be used from several goroutines, and several
// Builders, in several processes, may share one Cache.
type Builder struct {
	// Root is the repository's root folder.
	Root string
	// Cache is where built programs are kept, a folder per key. Empty means
	// ichor/programs in the user's cache folder.
	Cache string
	// Arch is the GOARCH to build for. Empty means that of this machine.
	Arch string
	// Programs is the table to build from. Nil means [Programs].
	Programs []Program
	// Log receives what is built and how long it took. Nil means slog.Default.
	Log *slog.Logger
	// Go is the go command. Empty means go on PATH.
	Go string

	toolchainLock sync.Mutex
	toolchain     toolchain // zero until it was asked for
}

// Build returns the program of that name, a name of the table or of a folder in
// cmd, from the cache or by building it.
func (b *Builder) Build(ctx context.Context, name string) (Artifact, error) {
	artifacts, err := b.BuildAll(ctx, name)
	if err != nil {
		return Artifact{}, err
	}
	return artifacts[0], nil
}

// BuildAll is Build for several programs; no names mean the whole table. What is
// not in the cache is built one after the other, because go build alone keeps
// all processors busy. The first failure ends it; what was built until then
// stays in the cache. The artifacts are in the order of the names.
func (b *Builder) BuildAll(ctx context.Context, names ...string) ([]Artifact, error) {
	programs, err := b.resolve(names)
	if err != nil {
		return nil, err
	}
	keys, err := b.keys(ctx, programs)
	if err != nil {
		return nil, err
	}
	artifacts, err := b.cached(ctx, programs, keys)
	if err != nil {
		return nil, err
	}
	for i, p := range programs {
		if artifacts[i].Path != "" {
			continue
		}
		if artifacts[i], err = b.build(ctx, p, keys[i]); err != nil {
			return nil, fmt.Errorf("build program: %s: %w", p.Name, err)
		}
	}
	return artifacts, nil
}

// resolve turns names into programs, and no names into the whole table without
// the programs that cannot be built for the architecture.
func (b *Builder) resolve(names []string) ([]Program, error) {
	table := b.Programs
	if table == nil {
		table = Programs()
	}
	var programs []Program
	if len(names) == 0 {
		for _, p := range table {
			if b.supports(p) {
				programs = append(programs, p)
			}
		}
		return programs, nil
	}
	for _, name := range names {
		p, ok := find(table, name)
		if !ok {
			if p, ok = ownMain(b.Root, name); !ok {
				return nil, fmt.Errorf("build program: %s: neither in the table of programs nor a folder of cmd", name)
			}
		}
		if !b.supports(p) {
			return nil, fmt.Errorf("build program: %s for %s: %s", name, b.arch(), p.NotARM64)
		}
		programs = append(programs, p)
	}
	return programs, nil
}

// supports reports whether the program can be built for the architecture on
// this machine: C code is not cross-compiled.
func (b *Builder) supports(p Program) bool {
	return !p.UsesCgo() || b.arch() == runtime.GOARCH
}

// cached looks every program up in the cache. A program that is not there, or
// is not what was put there, has an empty Path.
func (b *Builder) cached(ctx context.Context, programs []Program, keys []string) ([]Artifact, error) {
	store, err := b.store()
	if err != nil {
		return nil, err
	}
	artifacts := make([]Artifact, len(programs))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i, p := range programs {
		group.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			artifact, err := store.load(keys[i], p.FileName())
			if err == nil {
				artifacts[i] = artifact
				store.touch(keys[i], time.Now())
			} else if !errors.Is(err, os.ErrNotExist) {
				b.log().Warn("program: cached build is unusable, building again", "program", p.Name, "reason", err)
			}
			return nil
		})
	}
	return artifacts, group.Wait()
}

// build makes the program under the lock of its key. Another builder may have
// made it while this one waited.
func (b *Builder) build(ctx context.Context, p Program, key string) (Artifact, error) {
	store, err := b.store()
	if err != nil {
		return Artifact{}, err
	}
	unlock, err := store.lock(ctx, key)
	if err != nil {
		return Artifact{}, err
	}
	defer unlock()
	if artifact, err := store.load(key, p.FileName()); err == nil {
		return artifact, nil
	}
	if p.Heavy {
		unlockHeavy, err := store.lock(ctx, "heavy")
		if err != nil {
			return Artifact{}, err
		}
		defer unlockHeavy()
	}

	b.log().Info("program: building", "program", p.Name, "arch", b.arch())
	start := time.Now()
	partial, err := store.begin(key)
	if err != nil {
		return Artifact{}, err
	}
	defer partial.discard()
	out := filepath.Join(partial.dir, p.FileName())
	if err := b.compile(ctx, p, compilation{moduleDir: b.dir(p), out: out}); err != nil {
		return Artifact{}, err
	}
	if err := b.inspect(out); err != nil {
		return Artifact{}, err
	}
	artifact, err := partial.commit(Artifact{
		Name: p.Name, Key: key, Module: p.Module, Version: p.Version, Arch: b.arch(),
	}, p.FileName())
	if err != nil {
		return Artifact{}, err
	}
	if err := store.prune(artifact, time.Now()); err != nil {
		b.log().Warn("program: old builds stay in the cache", "reason", err)
	}
	b.log().Info("program: built", "program", p.Name, "arch", b.arch(),
		"size", artifact.Size, "took", time.Since(start).Round(time.Millisecond))
	return artifact, nil
}

func (b *Builder) dir(p Program) string { return filepath.Join(b.Root, filepath.FromSlash(p.Dir)) }

func (b *Builder) arch() string {
	if b.Arch != "" {
		return b.Arch
	}
	return runtime.GOARCH
}

func (b *Builder) log() *slog.Logger {
	if b.Log != nil {
		return b.Log
	}
	return slog.Default()
}

func (b *Builder) store() (store, error) {
	if b.Cache != "" {
		return store{dir: b.Cache}, nil
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return store{}, fmt.Errorf("find cache for programs: %w; name one explicitly", err)
	}
	return store{dir: filepath.Join(dir, "ichor", "programs")}, nil
}
