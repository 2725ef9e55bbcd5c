package config_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"

	"github.com/ichor-os/ichor/config"
	"github.com/ichor-os/ichor/config/decode"
	"github.com/ichor-os/ichor/config/document"
	"github.com/ichor-os/ichor/config/documents"
	"github.com/ichor-os/ichor/config/schema"
	"github.com/ichor-os/ichor/config/validate"
)

// inputs are all configs of the vectors: inputs, bases and results.
func inputs(t testing.TB) map[string][]byte {
	t.Helper()

	all := make(map[string][]byte)

	for _, pattern := range []string{"decode/*/input.yaml", "decode/*/canon.yaml", "patch/*/base.yaml", "patch/*/expected.yaml", "gen/*/expected/*.yaml"} {
		paths, err := filepath.Glob(filepath.Join(vectors, pattern))
		if err != nil || len(paths) == 0 {
			t.Fatalf("no vectors: %s: %v", pattern, err)
		}

		for _, p := range paths {
			all[strings.TrimPrefix(p, vectors+"/")] = read(t, p)
		}
	}

	return all
}

func TestEncode_ReadsBackAsTheSameDocuments(t *testing.T) {
	for name, data := range inputs(t) {
		c, err := config.Parse(data)
		if err != nil {
			continue
		}

		text, err := c.Encode()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}

		again, err := config.Parse(text)
		if err != nil {
			t.Errorf("%s: canonical form does not decode: %v\n%s", name, err, text)

			continue
		}

		second, err := again.Encode()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}

		if diff := cmp.Diff(string(text), string(second)); diff != "" {
			t.Errorf("%s: encoding is not stable:\n%s", name, diff)
		}

		if changes := config.Diff(c, again); len(changes) > 0 {
			t.Errorf("%s: documents differ after a round trip: %+v", name, changes)
		}
	}
}

func TestPatch_TwiceIsTheSameAsOnce(t *testing.T) {
	for _, dir := range folders(t, "patch") {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			c, err := config.Parse(read(t, filepath.Join(dir, "base.yaml")))
			if err != nil {
				t.Skip("base does not decode")
			}

			p, err := config.LoadPatch("@" + filepath.Join(dir, "patch-1.yaml"))
			if err != nil || p.IsJSON() {
				t.Skip("no strategic patch")
			}

			once, err := c.Apply(p)
			if err != nil {
				t.Skip("patch does not apply")
			}

			twice, err := once.Apply(p)
			if err != nil {
				if strings.Contains(err.Error(), "not there") || strings.Contains(err.Error(), "lookup failed") {
					t.Skip("the patch deletes something: there is nothing to delete the second time")
				}

				t.Fatal(err)
			}

			first, _ := once.Encode()
			second, _ := twice.Encode()

			if diff := cmp.Diff(string(first), string(second)); diff != "" {
				t.Errorf("second application changed the config:\n%s", diff)
			}
		})
	}
}

// outsideOfSchema are faults that a schema of a single document cannot know.
func outsideOfSchema(err error) bool {
	var (
		faults decode.Errors
		one    *decode.Error
	)

	switch {
	case errors.As(err, &faults):
		for _, f := range faults {
			if !strings.Contains(f.Message, "stands twice") && !strings.Contains(f.Message, "anchor") {
				return false
			}
		}

		return true
	case errors.As(err, &one):
		return true
	}

	return errors.Is(err, decode.ErrNotFound)
}

func TestBR16_SchemaAcceptsWhatTheDecoderAccepts(t *testing.T) {
	compiler := jsonschema.NewCompiler()

	raw, err := schema.JSON(documents.Kinds())
	if err != nil {
		t.Fatal(err)
	}

	parsed, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}

	if err := compiler.AddResource("config.json", parsed); err != nil {
		t.Fatal(err)
	}

	compiled, err := compiler.Compile("config.json")
	if err != nil {
		t.Fatal(err)
	}

	o := decode.Options{Lookup: documents.Lookup, Known: documents.Kinds}

	for name, data := range inputs(t) {
		nodes, err := decode.Split(data, "")
		if err != nil {
			continue
		}

		for _, n := range nodes {
			checkSchema(t, name, compiled, n, o)
		}
	}
}

