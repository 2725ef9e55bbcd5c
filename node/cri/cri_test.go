package cri

import (
	"crypto/sha256"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"
)

// layout writes an OCI layout with one image and returns its digest.
func layout(t *testing.T, name, manifest string) (folder, digest string) {
	t.Helper()
	folder = t.TempDir()
	sum := fmt.Sprintf("%x", sha256.Sum256([]byte(manifest)))
	if err := os.MkdirAll(filepath.Join(folder, "blobs/sha256"), 0o755); err != nil {
		t.Fatal(err)
	}
	index := fmt.Sprintf(`{"schemaVersion":2,"manifests":[{"mediaType":"application/vnd.oci.image.manifest.v1+json",
"digest":"sha256:%s","size":%d,"annotations":{"io.containerd.image.name":%q}}]}`, sum, len(manifest), name)
	for path, text := range map[string]string{"index.json": index, "blobs/sha256/" + sum: manifest} {
		if err := os.WriteFile(filepath.Join(folder, path), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return folder, "sha256:" + sum
}

func TestCache_ServesWhatItHolds(t *testing.T) {
	const manifest = `{"schemaVersion":2,"config":{}}`
	folder, digest := layout(t, "registry.k8s.io/pause:3.10", manifest)
	server := httptest.NewServer(&Cache{Layouts: []string{"/nonexistent", folder}})
	defer server.Close()
	for _, test := range []struct {
		name, method, path string
		status             int
		body               string
	}{
		{"base", "GET", "/v2/", 200, ""},
		{"by tag", "GET", "/v2/pause/manifests/3.10?ns=registry.k8s.io", 200, manifest},
		{"head by tag", "HEAD", "/v2/pause/manifests/3.10?ns=registry.k8s.io", 200, ""},
		{"by digest", "GET", "/v2/pause/manifests/" + digest + "?ns=registry.k8s.io", 200, manifest},
		{"blob", "GET", "/v2/pause/blobs/" + digest, 200, manifest},
		{"other registry", "GET", "/v2/pause/manifests/3.10?ns=docker.io", 404, ""},
		{"other tag", "GET", "/v2/pause/manifests/3.9?ns=registry.k8s.io", 404, ""},
		{"path out of the layout", "GET", "/v2/pause/blobs/..%2f..%2findex.json", 404, ""},
		{"push", "PUT", "/v2/pause/manifests/3.10", 405, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			request, err := http.NewRequestWithContext(t.Context(), test.method, server.URL+test.path, nil)
			if err != nil {
				t.Fatal(err)
			}
			response, err := http.DefaultClient.Do(request)
			if err != nil {
				t.Fatal(err)
			}
			defer response.Body.Close()
			body, err := io.ReadAll(response.Body)
			if err != nil || response.StatusCode != test.status {
				t.Fatalf("status = %d, %v; want %d", response.StatusCode, err, test.status)
			}
			if test.body != "" && string(body) != test.body {
				t.Errorf("body = %q, want %q", body, test.body)
			}
			if test.status == 200 && strings.Contains(test.path, "manifests") {
				if got := response.Header.Get("Docker-Content-Digest"); got != digest {
					t.Errorf("digest = %s, want %s", got, digest)
				}
			}
		})
	}
}

func TestConfig_IsValidTOMLAndKeepsScoresWhereTheyCannotBeLowered(t *testing.T) {
	for _, namespaced := range []bool{true, false} {
		text := Config(Settings{Hosts: "/etc/cri/conf.d/hosts", Pause: "registry.k8s.io/pause:3.10", Namespaced: namespaced})
		var parsed struct {
			Version int
			Plugins map[string]map[string]any
		}
		if err := toml.Unmarshal([]byte(text), &parsed); err != nil {
			t.Fatalf("%v in:\n%s", err, text)
		}
		restricted := parsed.Plugins["io.containerd.cri.v1.runtime"]["restrict_oom_score_adj"]
		if parsed.Version != 3 || restricted != namespaced {
			t.Errorf("version %d, restricted %v; want 3, %v", parsed.Version, restricted, namespaced)
		}
	}
}
