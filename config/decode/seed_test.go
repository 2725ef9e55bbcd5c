package decode_test

import (
	"os"
	"path/filepath"
	"testing"
)

// seed adds the recorded inputs to a fuzzer.
func seed(f *testing.F) {
	f.Helper()

	paths, err := filepath.Glob("../../test/vectors/decode/*/input.yaml")
	if err != nil || len(paths) == 0 {
		f.Fatalf("no vectors: %v", err)
	}

	for _, p := range paths {
		data, err := os.ReadFile(p)
		if err != nil {
			f.Fatal(err)
		}

		f.Add(data)
	}
}
