// Package filetree describes a tree of files exactly – paths, modes, owners,
// content – before it exists anywhere, and writes it as a folder or as a tar
// archive, the same bits each time.
//
// The main type is Tree. There are folders, regular files and symbolic links
// only: device nodes, setuid bits and hard links cannot be expressed.
package filetree

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"time"
)

// Epoch is the time that every file of every image and root file system
// carries, whenever it was built: 2026-01-01 UTC in Unix seconds.
const Epoch = 1767225600

// Time returns Epoch as a time in UTC.
func Time() time.Time { return time.Unix(Epoch, 0).UTC() }

// An Entry is one file, folder or link.
type Entry struct {
	// Path is relative to the root, clean, with slashes.
	Path string
	// Mode holds the type (fs.ModeDir, fs.ModeSymlink or none) and the
	// permission bits, plus fs.ModeSticky for folders such as /tmp.
	Mode     fs.FileMode
	UID, GID int
	// Link is the target of a symbolic link.
	Link string
	// Content of a regular file, unless Source is set.
	Content []byte
	// Source is the path on this computer to take the content from.
	Source string
	// SHA256 of the content in hex, and its size in bytes.
	SHA256 string
	Size   int64
}

// A Tree is a set of entries with all their parent folders. The zero value is an
// empty tree. Methods that add to it remember the first error, which Err and
// everything that reads the tree returns.
type Tree struct {
	entries map[string]Entry
	err     error
}

// Err returns the first error of the methods that add to the tree.
func (t *Tree) Err() error { return t.err }

func (t *Tree) fail(format string, args ...any) {
	if t.err == nil {
		t.err = fmt.Errorf("describe file tree: "+format, args...)
	}
}

func (t *Tree) add(e Entry) {
	if !fs.ValidPath(e.Path) || e.Path == "." {
		t.fail("%q is not a clean relative path", e.Path)
		return
	}
	if t.entries == nil {
		t.entries = map[string]Entry{}
	}
	if old, ok := t.entries[e.Path]; ok && !(old.Mode.IsDir() && e.Mode.IsDir()) {
		t.fail("%s is there twice", e.Path)
		return
	}
	t.parents(e.Path)
	t.entries[e.Path] = e
}

func (t *Tree) parents(name string) {
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		parent, ok := t.entries[dir]
		if !ok {
			t.entries[dir] = Entry{Path: dir, Mode: fs.ModeDir | 0o755}
		} else if !parent.Mode.IsDir() {
			t.fail("%s lies below %s, which is not a folder", name, dir)
		}
	}
}

// Folder adds a folder, or sets the mode of one that is there.
func (t *Tree) Folder(name string, perm fs.FileMode) {
	t.add(Entry{Path: name, Mode: fs.ModeDir | perm&(fs.ModePerm|fs.ModeSticky)})
}

// OwnedFolder adds a folder that belongs to a user.
func (t *Tree) OwnedFolder(name string, perm fs.FileMode, uid, gid int) {
	t.add(Entry{Path: name, Mode: fs.ModeDir | perm.Perm(), UID: uid, GID: gid})
}

// Bytes adds a regular file with the given content.
func (t *Tree) Bytes(name string, perm fs.FileMode, content []byte) {
	sum := sha256.Sum256(content)
	t.add(Entry{Path: name, Mode: perm.Perm(), Content: content, SHA256: hex.EncodeToString(sum[:]), Size: int64(len(content))})
}

// Copy adds a regular file whose content is that of source. The SHA-256 is in
// hex; if it is empty it is computed now. Writing the tree fails if the content
// differs by then.
func (t *Tree) Copy(name string, perm fs.FileMode, source, digest string) {
	info, err := os.Stat(source)
	if err != nil {
		t.fail("%s: %w", name, err)
		return
	}
	if !info.Mode().IsRegular() {
		t.fail("%s: source %s is not a regular file", name, source)
		return
	}
	if digest == "" {
		if digest, err = fileDigest(source); err != nil {
			t.fail("%s: %w", name, err)
			return
		}
	}
	t.add(Entry{Path: name, Mode: perm.Perm(), Source: source, SHA256: digest, Size: info.Size()})
}

// Symlink adds a symbolic link.
func (t *Tree) Symlink(name, target string) {
	t.add(Entry{Path: name, Mode: fs.ModeSymlink | 0o777, Link: target})
}

// MergeUsr adds the links that lead from the old top-level folders into /usr,
// and from /usr/sbin to /usr/bin, with the folders they lead to.
func MergeUsr(t *Tree) {
	t.Symlink("bin", "usr/bin")
	t.Symlink("sbin", "usr/bin")
	t.Symlink("usr/sbin", "bin")
	t.Symlink("lib", "usr/lib")
	t.Symlink("lib64", "usr/lib64")
	for _, folder := range []string{"usr/bin", "usr/lib", "usr/lib64"} {
		t.Folder(folder, 0o755)
	}
}

