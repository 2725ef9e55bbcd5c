package publish

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

func names(t *testing.T, folder string) []string {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, entry := range entries {
		found = append(found, entry.Name())
	}
	return found
}

func TestFile_FailedWriteLeavesTheOldContentAndNoLeftover(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "a")
	if err := Bytes(path, 0o644, []byte("old")); err != nil {
		t.Fatal(err)
	}
	err := File(path, 0o644, func(w io.Writer) error {
		if _, err := w.Write([]byte("half of the ne")); err != nil {
			return err
		}
		return syscall.ENOSPC
	})
	if !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("error = %v, want ENOSPC", err)
	}
	content, err := os.ReadFile(path)
	if err != nil || string(content) != "old" {
		t.Errorf("content = %q, %v, want the old one", content, err)
	}
	if got := names(t, folder); len(got) != 1 {
		t.Errorf("folder holds %v, want only the file", got)
	}
}

func TestFile_ModeDoesNotDependOnUmask(t *testing.T) {
	old := syscall.Umask(0o077)
	defer syscall.Umask(old)
	path := filepath.Join(t.TempDir(), "a")
	if err := Bytes(path, 0o755, nil); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode() != 0o755 {
		t.Errorf("mode = %v, %v, want 0755", info.Mode(), err)
	}
}

func TestFolder_FailedFillLeavesNothing(t *testing.T) {
	parent := t.TempDir()
	broken := errors.New("broken")
	err := Folder(filepath.Join(parent, "tree"), func(temporary string) error {
		if err := os.Mkdir(filepath.Join(temporary, "sub"), 0o555); err != nil {
			return err
		}
		return broken
	})
	if !errors.Is(err, broken) {
		t.Fatalf("error = %v, want broken", err)
	}
	if got := names(t, parent); len(got) != 0 {
		t.Errorf("parent holds %v, want nothing", got)
	}
}

func TestLink_ReplacesTheOldTarget(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "current")
	for _, target := range []string{"one", "two"} {
		if err := Link(target, path); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.Readlink(path); err != nil || got != "two" {
		t.Errorf("link = %q, %v, want two", got, err)
	}
	if got := names(t, folder); len(got) != 1 {
		t.Errorf("folder holds %v, want only the link", got)
	}
}

func TestSweep_RemovesOldLeftoversOnly(t *testing.T) {
	folder := t.TempDir()
	for _, name := range []string{prefix + "old-1", prefix + "new-1", "kept"} {
		if err := os.Mkdir(filepath.Join(folder, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	past := time.Now().Add(-48 * time.Hour)
	if err := os.Chtimes(filepath.Join(folder, prefix+"old-1"), past, past); err != nil {
		t.Fatal(err)
	}
	if err := Sweep(folder, 24*time.Hour); err != nil {
		t.Fatal(err)
	}
	if got := names(t, folder); len(got) != 2 {
		t.Errorf("folder holds %v, want the new leftover and the kept one", got)
	}
}
