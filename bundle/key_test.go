package bundle

import (
	"path/filepath"
	"testing"
)

func keyOf(t *testing.T, b *Builder, name string) string {
	t.Helper()
	programs, err := b.resolve([]string{name})
	if err != nil {
		t.Fatal(err)
	}
	keys, err := b.keys(t.Context(), programs)
	if err != nil {
		t.Fatal(err)
	}
	return keys[0]
}

func TestKey_IsTheSameInAnotherFolderAndWithOtherTests(t *testing.T) {
	first, second := newWorkshop(t), newWorkshop(t)
	write(t, filepath.Join(second.root, "hello", "main_test.go"), "package main\n")
	write(t, filepath.Join(second.root, "hello", "README.md"), "text\n")
	write(t, filepath.Join(second.root, "hello", "testdata", "seed"), "x")
	write(t, filepath.Join(second.root, "hello", "nested", "go.mod"), "module example.com/nested\n")
	if a, b := keyOf(t, first.builder(), "hello"), keyOf(t, second.builder(), "hello"); a != b {
		t.Errorf("keys of the same inputs differ: %s, %s", a, b)
	}
}

func TestKey_ChangesWithEveryInput(t *testing.T) {
	changes := map[string]func(w workshop, b *Builder){
		"source":       func(w workshop, _ *Builder) { write(t, filepath.Join(w.root, "hello", "main.go"), "package main\n") },
		"added file":   func(w workshop, _ *Builder) { write(t, filepath.Join(w.root, "hello", "x.txt"), "embedded") },
		"sums":         func(w workshop, _ *Builder) { write(t, filepath.Join(w.root, "hello", "go.sum"), "\n") },
		"requirements": func(w workshop, _ *Builder) { write(t, filepath.Join(w.root, "hello", "go.mod"), "module m\n") },
		"flags":        func(_ workshop, b *Builder) { b.Programs[0].LDFlags = []string{"-X main.name=you"} },
		"tags":         func(_ workshop, b *Builder) { b.Programs[0].Tags = []string{"tag"} },
		"package":      func(_ workshop, b *Builder) { b.Programs[0].Package = "./other" },
		"file name":    func(_ workshop, b *Builder) { b.Programs[0].File = "hi" },
		"architecture": func(_ workshop, b *Builder) { b.Arch = "riscv64" },
		"toolchain":    func(_ workshop, b *Builder) { b.toolchain = toolchain{GOVERSION: "go1.99"} },
		"C libraries":  func(_ workshop, b *Builder) { b.Programs[0].CLibs = []string{"c"} },
	}
	seen := map[string]string{}
	for name, change := range changes {
		w := newWorkshop(t)
		b := w.builder(hello("hello"))
		before := keyOf(t, b, "hello")
		change(w, b)
		after := keyOf(t, b, "hello")
		if before == after {
			t.Errorf("%s: the key did not change", name)
		}
		if other, ok := seen[after]; ok {
			t.Errorf("%s and %s lead to the same key", name, other)
		}
		seen[after] = name
	}
}

func TestKey_OwnMainDependsOnTheFilesItIsMadeOf(t *testing.T) {
	w := newWorkshop(t)
	path := func(elements ...string) string { return filepath.Join(append([]string{w.root}, elements...)...) }
	write(t, path("cmd", "tool", "main.go"), "package main\n\nimport \""+ownModule+"/greet\"\n\nfunc main() { println(greet.Text) }\n")
	write(t, path("greet", "greet.go"), "package greet\n\nimport _ \"embed\"\n\n//go:embed text\nvar Text string\n")
	write(t, path("greet", "text"), "hello")
	write(t, path("unrelated", "unrelated.go"), "package unrelated\n")
	first := keyOf(t, w.builder(), "tool")

	write(t, path("unrelated", "unrelated.go"), "package unrelated\n\nvar X int\n")
	write(t, path("greet", "greet_test.go"), "package greet\n")
	if got := keyOf(t, w.builder(), "tool"); got != first {
		t.Error("the key changed with a file that the program is not made of")
	}
	write(t, path("greet", "text"), "good day")
	second := keyOf(t, w.builder(), "tool")
	if second == first {
		t.Error("the key did not change with an embedded file")
	}
	artifact := mustBuild(t, w.builder(), "tool")[0]
	if artifact.Key != second || artifact.Module != ownModule {
		t.Errorf("Build(tool) = %+v, want key %s of module %s", artifact, second, ownModule)
	}
}
