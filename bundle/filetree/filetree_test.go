package filetree

import (
	"archive/tar"
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func sample(t *testing.T) *Tree {
	t.Helper()
	source := filepath.Join(t.TempDir(), "program")
	if err := os.WriteFile(source, []byte("program"), 0o600); err != nil {
		t.Fatal(err)
	}
	tree := &Tree{}
	tree.Copy("usr/bin/program", 0o755, source, "")
	tree.Symlink("bin", "usr/bin")
	tree.Bytes("etc/hosts", 0o644, []byte("127.0.0.1 localhost\n"))
	tree.Folder("tmp", fs.ModeSticky|0o777)
	tree.OwnedFolder("var/lib/etcd", 0o700, 60, 60)
	if err := tree.Err(); err != nil {
		t.Fatal(err)
	}
	return tree
}

func TestWriteTar_SameBytesWhateverTheOrderOfAdding(t *testing.T) {
	first, second := &Tree{}, &Tree{}
	first.Bytes("a", 0o644, []byte("1"))
	first.Symlink("b/c", "../a")
	second.Symlink("b/c", "../a")
	second.Bytes("a", 0o644, []byte("1"))
	var one, two bytes.Buffer
	if err := errors.Join(first.WriteTar(&one), second.WriteTar(&two)); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(one.Bytes(), two.Bytes()) || first.Digest() != second.Digest() {
		t.Error("two orders gave two archives")
	}
}

func TestWriteTar_HoldsParentsOwnersModesAndTheFixedTime(t *testing.T) {
	var out bytes.Buffer
	if err := sample(t).WriteTar(&out); err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	archive := tar.NewReader(&out)
	for {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if !header.ModTime.Equal(Time()) {
			t.Errorf("%s has time %v, want %v", header.Name, header.ModTime, Time())
		}
		got[header.Name] = header.FileInfo().Mode().String()
		if strings.HasPrefix(header.Name, "var/lib/etcd") && header.Uid != 60 {
			t.Errorf("%s belongs to %d, want 60", header.Name, header.Uid)
		}
	}
	want := map[string]string{
		"bin": "Lrwxrwxrwx", "etc/": "drwxr-xr-x", "etc/hosts": "-rw-r--r--", "tmp/": "dtrwxrwxrwx", "usr/": "drwxr-xr-x",
		"usr/bin/": "drwxr-xr-x", "usr/bin/program": "-rwxr-xr-x", "var/": "drwxr-xr-x", "var/lib/": "drwxr-xr-x", "var/lib/etcd/": "drwx------",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("archive differs (-want +got):\n%s", diff)
	}
}

func TestWriteFolder_ModesAndTimesDoNotDependOnTheUmask(t *testing.T) {
	old := syscall.Umask(0o077)
	defer syscall.Umask(old)
	root := t.TempDir()
	if err := sample(t).WriteFolder(root); err != nil {
		t.Fatal(err)
	}
	for name, mode := range map[string]fs.FileMode{
		"usr/bin": fs.ModeDir | 0o755, "etc/hosts": 0o644, "tmp": fs.ModeDir | fs.ModeSticky | 0o777, "usr/bin/program": 0o755,
	} {
		info, err := os.Lstat(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode() != mode || !info.ModTime().Equal(Time()) {
			t.Errorf("%s: mode %v at %v, want %v at %v", name, info.Mode(), info.ModTime(), mode, Time())
		}
	}
}

func TestWriteTar_RefusesASourceThatChanged(t *testing.T) {
	source := filepath.Join(t.TempDir(), "program")
	if err := os.WriteFile(source, []byte("before"), 0o600); err != nil {
		t.Fatal(err)
	}
	tree := &Tree{}
	tree.Copy("program", 0o755, source, "")
	if err := os.WriteFile(source, []byte("beyond"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := tree.WriteTar(io.Discard); err == nil || !strings.Contains(err.Error(), "SHA-256") {
		t.Errorf("error = %v, want one about the SHA-256", err)
	}
}

func TestTree_RefusesWhatCannotBe(t *testing.T) {
	for name, add := range map[string]func(*Tree){
		"path outside":      func(t *Tree) { t.Bytes("../a", 0o644, nil) },
		"absolute path":     func(t *Tree) { t.Bytes("/a", 0o644, nil) },
		"same path twice":   func(t *Tree) { t.Bytes("a", 0o644, nil); t.Symlink("a", "b") },
		"file as parent":    func(t *Tree) { t.Bytes("a", 0o644, nil); t.Bytes("a/b", 0o644, nil) },
		"missing source":    func(t *Tree) { t.Copy("a", 0o644, "/nonexistent/file", "") },
		"folder as content": func(t *Tree) { t.Copy("a", 0o644, "/", "") },
	} {
		t.Run(name, func(t *testing.T) {
			tree := &Tree{}
			add(tree)
			if tree.Err() == nil {
				t.Error("no error")
			}
		})
	}
}

func TestBytes_DropsSetuid(t *testing.T) {
	tree := &Tree{}
	tree.Bytes("a", fs.ModeSetuid|0o755, nil)
	if got := tree.Entries()[0].Mode; got != 0o755 {
		t.Errorf("mode = %v, want 0755", got)
	}
}
