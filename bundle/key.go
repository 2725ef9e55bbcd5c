package bundle

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// keyFormat changes when builders of before and after must not share a cache.
const keyFormat = "ichor program 1"

// inputs is everything that determines a program; its hash is the key.
type inputs struct {
	Format    string
	File      string
	Package   string
	LDFlags   string
	Tags      []string
	Env       []string
	Toolchain string
	CCompiler string            `json:",omitempty"`
	CLibs     map[string]string `json:",omitempty"` // file name → SHA-256
	Sources   map[string]string // path in the module → SHA-256
}

// keys returns the keys of the programs, in their order.
func (b *Builder) keys(ctx context.Context, programs []Program) ([]string, error) {
	chain, err := b.readToolchain(ctx)
	if err != nil {
		return nil, err
	}
	own, err := b.ownSources(ctx, programs)
	if err != nil {
		return nil, err
	}
	moduleSources := make(map[string]map[string]string)
	keys := make([]string, len(programs))
	for i, p := range programs {
		sources := own[p.Package]
		if p.Dir != "." {
			if moduleSources[p.Dir] == nil {
				if moduleSources[p.Dir], err = hashModule(b.dir(p)); err != nil {
					return nil, fmt.Errorf("hash sources: %s: %w", p.Name, err)
				}
			}
			sources = moduleSources[p.Dir]
		}
		if keys[i], err = b.key(ctx, p, chain, sources); err != nil {
			return nil, fmt.Errorf("compute key: %s: %w", p.Name, err)
		}
	}
	return keys, nil
}

func (b *Builder) key(ctx context.Context, p Program, chain toolchain, sources map[string]string) (string, error) {
	in := inputs{
		Format: keyFormat, File: p.FileName(), Package: p.Package, LDFlags: ldflags(p), Tags: p.Tags,
		Env: b.target(p), Toolchain: chain.GOVERSION, Sources: sources,
	}
	if p.UsesCgo() {
		var err error
		if in.CCompiler, in.CLibs, err = b.hashC(ctx, p); err != nil {
			return "", err
		}
	}
	text, err := json.Marshal(in) // maps are written in the order of their keys
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), nil
}

// hashC returns the version of the C compiler and the hashes of the static
// libraries. The libraries' bytes say more than the versions of their packages.
func (b *Builder) hashC(ctx context.Context, p Program) (compiler string, libs map[string]string, err error) {
	out, err := b.run(ctx, b.Root, b.environ(p), []string{"gcc", "-dumpfullversion", "-dumpmachine"})
	if err != nil {
		return "", nil, fmt.Errorf("ask the C compiler for its version: %w; install gcc", err)
	}
	libs = make(map[string]string)
	for _, lib := range p.CLibs {
		file := "lib" + lib + ".a"
		path, err := b.run(ctx, b.Root, b.environ(p), []string{"gcc", "-print-file-name=" + file})
		if err != nil {
			return "", nil, fmt.Errorf("find static library: %s: %w", file, err)
		}
		// The compiler answers with the bare name when it does not find a file.
		if libs[file], err = hashFile(strings.TrimSpace(string(path))); err != nil {
			return "", nil, fmt.Errorf("find static library: %s: %w; install Debian's lib%s-dev", file, err, lib)
		}
	}
	return strings.Join(strings.Fields(string(out)), " "), libs, nil
}

// hashModule hashes the files of a nested module that may end in a program:
// all but tests, their data and texts. Folders that are modules of their own
// do not belong to it.
func hashModule(dir string) (map[string]string, error) {
	sums := make(map[string]string)
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := entry.Name()
		if entry.IsDir() {
			if path != dir && (name == "testdata" || name[0] == '.' || exists(filepath.Join(path, "go.mod"))) {
				return filepath.SkipDir
			}
			return nil
		}
		if !entry.Type().IsRegular() || name[0] == '.' || strings.HasSuffix(name, "_test.go") || strings.HasSuffix(name, ".md") {
			return nil
		}
		relative, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		sums[filepath.ToSlash(relative)], err = hashFile(path)
		return err
	})
	if err == nil && sums["go.mod"] == "" {
		err = fmt.Errorf("%s: holds no go.mod", dir)
	}
	return sums, err
}

