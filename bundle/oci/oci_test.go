package oci

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"github.com/google/go-containerregistry/pkg/v1/validate"

	"github.com/ichor-os/ichor/bundle/filetree"
)

func tree(content string) *filetree.Tree {
	t := &filetree.Tree{}
	t.Bytes("usr/bin/program", 0o755, []byte(strings.Repeat(content, 1000)))
	return t
}

func sample() []Image {
	shared := tree("shared")
	return []Image{
		{Reference: "registry.example/a:v1", Arch: "amd64", Layers: []*filetree.Tree{shared, tree2("one")}, Entrypoint: []string{"/usr/bin/program"}, User: "60:60", Labels: map[string]string{"k": "v"}},
		{Reference: "registry.example:5000/b/c:v2", Arch: "amd64", Layers: []*filetree.Tree{shared}},
	}
}

func tree2(content string) *filetree.Tree {
	t := &filetree.Tree{}
	t.Bytes("etc/file", 0o644, []byte(content))
	return t
}

func write(t *testing.T, cache string) (string, []Written) {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "images")
	written, err := WriteLayout(context.Background(), folder, &LayerCache{Folder: cache, Compressor: FastZstd{}}, sample())
	if err != nil {
		t.Fatal(err)
	}
	return folder, written
}

func TestWriteLayout_ImagesAreValidAndNamed(t *testing.T) {
	folder, written := write(t, t.TempDir())
	index, err := layout.ImageIndexFromPath(folder)
	if err != nil {
		t.Fatal(err)
	}
	// Fast, as the validator unpacks gzip only; the content of layers is the
	// next test's.
	if err := validate.Index(index, validate.Fast); err != nil {
		t.Error(err)
	}
	manifest, err := index.IndexManifest()
	if err != nil {
		t.Fatal(err)
	}
	var names, tags []string
	for i, d := range manifest.Manifests {
		names, tags = append(names, d.Annotations[AnnotationName]), append(tags, d.Annotations[AnnotationRef])
		if d.ArtifactType != "" {
			t.Errorf("%s: artefact type %s, want none for an image", names[i], d.ArtifactType)
		}
		if d.MediaType != types.OCIManifestSchema1 || d.Digest.String() != written[i].Digest {
			t.Errorf("%s: type %s, digest %s, want an OCI manifest with %s", names[i], d.MediaType, d.Digest, written[i].Digest)
		}
	}
	if diff := cmp.Diff([]string{"registry.example/a:v1", "registry.example:5000/b/c:v2"}, names); diff != "" {
		t.Errorf("names differ (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"v1", "v2"}, tags); diff != "" {
		t.Errorf("tags differ (-want +got):\n%s", diff)
	}
}

func TestLayer_UnpacksToItsDiffID(t *testing.T) {
	cache := &LayerCache{Folder: t.TempDir(), Compressor: FastZstd{}}
	layer, err := cache.Layer(context.Background(), tree("x"))
	if err != nil {
		t.Fatal(err)
	}
	plain, err := layer.Uncompressed()
	if err != nil {
		t.Fatal(err)
	}
	defer plain.Close()
	hash := sha256.New()
	if _, err := io.Copy(hash, plain); err != nil {
		t.Fatal(err)
	}
	if got := hex.EncodeToString(hash.Sum(nil)); got != layer.info.DiffID {
		t.Errorf("SHA-256 of the unpacked layer is %s, want %s", got, layer.info.DiffID)
	}
}

func TestWriteLayout_SharedLayerIsStoredOnce(t *testing.T) {
	folder, written := write(t, t.TempDir())
	if written[0].Layers[0] != written[1].Layers[0] {
		t.Errorf("the shared layer differs: %v and %v", written[0].Layers[0], written[1].Layers[0])
	}
	blobs, err := os.ReadDir(filepath.Join(folder, "blobs", "sha256"))
	if err != nil {
		t.Fatal(err)
	}
	if len(blobs) != 6 { // two layers, two configs, two manifests
		t.Errorf("layout holds %d blobs, want 6", len(blobs))
	}
}

func TestWriteLayout_SameBytesWithAnotherUmaskAndAnEmptyCache(t *testing.T) {
	first, one := write(t, t.TempDir())
	old := syscall.Umask(0o077)
	defer syscall.Umask(old)
	second, two := write(t, t.TempDir())
	if diff := cmp.Diff(one, two, cmpopts.IgnoreUnexported(Written{})); diff != "" {
		t.Errorf("images differ (-first +second):\n%s", diff)
	}
	for _, name := range []string{"index.json", "oci-layout"} {
		a, err := os.ReadFile(filepath.Join(first, name))
		if err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(filepath.Join(second, name))
		if err != nil {
			t.Fatal(err)
		}
		if string(a) != string(b) {
			t.Errorf("%s differs:\n%s\n%s", name, a, b)
		}
	}
}

// counting counts how often it compresses and may fail.
type counting struct {
	FastZstd
	calls int
	err   error
}

func (c *counting) Compress(ctx context.Context, w io.Writer, r io.Reader) error {
	c.calls++
	if c.err != nil {
		if _, err := io.CopyN(w, r, 700); err != nil {
			return err
		}
		return c.err
	}
	return c.FastZstd.Compress(ctx, w, r)
}

func TestLayer_IsCompressedOnce(t *testing.T) {
	compressor := &counting{}
	cache := &LayerCache{Folder: t.TempDir(), Compressor: compressor}
	for range 3 {
		if _, err := cache.Layer(context.Background(), tree("x")); err != nil {
			t.Fatal(err)
		}
	}
	if compressor.calls != 1 {
		t.Errorf("compressed %d times, want once", compressor.calls)
	}
}

func TestLayer_FullDiskLeavesNothingThatCountsAsALayer(t *testing.T) {
	compressor := &counting{err: syscall.ENOSPC}
	cache := &LayerCache{Folder: t.TempDir(), Compressor: compressor}
	if _, err := cache.Layer(context.Background(), tree("x")); !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("error = %v, want ENOSPC", err)
	}
	entries, err := os.ReadDir(cache.Folder)
	if err != nil || len(entries) != 0 {
		t.Fatalf("cache holds %v, %v, want nothing", entries, err)
	}
	compressor.err = nil
	if _, err := cache.Layer(context.Background(), tree("x")); err != nil {
		t.Errorf("second try: %v", err)
	}
}

