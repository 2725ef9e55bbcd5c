// Package assets builds what a node starts from – root file system, squashfs,
// container images – and keeps it in folders named by their content, each
// described by a manifest.json.
//
// Readers call Default and Open and use nothing but what the manifest names.
// Builder makes such folders. A folder that has a manifest is complete: it is
// published whole or not at all.
package assets

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/ichor-os/ichor/bundle/oci"
	"github.com/ichor-os/ichor/version"
)

// Schema is the version of the manifest that this program writes and reads.
const Schema = 1

// manifestName is the file that makes a folder an assets folder.
const manifestName = "manifest.json"

// A Manifest says what an assets folder holds. Paths are relative to it.
type Manifest struct {
	Schema     int    `json:"schema"`
	Name       string `json:"name"`
	Version    string `json:"version"`
	Arch       string `json:"arch"`       // as GOARCH
	Kubernetes string `json:"kubernetes"` // without a leading v
	// Floating is set if a pinned Debian package was no longer served and a
	// newer one was taken, so that another build may differ.
	Floating bool `json:"floating"`
	// Init is the program that becomes PID 1, as a path in the root.
	Init string `json:"init,omitempty"`

	RootFS   *Tree     `json:"rootfs,omitempty"`
	Squashfs *Squashfs `json:"squashfs,omitempty"`
	Images   *Layout   `json:"images,omitempty"`

	Programs []Program       `json:"programs"`
	Debian   []DebianPackage `json:"debian"`
	SBOMs    []SBOM          `json:"sboms"`
}

// A Tree is a folder with files as they are on a node.
type Tree struct {
	Path   string `json:"path"`
	Digest string `json:"digest"` // SHA-256 over paths, modes, owners and contents
	Size   int64  `json:"size"`   // bytes of all regular files
	Files  int    `json:"files"`  // entries, folders and links included
}

// A File is a file with its checksum.
type File struct {
	Path   string `json:"path"`
	SHA256 string `json:"sha256"`
	Size   int64  `json:"size"` // bytes
}

// A Squashfs is an image of the root file system.
type Squashfs struct {
	File
	Compression string `json:"compression"` // fast or small
}

// A Layout is an OCI image layout.
type Layout struct {
	Path   string        `json:"path"`
	Digest string        `json:"digest"` // SHA-256 of its index.json
	Size   int64         `json:"size"`   // bytes of all blobs, each counted once
	Images []oci.Written `json:"images"`
}

// A Program is an executable that was built from Go modules.
type Program struct {
	Name    string `json:"name"`
	Module  string `json:"module"`
	Version string `json:"version"`
	SHA256  string `json:"sha256"`
	Size    int64  `json:"size"`
}

// A DebianPackage is a package that files of the assets are from.
type DebianPackage struct {
	Name     string `json:"name"`
	Version  string `json:"version"`
	SHA256   string `json:"sha256"`
	Floating bool   `json:"floating,omitempty"`
	Wanted   string `json:"wanted,omitempty"` // the pinned version, if floating
	Tool     bool   `json:"tool,omitempty"`   // used by the build, not part of it
}

// An SBOM is a bill of materials in SPDX 2.3 JSON.
type SBOM struct {
	Subject string `json:"subject"` // "root" or an image reference
	File
}

// Assets is an open assets folder.
type Assets struct {
	// Folder is absolute and without links.
	Folder   string
	Manifest Manifest
}

// ErrNone is returned when there are no assets yet.
var ErrNone = errors.New("no assets were built yet; run `make assets`")

// CacheFolder returns the folder in the user's cache that everything is built
// in.
func CacheFolder() (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("find cache folder: %w", err)
	}
	return filepath.Join(cache, version.ID), nil
}

// Default returns the assets folder that readers use: $ICHOR_ASSETS, or what
// the latest build made. The error is ErrNone if there is neither.
func Default() (string, error) {
	if folder := os.Getenv("ICHOR_ASSETS"); folder != "" {
		return folder, nil
	}
	cache, err := CacheFolder()
	if err != nil {
		return "", err
	}
	folder := filepath.Join(cache, "assets", currentName)
	if _, err := os.Stat(folder); errors.Is(err, fs.ErrNotExist) {
		return "", ErrNone
	}
	return folder, nil
}

// Open reads an assets folder's manifest and checks that every file it names is
// there with its size. Verify checks the contents too.
func Open(folder string) (*Assets, error) {
	resolved, err := filepath.EvalSymlinks(folder)
	if err != nil {
		return nil, fmt.Errorf("open assets: %w", err)
	}
	if resolved, err = filepath.Abs(resolved); err != nil {
		return nil, fmt.Errorf("open assets: %w", err)
	}
	content, err := os.ReadFile(filepath.Join(resolved, manifestName))
	if err != nil {
		return nil, fmt.Errorf("open assets: %w", err)
	}
	a := &Assets{Folder: resolved}
	if err := json.Unmarshal(content, &a.Manifest); err != nil {
		return nil, fmt.Errorf("open assets: %s: %w", resolved, err)
	}
	if a.Manifest.Schema != Schema {
		return nil, fmt.Errorf("open assets: %s: manifest has schema %d, this program reads %d; build the assets again", resolved, a.Manifest.Schema, Schema)
	}
	if err := a.present(); err != nil {
		return nil, fmt.Errorf("open assets: %s: %w", resolved, err)
	}
	return a, nil
}

// Path returns the absolute path of something in the manifest.
func (a *Assets) Path(relative string) string {
	return filepath.Join(a.Folder, filepath.FromSlash(relative))
}

// files returns every file that the manifest names with a checksum.
func (a *Assets) files() []File {
	var files []File
	if a.Manifest.Squashfs != nil {
		files = append(files, a.Manifest.Squashfs.File)
	}
	for _, sbom := range a.Manifest.SBOMs {
		files = append(files, sbom.File)
	}
	return files
}

func (a *Assets) present() error {
	for _, file := range a.files() {
		info, err := os.Stat(a.Path(file.Path))
		if err != nil {
			return err
		}
		if info.Size() != file.Size {
			return fmt.Errorf("%s has %d bytes, want %d", file.Path, info.Size(), file.Size)
		}
	}
	if tree := a.Manifest.RootFS; tree != nil {
		if _, err := os.Stat(filepath.Join(a.Path(tree.Path), a.Manifest.Init)); err != nil {
			return err
		}
	}
	if a.Manifest.Images == nil {
		return nil
	}
	for digest, size := range a.blobs() {
		info, err := os.Stat(a.blobPath(digest))
		if err != nil {
			return err
		}
		if size >= 0 && info.Size() != size {
			return fmt.Errorf("blob %s has %d bytes, want %d", digest, info.Size(), size)
		}
	}
	return nil
}

// blobs maps the digests that the manifest names to their sizes; -1 if it does
// not tell.
func (a *Assets) blobs() map[string]int64 {
	blobs := map[string]int64{}
	for _, image := range a.Manifest.Images.Images {
		blobs[image.Digest] = -1
		for _, layer := range image.Layers {
			blobs[layer.Digest] = layer.Size
		}
	}
	return blobs
}
