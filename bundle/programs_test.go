package bundle

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/ichor-os/ichor/version"
)

// goMod is the part of `go mod edit -json` that the tests look at.
type goMod struct {
	Module  struct{ Path string }
	Go      string
	Require []struct{ Path, Version string }
	Replace []struct {
		Old, New struct{ Path, Version string }
	}
}

func readGoMod(t *testing.T, dir string) goMod {
	t.Helper()
	cmd := exec.Command("go", "mod", "edit", "-json")
	cmd.Dir = dir
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go mod edit in %s: %v", dir, err)
	}
	var m goMod
	if err := json.Unmarshal(out, &m); err != nil {
		t.Fatal(err)
	}
	return m
}

func TestPrograms_EveryNestedModuleIsInTheTable(t *testing.T) {
	paths, err := filepath.Glob("*/go.mod")
	if err != nil {
		t.Fatal(err)
	}
	var folders []string
	for _, path := range paths {
		folders = append(folders, "bundle/"+filepath.Dir(path))
	}
	var table []string
	for _, p := range Programs() {
		if !slices.Contains(table, p.Dir) {
			table = append(table, p.Dir)
		}
	}
	slices.Sort(table)
	if diff := cmp.Diff(folders, table); diff != "" {
		t.Errorf("folders with a go.mod and folders of the table (-folders +table):\n%s", diff)
	}
}

func TestPrograms_ModulesArePinned(t *testing.T) {
	for _, p := range Programs() {
		t.Run(p.Name, func(t *testing.T) {
			dir := filepath.Join("..", filepath.FromSlash(p.Dir))
			m := readGoMod(t, dir)
			if want := ownModule + "/" + p.Dir; m.Module.Path != want {
				t.Errorf("module path is %s, want %s", m.Module.Path, want)
			}
			if !strings.HasPrefix(p.Module, ownModule) {
				i := slices.IndexFunc(m.Require, func(r struct{ Path, Version string }) bool { return r.Path == p.Module })
				if i < 0 || m.Require[i].Version != p.Version {
					t.Errorf("go.mod does not require %s %s as the table says", p.Module, p.Version)
				}
			}
			sums, err := os.ReadFile(filepath.Join(dir, "go.sum"))
			if err != nil {
				t.Error(err)
			}
			for _, r := range m.Require {
				if !bytes.Contains(sums, []byte(r.Path+" "+pinned(m, r.Path, r.Version)+"/go.mod h1:")) {
					t.Errorf("go.sum does not pin %s %s", r.Path, r.Version)
				}
			}
			for _, r := range m.Replace {
				if r.New.Version == "" || r.New.Path != r.Old.Path {
					t.Errorf("go.mod replaces %s by %s %s, want a version of the same module", r.Old.Path, r.New.Path, r.New.Version)
				}
			}
		})
	}
}

// pinned returns the version that a requirement stands for.
func pinned(m goMod, path, required string) string {
	for _, r := range m.Replace {
		if r.Old.Path == path {
			return r.New.Version
		}
	}
	return required
}

func TestPrograms_AreToldApartAndDescribed(t *testing.T) {
	names, files := map[string]bool{}, map[string]string{}
	for _, p := range Programs() {
		if names[p.Name] {
			t.Errorf("%s is twice in the table", p.Name)
		}
		names[p.Name] = true
		if p.Version == "" || p.Module == "" || p.License == "" || p.Package == "" || p.FileName() == "" {
			t.Errorf("%s lacks a version, module, licence or package: %+v", p.Name, p)
		}
		if other, ok := files[p.FileName()]; ok && p.FileName() != "hyperkube" {
			t.Errorf("%s and %s are both the file %s", p.Name, other, p.FileName())
		}
		files[p.FileName()] = p.Name
		if p.UsesCgo() && p.NotARM64 == "" {
			t.Errorf("%s uses cgo, but does not say what that means for arm64", p.Name)
		}
		if got, ok := Lookup(p.Name); !ok || got.Package != p.Package {
			t.Errorf("Lookup(%s) = %+v, %v", p.Name, got, ok)
		}
	}
	for _, name := range []string{"hyperkube-" + version.Kubernetes, "hyperkube-" + version.KubernetesNext} {
		if !names[name] {
			t.Errorf("%s is not in the table", name)
		}
	}
	if _, ok := Lookup("other"); ok {
		t.Error("Lookup(other) found a program")
	}
}

func TestWriteReference_PageIsFresh(t *testing.T) {
	var want bytes.Buffer
	if err := WriteReference(&want); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join("..", "docs", "reference", "programs.md"))
	if err != nil {
		t.Fatalf("%v; run go generate ./bundle", err)
	}
	if diff := cmp.Diff(want.String(), string(got)); diff != "" {
		t.Errorf("docs/reference/programs.md is stale; run go generate ./bundle (-want +got):\n%s", diff)
	}
}

func TestFindRoot(t *testing.T) {
	root, err := FindRoot("build")
	if err != nil {
		t.Fatal(err)
	}
	if !exists(filepath.Join(root, "bundle", "programs.go")) {
		t.Errorf("FindRoot(build) = %s, which is not the repository", root)
	}
	if root, err := FindRoot("/"); err == nil {
		t.Errorf("FindRoot(/) = %s, want an error", root)
	}
}

// `make long` does the same with every program; this one needs only the runtime.
func TestReproduce_SameBytesBuiltFromNothingElsewhere(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles the runtime from nothing")
	}
	w := newWorkshop(t)
	if err := w.builder().Reproduce(t.Context(), "hello"); err != nil {
		t.Error(err)
	}
	if got := w.compiled(t); got != 2 {
		t.Errorf("compiled %d times, want 2", got)
	}
}

func TestReproduce_DifferenceIsAnError(t *testing.T) {
	w := newWorkshop(t)
	mustBuild(t, w.builder(), "hello")
	// A compiler whose result depends on the folder it works in.
	w.script(t, `[ "$1" = build ] || exec go "$@"
while [ "$1" != -o ]; do shift; done
printf '%s' "$PWD" > "$2"
`)
	if err := w.builder().Reproduce(t.Context(), "hello"); err == nil || !strings.Contains(err.Error(), "second build has SHA-256") {
		t.Errorf("Reproduce error = %v, want one with both hashes", err)
	}
}
