package bundle

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// workshop is a repository with one nested module, hello, that two programs are
// built from, and a go command that counts how often it compiles.
type workshop struct {
	root, cache, goCommand, record string
}

func newWorkshop(t *testing.T) workshop {
	t.Helper()
	dir := t.TempDir()
	w := workshop{
		root:      filepath.Join(dir, "repository"),
		cache:     filepath.Join(dir, "cache"),
		goCommand: filepath.Join(dir, "go"),
		record:    filepath.Join(dir, "record"),
	}
	write(t, filepath.Join(w.root, "go.mod"), "module "+ownModule+"\n\ngo 1.26.0\n")
	write(t, filepath.Join(w.root, "hello", "go.mod"), "module example.com/hello\n\ngo 1.26.0\n")
	write(t, filepath.Join(w.root, "hello", "main.go"), "package main\n\nvar name = \"world\"\n\nfunc main() { println(\"hello\", name) }\n")
	w.script(t, `[ "$1" = build ] && echo build >> `+w.record+`
exec go "$@"
`)
	return w
}

// script replaces the go command.
func (w workshop) script(t *testing.T, body string) {
	t.Helper()
	write(t, w.goCommand, "#!/bin/sh\n"+body)
	if err := os.Chmod(w.goCommand, 0o755); err != nil {
		t.Fatal(err)
	}
}

func (w workshop) builder(programs ...Program) *Builder {
	if programs == nil {
		programs = []Program{hello("hello"), hello("greet", "-X main.name=you")}
	}
	return &Builder{Root: w.root, Cache: w.cache, Go: w.goCommand, Programs: programs, Log: slog.New(slog.DiscardHandler)}
}

func hello(name string, ldflags ...string) Program {
	return Program{Name: name, Dir: "hello", Package: ".", Module: "example.com/hello", Version: "v1.0.0", LDFlags: ldflags}
}

// compiled returns how often the go command has compiled.
func (w workshop) compiled(t *testing.T) int {
	t.Helper()
	content, err := os.ReadFile(w.record)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	return strings.Count(string(content), "build\n")
}

