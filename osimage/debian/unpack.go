package debian

import (
	"archive/tar"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/ichor-os/ichor/bundle/publish"
)

// A Tree is a folder with the files of several packages, laid over each other
// with /bin, /sbin and /lib merged into /usr. Nothing in it was run, and no
// file carries a setuid or setgid bit.
type Tree struct {
	Folder   string
	Packages []Package
	// Arch in Go's terms.
	Arch string
}

// Unpack lays out packages in a folder of the store that is named by their
// checksums; a tree that is there already is used again.
func (s *Store) Unpack(ctx context.Context, arch string, packages []Package) (Tree, error) {
	hash := sha256.New()
	fmt.Fprintf(hash, "layout 2\n")
	for _, p := range packages {
		fmt.Fprintf(hash, "%s %s\n", p.Name, p.SHA256)
	}
	folder := filepath.Join(s.Folder, "unpacked", hex.EncodeToString(hash.Sum(nil))[:32])
	tree := Tree{Folder: folder, Packages: packages, Arch: arch}
	if _, err := os.Stat(folder); err == nil {
		return tree, nil
	}
	err := publish.Folder(folder, func(temporary string) error {
		owners := map[string]string{}
		for _, p := range packages {
			if err := unpackInto(ctx, p, temporary, owners); err != nil {
				return fmt.Errorf("unpack debian package: %s: %w", p.Name, err)
			}
		}
		content, err := json.Marshal(owners)
		if err != nil {
			return err
		}
		return publish.Bytes(filepath.Join(temporary, ownersFile), 0o444, content)
	})
	if err != nil {
		if _, statErr := os.Stat(folder); statErr == nil {
			return tree, nil // another process was quicker
		}
		return Tree{}, err
	}
	return tree, nil
}

// ownersFile maps each regular file of a tree to the package it is from.
const ownersFile = ".owners.json"

func (t Tree) owners() (map[string]string, error) {
	content, err := os.ReadFile(filepath.Join(t.Folder, ownersFile))
	if err != nil {
		return nil, fmt.Errorf("read debian tree: %w", err)
	}
	var owners map[string]string
	if err := json.Unmarshal(content, &owners); err != nil {
		return nil, fmt.Errorf("read debian tree: %s: %w", ownersFile, err)
	}
	return owners, nil
}

// unpackInto writes a package's files below root and notes them in owners.
func unpackInto(ctx context.Context, p Package, root string, owners map[string]string) error {
	jail, err := os.OpenRoot(root)
	if err != nil {
		return err
	}
	defer jail.Close()
	return eachFile(ctx, p.Path, func(name string, header *tar.Header, content io.Reader) error {
		if err := jail.MkdirAll(path.Dir(name), 0o755); err != nil {
			return err
		}
		switch header.Typeflag {
		case tar.TypeDir:
			return jail.MkdirAll(name, 0o755)
		case tar.TypeSymlink:
			return writeLink(jail, name, header.Linkname)
		case tar.TypeLink:
			target, ok := mergedPath(header.Linkname)
			if !ok {
				return fmt.Errorf("hard link leads outside: %s", header.Linkname)
			}
			return jail.Link(target, name)
		case tar.TypeReg:
			owners[name] = p.Name
			return writeRegular(jail, name, header.FileInfo().Mode().Perm(), content)
		}
		return fmt.Errorf("%s: type %q is not unpacked", name, header.Typeflag)
	})
}

func writeLink(jail *os.Root, name, target string) error {
	if _, err := jail.Lstat(name); err == nil {
		return nil // base-files and others repeat the merged links
	}
	return jail.Symlink(target, name)
}

func writeRegular(jail *os.Root, name string, perm os.FileMode, content io.Reader) (err error) {
	f, err := jail.OpenFile(name, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o644)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if _, err := io.Copy(f, content); err != nil {
		return err
	}
	return f.Chmod(perm&0o755 | 0o400)
}

// eachFile calls visit with every file of a package under its merged path.
// dpkg-deb takes the archive apart; it runs none of its content.
func eachFile(ctx context.Context, deb string, visit func(name string, header *tar.Header, content io.Reader) error) (err error) {
	cmd := exec.CommandContext(ctx, "dpkg-deb", "--fsys-tarfile", deb)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	cmd.WaitDelay = 5 * time.Second
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start dpkg-deb: %w", err)
	}
	err = visitTar(stdout, visit)
	if err != nil {
		// dpkg-deb's own child may still be writing; without a reader it ends.
		return errors.Join(err, stdout.Close(), ignoreKilled(cmd.Wait()))
	}
	if _, err := io.Copy(io.Discard, stdout); err != nil {
		return errors.Join(err, cmd.Wait())
	}
	if err := cmd.Wait(); err != nil {
		return fmt.Errorf("dpkg-deb: %w: %s", err, lastLines(stderr.String(), 2))
	}
	return nil
}

// ignoreKilled drops the exit status of a process that was stopped because its
// output was refused: the refusal is the error.
func ignoreKilled(err error) error {
	var exit *exec.ExitError
	if errors.As(err, &exit) || errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

func visitTar(r io.Reader, visit func(name string, header *tar.Header, content io.Reader) error) error {
	archive := tar.NewReader(r)
	for {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read package: %w", err)
		}
		name, ok := mergedPath(header.Name)
		if !ok {
			return fmt.Errorf("read package: path leads outside: %s", header.Name)
		}
		if name == "." || isMergedFolder(name) {
			continue
		}
		if err := visit(name, header, archive); err != nil {
			return err
		}
	}
}

var mergedFolders = []string{"bin", "sbin", "lib", "lib64"}

func isMergedFolder(name string) bool {
	for _, folder := range mergedFolders {
		if name == folder {
			return true
		}
	}
	return false
}

// mergedPath cleans a path of an archive and moves what lies in /bin, /sbin,
// /lib and /lib64 to /usr. It reports false for a path that leads outside.
func mergedPath(name string) (string, bool) {
	clean := path.Clean("/" + name)[1:]
	if clean == "" {
		return ".", true
	}
	if !filepath.IsLocal(clean) || strings.Contains("/"+name+"/", "/../") {
		return "", false
	}
	first, rest, _ := strings.Cut(clean, "/")
	if rest != "" && isMergedFolder(first) {
		return "usr/" + clean, true
	}
	return clean, true
}
