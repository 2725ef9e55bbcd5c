package containerd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	contentapi "github.com/containerd/containerd/api/services/content/v1"
	imagesapi "github.com/containerd/containerd/api/services/images/v1"
	snapshotsapi "github.com/containerd/containerd/api/services/snapshots/v1"
	"github.com/containerd/errdefs"
	"github.com/containerd/platforms"
	"github.com/opencontainers/image-spec/identity"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
)

// Types of manifests that docker made.
const (
	dockerIndex    = "application/vnd.docker.distribution.manifest.list.v2+json"
	dockerManifest = "application/vnd.docker.distribution.manifest.v2+json"
)

// maxManifest bounds a manifest or config that is read into memory.
const maxManifest = 8 << 20

func isEOF(err error) bool { return errors.Is(err, io.EOF) }

// blob reads a manifest or config.
func (c *Client) blob(ctx context.Context, digest string, into any) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	parts, err := c.content().Read(ctx, &contentapi.ReadContentRequest{Digest: digest})
	if err != nil {
		return fmt.Errorf("read %s: %w", digest, err)
	}
	var text []byte
	for {
		part, err := parts.Recv()
		if isEOF(err) {
			break
		}
		if err != nil {
			return fmt.Errorf("read %s: %w", digest, err)
		}
		if text = append(text, part.GetData()...); len(text) > maxManifest {
			return fmt.Errorf("read %s: it is larger than %d bytes", digest, maxManifest)
		}
	}
	if err := json.Unmarshal(text, into); err != nil {
		return fmt.Errorf("parse %s: %w", digest, err)
	}
	return nil
}

// manifest finds the manifest for this machine below a target, and counts the
// bytes of what it passed on the way.
func (c *Client) manifest(ctx context.Context, target ocispec.Descriptor) (ocispec.Manifest, int64, error) {
	passed := target.Size
	for range 3 { // an index may hold an index, no more
		switch target.MediaType {
		case ocispec.MediaTypeImageManifest, dockerManifest:
			var m ocispec.Manifest
			return m, passed, c.blob(ctx, target.Digest.String(), &m)
		case ocispec.MediaTypeImageIndex, dockerIndex:
			var index ocispec.Index
			if err := c.blob(ctx, target.Digest.String(), &index); err != nil {
				return ocispec.Manifest{}, 0, err
			}
			next, ok := fitting(index.Manifests)
			if !ok {
				return ocispec.Manifest{}, 0, fmt.Errorf("image %s has nothing for this machine: %w", target.Digest, errdefs.ErrNotFound)
			}
			target, passed = next, passed+next.Size
		default:
			return ocispec.Manifest{}, 0, fmt.Errorf("image %s: unknown kind %s", target.Digest, target.MediaType)
		}
	}
	return ocispec.Manifest{}, 0, fmt.Errorf("image %s: indexes within indexes", target.Digest)
}

// fitting picks what suits this machine best; what names no platform suits all.
func fitting(list []ocispec.Descriptor) (ocispec.Descriptor, bool) {
	own := platforms.Default()
	best := -1
	for i, d := range list {
		if d.Platform != nil && !own.Match(*d.Platform) {
			continue
		}
		if best < 0 || d.Platform != nil && (list[best].Platform == nil || own.Less(*d.Platform, *list[best].Platform)) {
			best = i
		}
	}
	if best < 0 {
		return ocispec.Descriptor{}, false
	}
	return list[best], true
}

func descriptor(in *imagesapi.Image) ocispec.Descriptor {
	t := in.GetTarget()
	return ocispec.Descriptor{MediaType: t.GetMediaType(), Digest: digestOf(t.GetDigest()), Size: t.GetSize()}
}

// Size is what an image for this machine takes: manifest, config and layers as
// they were pulled.
func (c *Client) Size(ctx context.Context, image *imagesapi.Image) (int64, error) {
	m, size, err := c.manifest(ctx, descriptor(image))
	if err != nil {
		return 0, err
	}
	size += m.Config.Size
	for _, layer := range m.Layers {
		size += layer.Size
	}
	return size, nil
}

// Unpacked is an image that a container can be made of.
type Unpacked struct {
	// Name is its reference.
	Name string
	// Chain is the snapshot of its last layer.
	Chain string
	// Config is how it wants to be run.
	Config ocispec.ImageConfig
}

// Unpacked gives an image if it is there and unpacked; an error of errdefs.ErrNotFound
// says that it is not.
func (c *Client) Unpacked(ctx context.Context, ref string) (Unpacked, error) {
	got, err := c.Images().Get(ctx, &imagesapi.GetImageRequest{Name: ref})
	if err != nil {
		return Unpacked{}, fmt.Errorf("look for image: %s: %w", ref, err)
	}
	m, _, err := c.manifest(ctx, descriptor(got.GetImage()))
	if err != nil {
		return Unpacked{}, fmt.Errorf("look into image: %s: %w", ref, err)
	}
	var config ocispec.Image
	if err := c.blob(ctx, m.Config.Digest.String(), &config); err != nil {
		return Unpacked{}, fmt.Errorf("look into image: %s: %w", ref, err)
	}
	chain := identity.ChainID(config.RootFS.DiffIDs).String()
	if _, err := c.Snapshots().Stat(ctx, &snapshotsapi.StatSnapshotRequest{Snapshotter: Snapshotter, Key: chain}); err != nil {
		return Unpacked{}, fmt.Errorf("look for layers of image: %s: %w", ref, err)
	}
	return Unpacked{Name: ref, Chain: chain, Config: config.Config}, nil
}
