package config_test

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ichor-os/ichor/config"
)

// patchVector runs a patch vector the way the command does and returns the result.
func patchVector(t *testing.T, dir string) ([]byte, error) {
	t.Helper()
	t.Chdir(dir)

	var argv []string
	if err := json.Unmarshal(read(t, "argv.json"), &argv); err != nil {
		t.Fatal(err)
	}

	var patches []*config.Patch

	for i := 3; i < len(argv); i++ {
		if argv[i-1] != "--patch" {
			continue
		}

		p, err := config.LoadPatch(argv[i])
		if err != nil {
			return nil, err
		}

		patches = append(patches, p)
	}

	return config.PatchText(read(t, argv[2]), argv[2], patches...)
}

func TestVectors_Patch(t *testing.T) {
	for _, dir := range folders(t, "patch") {
		id := filepath.Base(dir)

		t.Run(id, func(t *testing.T) {
			if why := better[id]; why != "" {
				t.Skip("deliberately different: " + why)
			}

			var want struct {
				Exit   int     `json:"exit"`
				Result verdict `json:"result"`
			}

			readVerdict(t, filepath.Join(dir, "outcome.json"), &want)

			got, err := patchVector(t, dir)
			if (err == nil) != (want.Exit == 0) {
				t.Fatalf("exit: want %d, got error: %v", want.Exit, err)
			}

			if err != nil {
				return
			}

			if diff := cmp.Diff(string(read(t, "expected.yaml")), string(got)); diff != "" {
				t.Errorf("result (-want +got):\n%s", diff)
			}

			c, err := config.Parse(got)
			if (err == nil) != want.Result.DecodeOK {
				t.Fatalf("result decodes: got %v, want %v: %v", err == nil, want.Result.DecodeOK, err)
			}

			if err == nil {
				checkConfig(t, c, want.Result)
			}
		})
	}
}
