package assets

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/ichor-os/ichor/bundle/filetree"
)

func (a *Assets) blobPath(digest string) string {
	return filepath.Join(a.Path(a.Manifest.Images.Path), "blobs", "sha256", strings.TrimPrefix(digest, "sha256:"))
}

// Verify reads every byte of the assets and compares it with the manifest.
func (a *Assets) Verify() error {
	var problems []error
	for _, file := range a.files() {
		problems = append(problems, compare(a.Path(file.Path), file.SHA256))
	}
	if a.Manifest.RootFS != nil {
		problems = append(problems, a.verifyRoot())
	}
	if a.Manifest.Images != nil {
		problems = append(problems, a.verifyImages())
	}
	if err := errors.Join(problems...); err != nil {
		return fmt.Errorf("verify assets: %s: %w", a.Folder, err)
	}
	return nil
}

func (a *Assets) verifyRoot() error {
	tree, err := ReadTree(a.Path(a.Manifest.RootFS.Path))
	if err != nil {
		return err
	}
	if got := tree.Digest(); got != a.Manifest.RootFS.Digest {
		return fmt.Errorf("%s: digest is %s, want %s", a.Manifest.RootFS.Path, got, a.Manifest.RootFS.Digest)
	}
	return nil
}

func (a *Assets) verifyImages() error {
	layout := a.Path(a.Manifest.Images.Path)
	problems := []error{compare(filepath.Join(layout, "index.json"), a.Manifest.Images.Digest)}
	entries, err := os.ReadDir(filepath.Join(layout, "blobs", "sha256"))
	if err != nil {
		return err
	}
	for _, entry := range entries {
		problems = append(problems, compare(filepath.Join(layout, "blobs", "sha256", entry.Name()), entry.Name()))
	}
	return errors.Join(problems...)
}

func compare(path, want string) error {
	got, _, err := digestFile(path)
	if err != nil {
		return err
	}
	if got != strings.TrimPrefix(want, "sha256:") {
		return fmt.Errorf("%s: SHA-256 is %s, want %s", path, got, want)
	}
	return nil
}

func digestFile(path string) (digest string, size int64, err error) {
	f, err := os.Open(path)
	if err != nil {
		return "", 0, err
	}
	defer f.Close()
	hash := sha256.New()
	size, err = io.Copy(hash, f)
	if err != nil {
		return "", 0, fmt.Errorf("read %s: %w", path, err)
	}
	return hex.EncodeToString(hash.Sum(nil)), size, nil
}

// ReadTree describes a root file system that is a folder already. All owners
// count as root, as in its squashfs.
func ReadTree(root string) (*filetree.Tree, error) {
	tree := &filetree.Tree{}
	err := filepath.WalkDir(root, func(full string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, full)
		if err != nil || name == "." {
			return err
		}
		name = filepath.ToSlash(name)
		info, err := d.Info()
		if err != nil {
			return err
		}
		switch mode := info.Mode(); {
		case mode.IsDir():
			tree.Folder(name, mode)
		case mode&fs.ModeSymlink != 0:
			target, err := os.Readlink(full)
			if err != nil {
				return err
			}
			tree.Symlink(name, target)
		case mode.IsRegular():
			tree.Copy(name, mode.Perm(), full, "")
		default:
			return fmt.Errorf("%s is a %s", full, mode.Type())
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read tree: %w", err)
	}
	return tree, tree.Err()
}
