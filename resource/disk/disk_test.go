package disk_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ichor-os/ichor/resource/disk"
)

func mustOpen(t *testing.T, dir string) (*disk.Folder, string, []string) {
	t.Helper()
	f, body, notes, err := disk.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return f, string(body), notes
}

// copies lists the folder's files.
func copies(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func fill(t *testing.T, dir string, bodies ...string) []string {
	t.Helper()
	f, _, _ := mustOpen(t, dir)
	for _, b := range bodies {
		if err := f.Write([]byte(b)); err != nil {
			t.Fatal(err)
		}
	}
	return copies(t, dir)
}

func TestFolder_KeepsTheNewestTwo(t *testing.T) {
	dir := t.TempDir()
	if got, want := fill(t, dir, "1", "2", "3"), []string{"resources-000000000002", "resources-000000000003"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	f, body, notes := mustOpen(t, dir)
	if body != "3" || len(notes) != 0 {
		t.Errorf("got %q with notes %q, want 3", body, notes)
	}
	if err := f.Write([]byte("4")); err != nil {
		t.Fatal(err)
	}
	if _, body, _ := mustOpen(t, dir); body != "4" {
		t.Errorf("got %q, want 4", body)
	}
}

func TestFolder_NewIsEmpty(t *testing.T) {
	_, body, notes := mustOpen(t, filepath.Join(t.TempDir(), "a", "b"))
	if body != "" || notes != nil {
		t.Errorf("got %q, %q", body, notes)
	}
}

func TestFolder_DamageFallsBackToTheLastGoodCopyAndSaysSo(t *testing.T) {
	for name, damage := range map[string]func([]byte) []byte{
		"torn at the end":   func(b []byte) []byte { return b[:len(b)-1] },
		"torn in the head":  func(b []byte) []byte { return b[:5] },
		"empty":             func([]byte) []byte { return nil },
		"zeroes":            func(b []byte) []byte { return make([]byte, len(b)) },
		"one bit":           func(b []byte) []byte { b[len(b)-1] ^= 1; return b },
		"something added":   func(b []byte) []byte { return append(b, 'x') },
		"another's content": func([]byte) []byte { return []byte("hello\n") },
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			files := fill(t, dir, "old", "new")
			path := filepath.Join(dir, files[1])
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, damage(data), 0o600); err != nil {
				t.Fatal(err)
			}
			f, body, notes := mustOpen(t, dir)
			if body != "old" || len(notes) != 1 || !strings.Contains(notes[0], files[1]) {
				t.Fatalf("got %q with notes %q, want old and a note on %s", body, notes, files[1])
			}
			// The damaged copy must not come back, nor its number.
			if err := f.Write([]byte("newer")); err != nil {
				t.Fatal(err)
			}
			if _, body, notes := mustOpen(t, dir); body != "newer" || len(notes) != 0 {
				t.Errorf("afterwards: got %q with notes %q", body, notes)
			}
		})
	}
}

func TestFolder_NoGoodCopyIsAnErrorNotAnEmptyFolder(t *testing.T) {
	dir := t.TempDir()
	for _, f := range fill(t, dir, "old", "new") {
		if err := os.WriteFile(filepath.Join(dir, f), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	_, _, notes, err := disk.Open(dir)
	if !errors.Is(err, disk.ErrDamaged) || len(notes) != 2 {
		t.Errorf("got %v with notes %q, want %v", err, notes, disk.ErrDamaged)
	}
}

func TestFolder_InterruptedWriteIsCleanedUp(t *testing.T) {
	dir := t.TempDir()
	fill(t, dir, "good")
	temp := filepath.Join(dir, "resources-000000000002.tmp")
	if err := os.WriteFile(temp, []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, body, notes := mustOpen(t, dir); body != "good" || len(notes) != 0 {
		t.Errorf("got %q with notes %q", body, notes)
	}
	if _, err := os.Stat(temp); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the rest of the write is still there: %v", err)
	}
}

func FuzzOpen(f *testing.F) {
	f.Add([]byte("ichor-resources/1 0 e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855\n"))
	f.Add([]byte("ichor-resources/1 -1 x\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "resources-000000000001"), data, 0o600); err != nil {
			t.Fatal(err)
		}
		_, body, _, err := disk.Open(dir)
		if err == nil && !bytes.HasSuffix(data, body) {
			t.Errorf("got a body that is not in the file")
		}
	})
}
