package file

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ichor-os/ichor/node/file/spec"
)

func TestWrite_ChangesOnlyWhatDiffers(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "a", "secret")
	write := func(text string) []string {
		t.Helper()
		changed, err := Write([]spec.File{{Path: path, Content: []byte(text)}})
		if err != nil {
			t.Fatal(err)
		}
		return changed
	}
	if diff := cmp.Diff([]string{path}, write("one")); diff != "" {
		t.Errorf("first write (-want +got):\n%s", diff)
	}
	if got := write("one"); got != nil {
		t.Errorf("the same content again changed %v", got)
	}
	if got := write("two"); len(got) != 1 {
		t.Errorf("other content changed %v", got)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode = %v, %v; want 600", info.Mode(), err)
	}
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(entries) != 1 {
		t.Errorf("folder holds %v, %v; want the file alone", entries, err)
	}
}

func TestWalk_StopsAtTheDepth(t *testing.T) {
	root := t.TempDir()
	if err := os.MkdirAll(filepath.Join(root, "a/b/c"), 0o755); err != nil {
		t.Fatal(err)
	}
	for limit, want := range map[int]int{1: 2, 2: 3, 9: 4} {
		count := 0
		err := walk(root, limit, func(string, os.FileInfo, error) error { count++; return nil })
		if err != nil || count != want {
			t.Errorf("depth %d visits %d, %v; want %d", limit, count, err, want)
		}
	}
}
