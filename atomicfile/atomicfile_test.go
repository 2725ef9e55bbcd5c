package atomicfile_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/ichor-os/ichor/atomicfile"
)

func read(t *testing.T, path string) (string, fs.FileMode) {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Lstat(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(content), info.Mode()
}

func onlyFile(t *testing.T, path string) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != 1 {
		t.Errorf("folder holds %v, want only %s", entries, filepath.Base(path))
	}
}

func TestReplace_MakesANewFileWithTheMode(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a")
	if err := atomicfile.Replace(path, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, mode := read(t, path); got != "x" || mode != 0o600 {
		t.Errorf("got %q mode %v, want %q mode 0600", got, mode, "x")
	}
	onlyFile(t, path)
}

func TestReplace_GivesAnExistingFileTheMode(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a")
	if err := os.WriteFile(path, []byte("old"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := atomicfile.Replace(path, []byte("new"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, mode := read(t, path); got != "new" || mode != 0o600 {
		t.Errorf("got %q mode %v, want %q mode 0600", got, mode, "new")
	}
}

func TestUpdate_KeepsTheModeOfAnExistingFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a")
	if err := os.WriteFile(path, []byte("old"), 0o640); err != nil {
		t.Fatal(err)
	}
	if err := atomicfile.Update(path, []byte("new"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, mode := read(t, path); got != "new" || mode != 0o640 {
		t.Errorf("got %q mode %v, want %q mode 0640", got, mode, "new")
	}
}

func TestReplace_FollowsALink(t *testing.T) {
	target := filepath.Join(t.TempDir(), "a")
	link := filepath.Join(t.TempDir(), "link")
	if err := errors.Join(os.WriteFile(target, []byte("old"), 0o600), os.Symlink(target, link)); err != nil {
		t.Fatal(err)
	}
	if err := atomicfile.Replace(link, []byte("new"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, _ := read(t, target); got != "new" {
		t.Errorf("target holds %q, want %q", got, "new")
	}
	if info, err := os.Lstat(link); err != nil || info.Mode().Type() != fs.ModeSymlink {
		t.Errorf("the link became %v (%v)", info, err)
	}
}

func TestCreate_RefusesAnExistingFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a")
	if err := atomicfile.Create(path, []byte("first"), 0o600); err != nil {
		t.Fatal(err)
	}
	err := atomicfile.Create(path, []byte("second"), 0o600)
	if !errors.Is(err, fs.ErrExist) {
		t.Errorf("second create: got %v, want fs.ErrExist", err)
	}
	if got, mode := read(t, path); got != "first" || mode != 0o600 {
		t.Errorf("got %q mode %v, want the first content with mode 0600", got, mode)
	}
	onlyFile(t, path)
}

func TestReplace_NamesTheMissingFolder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "gone", "a")
	if err := atomicfile.Replace(path, nil, 0o600); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v, want fs.ErrNotExist", err)
	}
}
