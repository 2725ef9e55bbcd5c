package patch_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/ichor-os/ichor/config/decode"
	"github.com/ichor-os/ichor/config/document"
	"github.com/ichor-os/ichor/config/documents"
	"github.com/ichor-os/ichor/config/encode"
	"github.com/ichor-os/ichor/config/patch"
)

func options() decode.Options {
	return decode.Options{Lookup: documents.Lookup, Known: documents.Kinds}
}

func seed(f *testing.F) {
	f.Helper()

	bases, err := filepath.Glob("../../test/vectors/patch/*/base.yaml")
	if err != nil || len(bases) == 0 {
		f.Fatalf("no vectors: %v", err)
	}

	for _, base := range bases {
		b, err := os.ReadFile(base)
		if err != nil {
			f.Fatal(err)
		}

		p, err := os.ReadFile(filepath.Join(filepath.Dir(base), "patch-1.yaml"))
		if err != nil {
			continue
		}

		f.Add(b, p)
	}
}

func FuzzMerge(f *testing.F) {
	seed(f)

	f.Fuzz(func(t *testing.T, base, over []byte) {
		docs, err := decode.Decode(base, options())
		if err != nil {
			t.Skip()
		}

		p, err := patch.Parse(over, "patch", options())
		if err != nil || p.IsJSON() {
			t.Skip()
		}

		result, err := patch.Documents(docs, options(), p)
		if err != nil {
			t.Skip()
		}

		list := make([]document.Document, 0, len(result))
		for _, d := range result {
			list = append(list, d.Document)
		}

		text, err := encode.Encode(list...)
		if err != nil {
			t.Fatalf("result cannot be written: %v", err)
		}

		if _, err := decode.Decode(text, options()); err != nil {
			t.Fatalf("result cannot be read again: %v\n%s", err, text)
		}

		again, err := patch.Documents(result, options(), p)
		if err != nil {
			t.Skip() // what a directive deleted is not there any more
		}

		list = list[:0]
		for _, d := range again {
			list = append(list, d.Document)
		}

		if twice, err := encode.Encode(list...); err != nil || string(twice) != string(text) {
			t.Fatalf("the second time changed something: %v\n%s\n%s", err, text, twice)
		}
	})
}

func FuzzJSONPatch(f *testing.F) {
	seed(f)

	f.Fuzz(func(t *testing.T, base, over []byte) {
		p, err := patch.Parse(over, "patch", options())
		if err != nil || !p.IsJSON() || p.IsEmpty() {
			t.Skip()
		}

		text, err := patch.Text(base, "", options(), p)
		if err != nil {
			t.Skip()
		}

		if _, err := decode.Split(text, ""); err != nil {
			t.Fatalf("result is no YAML: %v\n%s", err, text)
		}
	})
}