// listedPackage is the part of go list's answer that says which files a package
// is compiled from.
type listedPackage struct {
	ImportPath string
	Dir        string
	Standard   bool
	Module     *struct{ Main bool }
	Imports    []string
	GoFiles    []string
	CgoFiles   []string
	SFiles     []string
	HFiles     []string
	CFiles     []string
	EmbedFiles []string
}

// ownSources returns, for each package of the root module among the programs,
// the hashes of the files of this repository that it is made of. What comes
// from other modules is covered by go.mod and go.sum.
func (b *Builder) ownSources(ctx context.Context, programs []Program) (map[string]map[string]string, error) {
	var patterns []string
	for _, p := range programs {
		if p.Dir == "." && !slices.Contains(patterns, p.Package) {
			patterns = append(patterns, p.Package)
		}
	}
	if len(patterns) == 0 {
		return nil, nil
	}
	packages, err := b.listOwn(ctx, patterns)
	if err != nil {
		return nil, fmt.Errorf("list packages: %w", err)
	}
	moduleFiles := make(map[string]string)
	for _, file := range []string{"go.mod", "go.sum"} {
		if moduleFiles[file], err = hashFile(filepath.Join(b.Root, file)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("hash sources: %w", err)
		}
	}
	hash := memoizedHash()
	result := make(map[string]map[string]string)
	for _, pattern := range patterns {
		dir := filepath.Join(b.Root, filepath.FromSlash(pattern))
		sums := make(map[string]string)
		for file, sum := range moduleFiles {
			sums[file] = sum
		}
		for _, path := range closure(packages, dir) {
			relative, err := filepath.Rel(b.Root, path)
			if err != nil {
				return nil, err
			}
			if sums[filepath.ToSlash(relative)], err = hash(path); err != nil {
				return nil, fmt.Errorf("hash sources: %w", err)
			}
		}
		result[pattern] = sums
	}
	return result, nil
}

// listOwn asks go list for the packages of the root module that the patterns
// need, by import path.
func (b *Builder) listOwn(ctx context.Context, patterns []string) (map[string]listedPackage, error) {
	args := append([]string{b.goCommand(), "list", "-deps", "-buildvcs=false",
		"-json=ImportPath,Dir,Standard,Module,Imports,GoFiles,CgoFiles,SFiles,HFiles,CFiles,EmbedFiles"}, patterns...)
	out, err := b.run(ctx, b.Root, b.environ(Program{}), args)
	if err != nil {
		return nil, err
	}
	packages := make(map[string]listedPackage)
	for decoder := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listedPackage
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			return packages, nil
		} else if err != nil {
			return nil, err
		}
		if !p.Standard && p.Module != nil && p.Module.Main {
			packages[p.ImportPath] = p
		}
	}
}

// closure returns the paths of the files of the package in dir and of all
// packages of the same module that it imports, directly or not.
func closure(packages map[string]listedPackage, dir string) []string {
	var queue []string
	for path, p := range packages {
		if p.Dir == dir {
			queue = append(queue, path)
		}
	}
	seen := make(map[string]bool)
	var files []string
	for len(queue) > 0 {
		path := queue[0]
		queue = queue[1:]
		p, ok := packages[path]
		if !ok || seen[path] {
			continue
		}
		seen[path] = true
		queue = append(queue, p.Imports...)
		for _, list := range [][]string{p.GoFiles, p.CgoFiles, p.SFiles, p.HFiles, p.CFiles, p.EmbedFiles} {
			for _, file := range list {
				files = append(files, filepath.Join(p.Dir, file))
			}
		}
	}
	return files
}

// memoizedHash returns hashFile for files that several programs share.
func memoizedHash() func(path string) (string, error) {
	sums := make(map[string]string)
	return func(path string) (string, error) {
		if sum, ok := sums[path]; ok {
			return sum, nil
		}
		sum, err := hashFile(path)
		if err == nil {
			sums[path] = sum
		}
		return sum, err
	}
}

// hashFile returns the SHA-256 of a file's content in hex.
func hashFile(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	digest := sha256.New()
	if _, err := io.Copy(digest, file); err != nil {
		return "", err
	}
	return hex.EncodeToString(digest.Sum(nil)), nil
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
