package cri

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// Cache serves the images of OCI layouts as a registry, read-only. An image is
// found by the name in its annotation io.containerd.image.name (or
// org.opencontainers.image.ref.name, if that is a whole reference), or by its
// digest. The layouts are read at each request for a name, so an image that is
// added later is found.
type Cache struct {
	// Layouts are folders with an index.json and blobs.
	Layouts []string
}

type descriptor struct {
	MediaType   string            `json:"mediaType"`
	Digest      string            `json:"digest"`
	Size        int64             `json:"size"`
	Annotations map[string]string `json:"annotations"`
}

var (
	digestPattern  = regexp.MustCompile(`^sha256:[0-9a-f]{64}$`)
	requestPattern = regexp.MustCompile(`^/v2/(.+)/(manifests|blobs)/([^/]+)$`)
)

// names under which a layout's index keeps the reference of an image.
var nameAnnotations = []string{"io.containerd.image.name", "org.opencontainers.image.ref.name"}

// find looks a reference (with tag or digest) up in the indexes.
func (c *Cache) find(ref string) (descriptor, error) {
	var failures error
	for _, layout := range c.Layouts {
		text, err := os.ReadFile(filepath.Join(layout, "index.json"))
		if err != nil {
			failures = errors.Join(failures, fmt.Errorf("read image cache: %w", err))
			continue
		}
		var index struct{ Manifests []descriptor }
		if err := json.Unmarshal(text, &index); err != nil {
			failures = errors.Join(failures, fmt.Errorf("read image cache: %s: %w", layout, err))
			continue
		}
		for _, d := range index.Manifests {
			for _, name := range nameAnnotations {
				if d.Annotations[name] == ref {
					return d, nil
				}
			}
		}
	}
	return descriptor{}, errors.Join(fs.ErrNotExist, failures)
}

// blob opens a blob by its digest.
func (c *Cache) blob(digest string) (*os.File, error) {
	if !digestPattern.MatchString(digest) {
		return nil, fs.ErrNotExist
	}
	for _, layout := range c.Layouts {
		f, err := os.Open(filepath.Join(layout, "blobs", "sha256", strings.TrimPrefix(digest, "sha256:")))
		if err == nil || !errors.Is(err, fs.ErrNotExist) {
			return f, err
		}
	}
	return nil, fs.ErrNotExist
}

// ServeHTTP implements the pull part of the OCI distribution specification. The
// registry that an image belongs to is in the query parameter ns, as containerd
// sends it to mirrors.
func (c *Cache) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		http.Error(w, "the image cache is read-only", http.StatusMethodNotAllowed)
		return
	}
	if r.URL.Path == "/v2/" || r.URL.Path == "/v2" {
		w.WriteHeader(http.StatusOK)
		return
	}
	match := requestPattern.FindStringSubmatch(r.URL.Path)
	if match == nil {
		http.NotFound(w, r)
		return
	}
	name, kind, ref := match[1], match[2], match[3]
	if kind == "blobs" {
		c.serve(w, r, ref, "application/octet-stream")
		return
	}
	if digestPattern.MatchString(ref) {
		c.serve(w, r, ref, c.mediaType(ref))
		return
	}
	found, err := c.find(r.URL.Query().Get("ns") + "/" + name + ":" + ref)
	if err != nil {
		http.Error(w, "the image cache does not hold this image", http.StatusNotFound)
		return
	}
	c.serve(w, r, found.Digest, found.MediaType)
}

// mediaType reads the type that a manifest says it has.
func (c *Cache) mediaType(digest string) string {
	f, err := c.blob(digest)
	if err != nil {
		return ""
	}
	defer f.Close()
	var manifest struct {
		MediaType string          `json:"mediaType"`
		Manifests json.RawMessage `json:"manifests"`
	}
	if err := json.NewDecoder(f).Decode(&manifest); err != nil {
		return ""
	}
	switch {
	case manifest.MediaType != "":
		return manifest.MediaType
	case manifest.Manifests != nil:
		return "application/vnd.oci.image.index.v1+json"
	}
	return "application/vnd.oci.image.manifest.v1+json"
}

func (c *Cache) serve(w http.ResponseWriter, r *http.Request, digest, mediaType string) {
	f, err := c.blob(digest)
	if err != nil {
		http.Error(w, "the image cache does not hold this blob", http.StatusNotFound)
		return
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		http.Error(w, "the image cache cannot be read", http.StatusInternalServerError)
		return
	}
	if mediaType != "" {
		w.Header().Set("Content-Type", mediaType)
	}
	w.Header().Set("Docker-Content-Digest", digest)
	http.ServeContent(w, r, "", info.ModTime(), f)
}
