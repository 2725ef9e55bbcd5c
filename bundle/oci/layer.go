package oci

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"github.com/klauspost/compress/zstd"

	"github.com/ichor-os/ichor/bundle/filetree"
	"github.com/ichor-os/ichor/bundle/publish"
)

// A Compressor turns a layer's tar archive into zstd. The same input gives the
// same output for the same ID.
type Compressor interface {
	// ID names the algorithm, its version and settings.
	ID() string
	Compress(ctx context.Context, w io.Writer, r io.Reader) error
}

// A LayerCache compresses file trees into layers and keeps them by content, as
// the best compression takes a minute for the largest.
type LayerCache struct {
	Folder     string
	Compressor Compressor
	// Log is told what takes long; nil is silent.
	Log func(format string, args ...any)
}

// A Layer is a compressed file tree on disk. It is a v1.Layer.
type Layer struct {
	path string
	info layerInfo
}

type layerInfo struct {
	SHA256 string `json:"sha256"` // of the compressed file
	DiffID string `json:"diffID"` // SHA-256 of the tar archive
	Size   int64  `json:"size"`   // compressed, in bytes
}

const (
	layerFile = "layer.tar.zst"
	infoFile  = "layer.json"
)

// Layer returns the layer of a tree, from the cache or made anew. A cached
// layer that does not match its checksum is made anew.
func (c *LayerCache) Layer(ctx context.Context, tree *filetree.Tree) (*Layer, error) {
	if err := tree.Err(); err != nil {
		return nil, err
	}
	key := sha256.Sum256([]byte("layer 1\n" + tree.Digest() + "\n" + c.Compressor.ID()))
	folder := filepath.Join(c.Folder, hex.EncodeToString(key[:]))
	layer, err := openLayer(folder)
	if err == nil {
		return layer, nil
	}
	if _, statErr := os.Lstat(folder); statErr == nil {
		// It may have been published since; only what is still bad is damaged.
		if layer, err = openLayer(folder); err == nil {
			return layer, nil
		}
		if c.Log != nil {
			c.Log("warning: cached layer is broken and is made again: %v", err)
		}
		if err := publish.Discard(folder); err != nil {
			return nil, fmt.Errorf("make layer: %w", err)
		}
	}
	if c.Log != nil && tree.Size() > 10<<20 {
		c.Log("compressing a layer of %d MB", tree.Size()/1e6)
	}
	err = publish.Folder(folder, func(temporary string) error { return c.make(ctx, temporary, tree) })
	if err != nil {
		if layer, openErr := openLayer(folder); openErr == nil {
			return layer, nil // another process was quicker
		}
		return nil, fmt.Errorf("make layer: %w", err)
	}
	return openLayer(folder)
}

func (c *LayerCache) make(ctx context.Context, folder string, tree *filetree.Tree) error {
	var info layerInfo
	err := publish.File(filepath.Join(folder, layerFile), 0o444, func(w io.Writer) error {
		reader, writer := io.Pipe()
		plain := sha256.New()
		written := make(chan error, 1)
		go func() {
			err := tree.WriteTar(io.MultiWriter(writer, plain))
			writer.CloseWithError(err)
			written <- err
		}()
		packed := sha256.New()
		counter := &countingWriter{}
		err := c.Compressor.Compress(ctx, io.MultiWriter(w, packed, counter), reader)
		// Closing the reader ends the writer's goroutine in every case.
		err = errors.Join(err, reader.Close(), ignoreClosedPipe(<-written))
		info = layerInfo{SHA256: hex.EncodeToString(packed.Sum(nil)), DiffID: hex.EncodeToString(plain.Sum(nil)), Size: counter.n}
		return err
	})
	if err != nil {
		return err
	}
	content, err := json.Marshal(info)
	if err != nil {
		return err
	}
	return publish.Bytes(filepath.Join(folder, infoFile), 0o444, content)
}

// ignoreClosedPipe drops what the writer of a pipe says when its reader gave up:
// the reader knows why.
func ignoreClosedPipe(err error) error {
	if errors.Is(err, io.ErrClosedPipe) {
		return nil
	}
	return err
}

type countingWriter struct{ n int64 }

func (c *countingWriter) Write(p []byte) (int, error) {
	c.n += int64(len(p))
	return len(p), nil
}

func openLayer(folder string) (*Layer, error) {
	content, err := os.ReadFile(filepath.Join(folder, infoFile))
	if err != nil {
		return nil, err
	}
	layer := &Layer{path: filepath.Join(folder, layerFile)}
	if err := json.Unmarshal(content, &layer.info); err != nil {
		return nil, fmt.Errorf("read layer: %s: %w", folder, err)
	}
	f, err := os.Open(layer.path)
	if err != nil {
		return nil, fmt.Errorf("read layer: %v", err)
	}
	defer f.Close()
	hash := sha256.New()
	if _, err := io.Copy(hash, f); err != nil {
		return nil, fmt.Errorf("read layer: %w", err)
	}
	if got := hex.EncodeToString(hash.Sum(nil)); got != layer.info.SHA256 {
		return nil, fmt.Errorf("read layer: %s: SHA-256 is %s, want %s", layer.path, got, layer.info.SHA256)
	}
	return layer, nil
}

// Digest implements v1.Layer.
func (l *Layer) Digest() (v1.Hash, error) {
	return v1.Hash{Algorithm: "sha256", Hex: l.info.SHA256}, nil
}

// DiffID implements v1.Layer.
func (l *Layer) DiffID() (v1.Hash, error) {
	return v1.Hash{Algorithm: "sha256", Hex: l.info.DiffID}, nil
}

// Size implements v1.Layer.
func (l *Layer) Size() (int64, error) { return l.info.Size, nil }

// MediaType implements v1.Layer.
func (l *Layer) MediaType() (types.MediaType, error) { return types.OCILayerZStd, nil }

// Compressed implements v1.Layer.
func (l *Layer) Compressed() (io.ReadCloser, error) { return os.Open(l.path) }

// Uncompressed implements v1.Layer.
func (l *Layer) Uncompressed() (io.ReadCloser, error) {
	f, err := os.Open(l.path)
	if err != nil {
		return nil, err
	}
	decoder, err := zstd.NewReader(f)
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return struct {
		io.Reader
		io.Closer
	}{decoder, closers{decoder.IOReadCloser(), f}}, nil
}

type closers [2]io.Closer

func (c closers) Close() error { return errors.Join(c[0].Close(), c[1].Close()) }

// FastZstd compresses in this process: quickly, and larger than the zstd
// program at its best level.
type FastZstd struct{}

// ID implements Compressor.
func (FastZstd) ID() string { return "klauspost/compress fastest" }

// Compress implements Compressor. One goroutine: more would cut blocks by the
// number of processors.
func (FastZstd) Compress(ctx context.Context, w io.Writer, r io.Reader) error {
	encoder, err := zstd.NewWriter(w, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1))
	if err != nil {
		return err
	}
	_, err = io.Copy(encoder, contextReader{ctx, r})
	return errors.Join(err, encoder.Close())
}

type contextReader struct {
	ctx context.Context
	r   io.Reader
}

func (c contextReader) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.r.Read(p)
}

var _ v1.Layer = (*Layer)(nil)
