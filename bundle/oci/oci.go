// Package oci builds container images from file trees, reproducibly: the same
// description gives the same digests on any computer at any time.
//
// An Image describes one image; WriteLayout writes several into an OCI image
// layout, where layers that are the same are stored once. Layers are zstd.
// Nothing is pulled or pushed.
package oci

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/ichor-os/ichor/bundle/filetree"
)

// Annotations of an image in a layout's index.
const (
	// AnnotationRef is the tag, by the OCI image specification.
	AnnotationRef = "org.opencontainers.image.ref.name"
	// AnnotationName is the full reference, which containerd's import reads.
	AnnotationName = "io.containerd.image.name"
)

// An Image describes a container image for one architecture.
type Image struct {
	// Reference is the full name with tag, such as registry.k8s.io/pause:3.10.
	Reference string
	// Arch in Go's terms.
	Arch string
	// Layers from the lowest up.
	Layers []*filetree.Tree
	// Entrypoint, Cmd, Env, User and WorkingDir are as in the OCI image
	// configuration.
	Entrypoint []string
	Cmd        []string
	Env        []string
	User       string
	WorkingDir string
	Labels     map[string]string
	Ports      []string
}

// Written tells what an image became in a layout.
type Written struct {
	Reference string         `json:"reference"`
	Digest    string         `json:"digest"` // of the manifest, sha256:…
	Size      int64          `json:"size"`   // compressed, manifest and config included
	Layers    []WrittenLayer `json:"layers"`

	hash         v1.Hash
	manifestSize int64
}

// WrittenLayer is a layer of a written image.
type WrittenLayer struct {
	Digest string `json:"digest"`
	DiffID string `json:"diffID"`
	Size   int64  `json:"size"` // compressed, in bytes
}

// WriteLayout writes images into an OCI layout in folder, which must not exist
// or be empty. The order of the images is kept.
func WriteLayout(ctx context.Context, folder string, cache *LayerCache, images []Image) ([]Written, error) {
	target, err := layout.Write(folder, empty.Index)
	if err != nil {
		return nil, fmt.Errorf("write image layout: %w", err)
	}
	var written []Written
	for _, image := range images {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		one, err := appendImage(ctx, target, cache, image)
		if err != nil {
			return nil, fmt.Errorf("write image: %s: %w", image.Reference, err)
		}
		written = append(written, one)
	}
	return written, normalise(folder)
}

func appendImage(ctx context.Context, target layout.Path, cache *LayerCache, image Image) (Written, error) {
	built, layers, err := build(ctx, cache, image)
	if err != nil {
		return Written{}, err
	}
	tag, err := tagOf(image.Reference)
	if err != nil {
		return Written{}, err
	}
	if err := target.WriteImage(built); err != nil {
		return Written{}, err
	}
	written, err := describe(image.Reference, built, layers)
	if err != nil {
		return Written{}, err
	}
	return written, target.AppendDescriptor(v1.Descriptor{
		MediaType: types.OCIManifestSchema1, Size: written.manifestSize, Digest: written.hash,
		Platform:    &v1.Platform{OS: "linux", Architecture: image.Arch},
		Annotations: map[string]string{AnnotationRef: tag, AnnotationName: image.Reference},
	})
}

// build makes the image with its layers compressed.
func build(ctx context.Context, cache *LayerCache, image Image) (v1.Image, []WrittenLayer, error) {
	ports := map[string]struct{}{}
	for _, port := range image.Ports {
		ports[port] = struct{}{}
	}
	config := &v1.ConfigFile{
		Architecture: image.Arch, OS: "linux", Created: v1.Time{Time: filetree.Time()},
		RootFS: v1.RootFS{Type: "layers"},
		Config: v1.Config{
			Entrypoint: image.Entrypoint, Cmd: image.Cmd, Env: image.Env, User: image.User,
			WorkingDir: image.WorkingDir, Labels: image.Labels, ExposedPorts: ports,
		},
	}
	base := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON)
	built, err := mutate.ConfigFile(base, config)
	if err != nil {
		return nil, nil, err
	}
	var described []WrittenLayer
	for _, tree := range image.Layers {
		layer, err := cache.Layer(ctx, tree)
		if err != nil {
			return nil, nil, err
		}
		built, err = mutate.Append(built, mutate.Addendum{
			Layer: layer, MediaType: types.OCILayerZStd,
			History: v1.History{Created: v1.Time{Time: filetree.Time()}, CreatedBy: "ichor imager"},
		})
		if err != nil {
			return nil, nil, err
		}
		described = append(described, WrittenLayer{Digest: "sha256:" + layer.info.SHA256, DiffID: "sha256:" + layer.info.DiffID, Size: layer.info.Size})
	}
	return built, described, nil
}

func describe(reference string, built v1.Image, layers []WrittenLayer) (Written, error) {
	digest, err := built.Digest()
	if err != nil {
		return Written{}, err
	}
	manifestSize, err := built.Size()
	if err != nil {
		return Written{}, err
	}
	manifest, err := built.Manifest()
	if err != nil {
		return Written{}, err
	}
	size := manifestSize + manifest.Config.Size
	for _, layer := range layers {
		size += layer.Size
	}
	return Written{Reference: reference, Digest: digest.String(), Size: size, Layers: layers, hash: digest, manifestSize: manifestSize}, nil
}

// tagOf returns what stands behind the colon of the last path element.
func tagOf(reference string) (string, error) {
	for i := len(reference) - 1; i >= 0 && reference[i] != '/'; i-- {
		if reference[i] == ':' && i+1 < len(reference) {
			return reference[i+1:], nil
		}
	}
	return "", errors.New("reference has no tag")
}

// normalise gives every file of a layout the modes and times it has everywhere.
func normalise(folder string) error {
	return filepath.WalkDir(folder, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return fmt.Errorf("write image layout: %w", err)
		}
		perm := fs.FileMode(0o644)
		if d.IsDir() {
			perm = 0o755
		}
		return errors.Join(os.Chmod(name, perm), os.Chtimes(name, filetree.Time(), filetree.Time()))
	})
}