// Has tells whether the tree holds a path.
func (t *Tree) Has(name string) bool {
	_, ok := t.entries[name]
	return ok
}

// Entries returns everything in the tree in the order of paths, parents first.
func (t *Tree) Entries() []Entry {
	sorted := make([]Entry, 0, len(t.entries))
	for _, name := range slices.Sorted(maps.Keys(t.entries)) {
		sorted = append(sorted, t.entries[name])
	}
	return sorted
}

// Size returns the sum of the sizes of all regular files in bytes.
func (t *Tree) Size() int64 {
	var sum int64
	for _, e := range t.entries {
		sum += e.Size
	}
	return sum
}

// Digest returns a SHA-256 in hex over everything that makes the tree what it
// is. Two trees with the same digest are written the same.
func (t *Tree) Digest() string {
	hash := sha256.New()
	for _, e := range t.Entries() {
		fmt.Fprintf(hash, "%q %o %d %d %q %s\n", e.Path, e.Mode, e.UID, e.GID, e.Link, e.SHA256)
	}
	return hex.EncodeToString(hash.Sum(nil))
}

// WriteTar writes the tree as an uncompressed tar archive.
func (t *Tree) WriteTar(w io.Writer) error {
	if t.err != nil {
		return t.err
	}
	archive := tar.NewWriter(w)
	for _, e := range t.Entries() {
		if err := writeTarEntry(archive, e); err != nil {
			return fmt.Errorf("write archive: %s: %w", e.Path, err)
		}
	}
	return archive.Close()
}

func writeTarEntry(archive *tar.Writer, e Entry) error {
	header := &tar.Header{
		Name: e.Path, Mode: int64(e.Mode.Perm()), Uid: e.UID, Gid: e.GID,
		ModTime: Time(), Size: e.Size, Typeflag: tar.TypeReg, Linkname: e.Link,
	}
	switch {
	case e.Mode.IsDir():
		header.Typeflag, header.Name = tar.TypeDir, e.Path+"/"
		if e.Mode&fs.ModeSticky != 0 {
			header.Mode |= 0o1000
		}
	case e.Mode&fs.ModeSymlink != 0:
		header.Typeflag = tar.TypeSymlink
	}
	if err := archive.WriteHeader(header); err != nil {
		return err
	}
	if header.Typeflag != tar.TypeReg {
		return nil
	}
	return e.copyTo(archive)
}

// copyTo writes a regular file's content and checks it on the way.
func (e Entry) copyTo(w io.Writer) error {
	in := io.NopCloser(io.Reader(bytes.NewReader(e.Content)))
	if e.Source != "" {
		f, err := os.Open(e.Source)
		if err != nil {
			return err
		}
		in = f
	}
	defer in.Close()
	hash := sha256.New()
	if _, err := io.Copy(io.MultiWriter(w, hash), in); err != nil {
		return err
	}
	if got := hex.EncodeToString(hash.Sum(nil)); got != e.SHA256 {
		return fmt.Errorf("content of %s has SHA-256 %s, want %s", e.Source, got, e.SHA256)
	}
	return nil
}

// WriteFolder writes the tree below an existing folder. Modes do not depend on
// the umask. Owners are set only by root; anyone else's files are their own.
func (t *Tree) WriteFolder(root string) error {
	if t.err != nil {
		return t.err
	}
	entries := t.Entries()
	for _, e := range entries {
		if err := writeEntry(filepath.Join(root, filepath.FromSlash(e.Path)), e); err != nil {
			return fmt.Errorf("write tree: %s: %w", e.Path, err)
		}
	}
	// Folders last and deepest first: writing into them changed their times.
	slices.Reverse(entries)
	for _, e := range entries {
		if !e.Mode.IsDir() {
			continue
		}
		target := filepath.Join(root, filepath.FromSlash(e.Path))
		if err := errors.Join(os.Chmod(target, e.Mode), os.Chtimes(target, Time(), Time())); err != nil {
			return fmt.Errorf("write tree: %w", err)
		}
	}
	if err := errors.Join(os.Chmod(root, 0o755), os.Chtimes(root, Time(), Time())); err != nil {
		return fmt.Errorf("write tree: %w", err)
	}
	return nil
}

func writeEntry(target string, e Entry) (err error) {
	switch {
	case e.Mode.IsDir():
		err = os.Mkdir(target, 0o755)
	case e.Mode&fs.ModeSymlink != 0:
		err = os.Symlink(e.Link, target)
	default:
		err = writeRegular(target, e)
	}
	if err == nil && os.Geteuid() == 0 {
		err = os.Lchown(target, e.UID, e.GID)
	}
	return err
}

func writeRegular(target string, e Entry) (err error) {
	f, err := os.OpenFile(target, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	if err := errors.Join(e.copyTo(f), f.Chmod(e.Mode), f.Close()); err != nil {
		return err
	}
	return os.Chtimes(target, Time(), Time())
}

func fileDigest(name string) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	hash := sha256.New()
	if _, err := io.Copy(hash, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(hash.Sum(nil)), nil
}
