package config_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ichor-os/ichor/config"
	"github.com/ichor-os/ichor/config/document"
	"github.com/ichor-os/ichor/config/validate"
)

const vectors = "../test/vectors"

type verdict struct {
	DecodeOK  bool `json:"decode_ok"`
	Documents []struct {
		APIVersion string `json:"apiVersion"`
		Kind       string `json:"kind"`
	} `json:"documents"`
	Complete bool `json:"complete_for_boot"`
	Modes    map[string]struct {
		Valid bool `json:"valid"`
	} `json:"modes"`
}

func readVerdict(t *testing.T, path string, into any) {
	t.Helper()

	if err := json.Unmarshal(read(t, path), into); err != nil {
		t.Fatal(err)
	}
}

func read(t testing.TB, path string) []byte {
	t.Helper()

	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}

	return data
}

func folders(t testing.TB, group string) []string {
	t.Helper()

	dirs, err := filepath.Glob(filepath.Join(vectors, group, "*"))
	if err != nil || len(dirs) == 0 {
		t.Fatalf("no vectors in %s: %v", group, err)
	}

	return dirs
}

func TestVectors_Decode(t *testing.T) {
	for _, dir := range folders(t, "decode") {
		id := filepath.Base(dir)

		t.Run(id, func(t *testing.T) {
			if why := better[id]; why != "" {
				t.Skip("deliberately different: " + why)
			}

			var want verdict

			readVerdict(t, filepath.Join(dir, "verdict.json"), &want)

			c, err := config.Parse(read(t, filepath.Join(dir, "input.yaml")))
			if (err == nil) != want.DecodeOK {
				t.Fatalf("decodes: got %v, want %v: %v", err == nil, want.DecodeOK, err)
			}

			if err == nil {
				checkConfig(t, c, want)
				checkCanon(t, c, filepath.Join(dir, "canon.yaml"))
			}
		})
	}
}

func checkConfig(t *testing.T, c *config.Config, want verdict) {
	t.Helper()

	var got, expected []string
	for _, d := range c.Documents() {
		got = append(got, d.Kind().APIVersion+"/"+d.Kind().Kind)
	}

	for _, d := range want.Documents {
		expected = append(expected, d.APIVersion+"/"+d.Kind)
	}

	if diff := cmp.Diff(expected, got); diff != "" {
		t.Errorf("documents (-want +got):\n%s", diff)
	}

	for name, w := range want.Modes {
		mode, err := document.ParseMode(name)
		if err != nil {
			t.Fatal(err)
		}

		r := c.Validate(mode, validate.Options{})
		if r.Valid() != w.Valid {
			t.Errorf("%s: valid: got %v, want %v: %v", name, r.Valid(), w.Valid, r.Err())
		}

		if r.CompleteForBoot != want.Complete {
			t.Errorf("%s: complete for boot: got %v, want %v", name, r.CompleteForBoot, want.Complete)
		}
	}
}

func checkCanon(t *testing.T, c *config.Config, path string) {
	t.Helper()

	want := string(read(t, path))

	got, err := c.Encode()
	if err != nil {
		t.Fatal(err)
	}

	if diff := cmp.Diff(strings.Split(want, "\n"), strings.Split(string(got), "\n")); diff != "" {
		t.Errorf("canonical form (-want +got):\n%s", diff)
	}
}