func checkSchema(t *testing.T, name string, compiled *jsonschema.Schema, n *yaml.Node, o decode.Options) {
	t.Helper()

	_, decodeErr := decode.Nodes([]*yaml.Node{n}, o)
	if decodeErr != nil && outsideOfSchema(decodeErr) {
		return
	}

	generic, err := decode.Generic(n)
	if err != nil {
		return
	}

	raw, err := json.Marshal(generic)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}

	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}

	schemaErr := compiled.Validate(value)
	if (schemaErr == nil) != (decodeErr == nil) {
		t.Errorf("%s: schema and decoder disagree: schema: %v; decoder: %v", name, schemaErr != nil, decodeErr)

		if schemaErr != nil && testing.Verbose() {
			t.Log(schemaErr)
		}
	}
}

func TestRedact_LeavesNoSecret(t *testing.T) {
	for name, data := range inputs(t) {
		c, err := config.Parse(data)
		if err != nil {
			continue
		}

		shown, err := c.Redact()
		if err != nil {
			t.Fatal(err)
		}

		empty, err := config.New(documents.Kinds()[0].New())
		if err != nil {
			t.Fatal(err)
		}

		differences, _ := json.Marshal(config.Diff(empty, c))

		for _, d := range c.Documents() {
			for _, secret := range secrets(document.SchemaOf(d), reflect.ValueOf(d)) {
				if len(secret) >= 6 && (bytes.Contains(shown, []byte(secret)) || bytes.Contains(differences, []byte(secret))) {
					t.Errorf("%s: secret is shown: %s", name, secret)
				}
			}
		}

		for _, mark := range []string{"PRIVATE KEY-----", "UFJJVkFURSBLRVkt"} {
			if bytes.Contains(shown, []byte(mark)) || bytes.Contains(differences, []byte(mark)) {
				t.Errorf("%s: a private key is shown", name)
			}
		}
	}
}

// secrets lists the texts of all fields tagged as secret.
func secrets(t *document.Type, v reflect.Value) []string {
	if t.Optional {
		if v.IsNil() {
			return nil
		}

		v = v.Elem()
	}

	var found []string

	switch t.Shape {
	case document.SectionShape:
		for _, f := range t.Fields {
			fv := f.Value(v)
			if !f.Secret {
				found = append(found, secrets(f.Type, fv)...)
			} else if f.Type.Shape == document.TextShape && !f.Type.Optional {
				found = append(found, fv.String())
			}
		}
	case document.ListShape:
		for i := range v.Len() {
			found = append(found, secrets(t.Elem, v.Index(i))...)
		}
	case document.MapShape:
		for _, k := range v.MapKeys() {
			found = append(found, secrets(t.Elem, v.MapIndex(k))...)
		}
	}

	return found
}

func TestPatch_WithItselfChangesNothing(t *testing.T) {
	for name, data := range inputs(t) {
		c, err := config.Parse(data)
		if err != nil || strings.Contains(string(data), "$patch") {
			continue
		}

		text, err := c.Encode()
		if err != nil {
			t.Fatal(err)
		}

		p, err := config.ParsePatch(text, name)
		if err != nil {
			t.Errorf("%s: %v", name, err)

			continue
		}

		again, err := c.Apply(p)
		if err != nil {
			t.Errorf("%s: %v", name, err)

			continue
		}

		second, err := again.Encode()
		if err != nil {
			t.Fatal(err)
		}

		if diff := cmp.Diff(string(text), string(second)); diff != "" {
			t.Errorf("%s: laying a config over itself changed it:\n%s", name, diff)
		}
	}
}

func TestValidate_EveryFindingHasARemedy(t *testing.T) {
	for name, data := range inputs(t) {
		c, err := config.Parse(data)
		if err != nil {
			continue
		}

		for _, mode := range []document.Mode{config.Metal, config.Cloud, config.Container} {
			r := c.Validate(mode, validate.Options{})

			for _, f := range slices.Concat(r.Errors, r.Warnings) {
				if f.Remedy == "" {
					t.Errorf("%s: finding says not what to do: %s", name, f)
				}
			}
		}
	}
}