// leftovers returns what the cache holds beside complete builds.
func (w workshop) leftovers(t *testing.T) []string {
	t.Helper()
	entries, err := os.ReadDir(w.cache)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, entry := range entries {
		if entry.Name() != "locks" && !exists(filepath.Join(w.cache, entry.Name(), entryFile)) || strings.HasSuffix(entry.Name(), ".partial") {
			names = append(names, entry.Name())
		}
	}
	return names
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func mustBuild(t *testing.T, b *Builder, names ...string) []Artifact {
	t.Helper()
	artifacts, err := b.BuildAll(t.Context(), names...)
	if err != nil {
		t.Fatalf("BuildAll(%v): %v", names, err)
	}
	return artifacts
}

func TestBuildAll_SecondBuildComesFromTheCache(t *testing.T) {
	w := newWorkshop(t)
	first := mustBuild(t, w.builder())
	second := mustBuild(t, w.builder())
	if got := w.compiled(t); got != 2 {
		t.Errorf("compiled %d times, want 2", got)
	}
	for i, artifact := range first {
		if artifact != second[i] {
			t.Errorf("second build = %+v, want %+v", second[i], artifact)
		}
		sum, err := hashFile(artifact.Path)
		if err != nil || sum != artifact.SHA256 {
			t.Errorf("%s: file has SHA-256 %s (%v), artifact says %s", artifact.Name, sum, err, artifact.SHA256)
		}
	}
	if first[0].SHA256 == first[1].SHA256 {
		t.Error("two programs with different flags are the same file")
	}
}

func TestBuildAll_ChangedFlagRebuildsOnlyThatProgram(t *testing.T) {
	w := newWorkshop(t)
	before := mustBuild(t, w.builder())
	after := mustBuild(t, w.builder(hello("hello"), hello("greet", "-X main.name=me")))
	if got := w.compiled(t); got != 3 {
		t.Errorf("compiled %d times, want 2 and then 1 more", got)
	}
	if before[0] != after[0] || before[1].Key == after[1].Key {
		t.Errorf("after the change: %+v, before: %+v", after, before)
	}
}

func TestBuild_UnusableCachedFileIsBuiltAgain(t *testing.T) {
	damages := map[string]func(t *testing.T, path string){
		"changed byte": func(t *testing.T, path string) {
			content, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			info, err := os.Stat(path)
			if err != nil {
				t.Fatal(err)
			}
			content[len(content)/2] ^= 1
			if err := os.WriteFile(path, content, 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.Chtimes(path, info.ModTime(), info.ModTime()); err != nil {
				t.Fatal(err)
			}
		},
		"cut off": func(t *testing.T, path string) {
			if err := os.Truncate(path, 100); err != nil {
				t.Fatal(err)
			}
		},
		"removed": func(t *testing.T, path string) {
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
		},
		"entry cut off": func(t *testing.T, path string) {
			if err := os.Truncate(filepath.Join(filepath.Dir(path), entryFile), 10); err != nil {
				t.Fatal(err)
			}
		},
		"entry of another key": func(t *testing.T, path string) {
			if err := writeEntry(filepath.Dir(path), entry{Artifact: Artifact{Key: "other"}}); err != nil {
				t.Fatal(err)
			}
		},
	}
	w := newWorkshop(t)
	want := mustBuild(t, w.builder(), "hello")[0]
	for name, damage := range damages {
		t.Run(name, func(t *testing.T) {
			before := w.compiled(t)
			damage(t, want.Path)
			if got := mustBuild(t, w.builder(), "hello")[0]; got != want {
				t.Errorf("Build = %+v, want %+v", got, want)
			}
			if sum, err := hashFile(want.Path); err != nil || sum != want.SHA256 {
				t.Errorf("file has SHA-256 %s (%v), want %s", sum, err, want.SHA256)
			}
			if got := w.compiled(t) - before; got != 1 {
				t.Errorf("compiled %d times, want 1", got)
			}
		})
	}
}

func TestBuild_CopiedCacheIsHashedAndUsed(t *testing.T) {
	w := newWorkshop(t)
	want := mustBuild(t, w.builder(), "hello")[0]
	moved := filepath.Join(t.TempDir(), "elsewhere")
	if err := os.CopyFS(moved, os.DirFS(w.cache)); err != nil {
		t.Fatal(err)
	}
	w.cache = moved
	got := mustBuild(t, w.builder(), "hello")[0]
	if w.compiled(t) != 1 || got.SHA256 != want.SHA256 {
		t.Errorf("compiled %d times, got %+v, want 1 and the same content as %+v", w.compiled(t), got, want)
	}
}

// waitForFile waits until a file holds a line and returns it.
func waitForFile(t *testing.T, path string) string {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); runtime.Gosched() {
		if content, err := os.ReadFile(path); err == nil && strings.HasSuffix(string(content), "\n") {
			return strings.TrimSpace(string(content))
		}
	}
	t.Fatalf("%s was not written in time", path)
	return ""
}

func TestBuild_CancelledBuildLeavesNothingAndEndsItsChildren(t *testing.T) {
	w := newWorkshop(t)
	started := filepath.Join(filepath.Dir(w.record), "started")
	// A go command that has written half a file and works on in a child.
	w.script(t, `[ "$1" = build ] || exec go "$@"
while [ "$1" != -o ]; do shift; done
printf half > "$2"
sleep 1000 &
echo $! > `+started+`
wait
`)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		_, err := w.builder().Build(ctx, "hello")
		done <- err
	}()
	child, err := strconv.Atoi(waitForFile(t, started))
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("Build error = %v, want context.Canceled", err)
	}
	if left := w.leftovers(t); len(left) > 0 {
		t.Errorf("the cache holds %v after a cancelled build", left)
	}
	if runs(child) {
		t.Errorf("child %d of the cancelled build still runs", child)
	}
	w.script(t, `exec go "$@"
`)
	mustBuild(t, w.builder(), "hello")
}

// runs reports whether a process exists and is no zombie.
func runs(pid int) bool {
	content, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err == nil && !strings.Contains(string(content), ") Z ")
}

func TestBuild_AbortedBuildIsNeverTakenForAProgram(t *testing.T) {
	w := newWorkshop(t)
	b := w.builder()
	programs, err := b.resolve([]string{"hello"})
	if err != nil {
		t.Fatal(err)
	}
	keys, err := b.keys(t.Context(), programs)
	if err != nil {
		t.Fatal(err)
	}
	// What a builder leaves that was killed at the worst moment.
	write(t, filepath.Join(w.cache, keys[0]+".partial", "hello"), "half a program")
	write(t, filepath.Join(w.cache, keys[0]+".partial", "build.json.1"), "{")
	artifact := mustBuild(t, b, "hello")[0]
	if w.compiled(t) != 1 || artifact.Key != keys[0] {
		t.Errorf("compiled %d times, key %s, want 1 and %s", w.compiled(t), artifact.Key, keys[0])
	}
	if left := w.leftovers(t); len(left) > 0 {
		t.Errorf("the cache still holds %v", left)
	}
}