func TestLayer_InterruptEndsAndLeavesNothing(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	cache := &LayerCache{Folder: t.TempDir(), Compressor: FastZstd{}}
	if _, err := cache.Layer(ctx, tree("x")); !errors.Is(err, context.Canceled) {
		t.Fatalf("error = %v, want canceled", err)
	}
	if entries, err := os.ReadDir(cache.Folder); err != nil || len(entries) != 0 {
		t.Errorf("cache holds %v, %v, want nothing", entries, err)
	}
}

func TestLayer_DamagedCacheEntryIsMadeAgain(t *testing.T) {
	compressor := &counting{}
	cache := &LayerCache{Folder: t.TempDir(), Compressor: compressor}
	layer, err := cache.Layer(context.Background(), tree("x"))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Truncate(layer.path, 10), os.Remove(filepath.Join(filepath.Dir(layer.path), infoFile))); err != nil {
		t.Fatal(err)
	}
	again, err := cache.Layer(context.Background(), tree("x"))
	if err != nil {
		t.Fatal(err)
	}
	if compressor.calls != 2 || again.info != layer.info {
		t.Errorf("compressed %d times to %v, want twice to %v", compressor.calls, again.info, layer.info)
	}
}

func TestWriteLayout_ReferenceWithoutTagIsRefused(t *testing.T) {
	images := []Image{{Reference: "registry.example:5000/a", Arch: "amd64", Layers: []*filetree.Tree{tree("x")}}}
	cache := &LayerCache{Folder: t.TempDir(), Compressor: FastZstd{}}
	if _, err := WriteLayout(context.Background(), filepath.Join(t.TempDir(), "images"), cache, images); err == nil {
		t.Error("no error")
	}
}
