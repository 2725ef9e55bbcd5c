package config_test

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/ichor-os/ichor/config"
)

// TestBetter_IsWhatTheDocumentationSays keeps the list of deliberate
// differences, the page for users and the facts together.
func TestBetter_IsWhatTheDocumentationSays(t *testing.T) {
	page, err := os.ReadFile("../docs/compatibility.md")
	if err != nil {
		t.Fatal(err)
	}

	listed := regexp.MustCompile(`\b[ab]-[A-Za-z0-9-]+\b`).FindAllString(string(page), -1)

	for id := range better {
		if !slices.Contains(listed, id) {
			t.Errorf("%s is skipped, but docs/compatibility.md does not say why", id)
		}
	}

	for _, id := range listed {
		if better[id] == "" {
			t.Errorf("%s is in docs/compatibility.md, but is not skipped", id)
		}
	}
}

func TestBetter_StillDiffers(t *testing.T) {
	for id := range better {
		t.Run(id, func(t *testing.T) {
			if dir := filepath.Join(vectors, "decode", id); isThere(dir) {
				var want verdict

				readVerdict(t, filepath.Join(dir, "verdict.json"), &want)

				c, err := config.Parse(read(t, filepath.Join(dir, "input.yaml")))
				if err != nil || !want.DecodeOK {
					if (err == nil) == want.DecodeOK {
						t.Error("the outcome is the recorded one")
					}

					return
				}

				if got, err := c.Encode(); err != nil || bytes.Equal(got, read(t, filepath.Join(dir, "canon.yaml"))) {
					t.Errorf("the outcome is the recorded one: %v", err)
				}

				return
			}

			dir := filepath.Join(vectors, "patch", id)

			var want struct {
				Exit int `json:"exit"`
			}

			readVerdict(t, filepath.Join(dir, "outcome.json"), &want)

			got, err := patchVector(t, dir)
			if (err == nil) != (want.Exit == 0) {
				return
			}

			if err != nil || bytes.Equal(got, read(t, "expected.yaml")) {
				t.Error("the outcome is the recorded one")
			}
		})
	}
}

func isThere(path string) bool {
	_, err := os.Stat(path)

	return err == nil
}