func TestBuild_FailedCompilationSaysWhyAndLeavesNothing(t *testing.T) {
	w := newWorkshop(t)
	write(t, filepath.Join(w.root, "hello", "main.go"), "package main\n\nfunc main() { undefined() }\n")
	_, err := w.builder().Build(t.Context(), "hello")
	if err == nil || !strings.Contains(err.Error(), "build program: hello") || !strings.Contains(err.Error(), "undefined: undefined") {
		t.Errorf("Build error = %v, want one with the program and the compiler's words", err)
	}
	if left := w.leftovers(t); len(left) > 0 {
		t.Errorf("the cache holds %v", left)
	}
}

func TestBuild_ConcurrentBuildersCompileOnce(t *testing.T) {
	w := newWorkshop(t)
	builders := []*Builder{w.builder(), w.builder()}
	var group sync.WaitGroup
	artifacts := make([]Artifact, 8)
	errs := make([]error, len(artifacts))
	for i := range artifacts {
		group.Go(func() { artifacts[i], errs[i] = builders[i%2].Build(t.Context(), "hello") })
	}
	group.Wait()
	for i, err := range errs {
		if err != nil || artifacts[i] != artifacts[0] {
			t.Errorf("builder %d: %+v, %v, want %+v", i, artifacts[i], err, artifacts[0])
		}
	}
	if got := w.compiled(t); got != 1 {
		t.Errorf("compiled %d times, want 1", got)
	}
}

func TestBuild_WaitForAnotherBuilderEndsWithTheContext(t *testing.T) {
	w := newWorkshop(t)
	b := w.builder()
	programs, err := b.resolve([]string{"hello"})
	if err != nil {
		t.Fatal(err)
	}
	keys, err := b.keys(t.Context(), programs)
	if err != nil {
		t.Fatal(err)
	}
	unlock, err := store{dir: w.cache}.lock(t.Context(), keys[0])
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	if _, err := b.Build(ctx, "hello"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Build error = %v, want context.DeadlineExceeded", err)
	}
}

func TestInspect_RefusesWhatIsNotAStaticGoProgram(t *testing.T) {
	w := newWorkshop(t)
	b := w.builder()
	artifact := mustBuild(t, b, "hello")[0]
	if err := b.inspect(artifact.Path); err != nil {
		t.Errorf("inspect of a build: %v", err)
	}
	b.Arch = "riscv64"
	if err := b.inspect(artifact.Path); err == nil {
		t.Error("inspect accepted a program for another architecture")
	}
	if err := b.inspect(w.goCommand); err == nil {
		t.Error("inspect accepted a script")
	}
	if _, err := os.Stat("/lib64/ld-linux-x86-64.so.2"); err != nil {
		return
	}
	if err := requireStatic("/bin/sh"); err == nil {
		t.Error("requireStatic accepted an executable with a dynamic loader")
	}
}

func TestBuild_UnknownNameIsRefused(t *testing.T) {
	w := newWorkshop(t)
	for _, name := range []string{"other", "", "..", "../hello"} {
		if _, err := w.builder().Build(t.Context(), name); err == nil {
			t.Errorf("Build(%q) succeeded, want an error", name)
		}
	}
}

func TestBuild_CrossBuildsGoButNotC(t *testing.T) {
	w := newWorkshop(t)
	other := "arm64"
	if runtime.GOARCH == other {
		other = "amd64"
	}
	b := w.builder(hello("hello"), Program{Name: "withc", Dir: "hello", Package: ".", CLibs: []string{"c"}, NotARM64: "it is C"})
	b.Arch = other
	artifacts := mustBuild(t, b)
	if len(artifacts) != 1 || artifacts[0].Arch != other {
		t.Errorf("BuildAll for %s = %+v, want hello alone", other, artifacts)
	}
	if _, err := b.Build(t.Context(), "withc"); err == nil || !strings.Contains(err.Error(), "it is C") {
		t.Errorf("Build(withc) error = %v, want one with the reason", err)
	}
}
