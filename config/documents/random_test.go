package documents_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"github.com/ichor-os/ichor/config"
	"github.com/ichor-os/ichor/config/document"
	"github.com/ichor-os/ichor/config/documents/network"
	"github.com/ichor-os/ichor/config/documents/v1alpha1"
	"github.com/ichor-os/ichor/config/encode"
	"github.com/ichor-os/ichor/config/scalar"
	"github.com/ichor-os/ichor/config/validate"
)

// texts are values that are easily written in a form that reads as something else.
var texts = []string{
	"a", "eth0", "true", "no", "y", "off", "0o7", "007", "1_0", "12:30", "0x1F", "1.50", "~", "null", "", " a", "a ", "-", "- a", "? x",
	"a: b", "a #b", "#a", "*a", "&a", "!a", "%a", "@a", "`a", "[a", "{a", "'a'", `"a"`, "a\nb", "a\nb\n", "a\n\n", "\na", " a\nb", "a \nb", "a\r\nb",
	"\ttab", "ä€", "\U0001F600", "---", "...", "2026-01-02", ".inf", "=", "<<", "{{ x }}", "a,b", "02:09:09:09:09:09",
}

// samples are source texts of the types that read themselves.
var samples = map[reflect.Type][]string{
	reflect.TypeFor[scalar.Address]():       {"10.0.0.1", "2001:db8::1", "fe80::1%eth0"},
	reflect.TypeFor[scalar.Prefix]():        {"10.0.0.7/8", "fd00::/8"},
	reflect.TypeFor[scalar.AddrPort]():      {"10.0.0.1:1", "'[::1]:65535'"},
	reflect.TypeFor[scalar.HardwareAddr]():  {"02:00:5e:10:00:07", "'02:09:09:09:09:09'", "02aa"},
	reflect.TypeFor[scalar.Size]():          {"1.5 gib", "100", "-5GB"},
	reflect.TypeFor[scalar.SizeOrPercent](): {"75%", "-10%", "100", "8GB"},
	reflect.TypeFor[scalar.PortRange]():     {"22", "1-65535", "0"},
	reflect.TypeFor[scalar.RoutingTable]():  {"7", "main", "252"},
	reflect.TypeFor[scalar.FileMode]():      {"0o644", "0", "420"},
	reflect.TypeFor[scalar.WrittenURL]():    {"https://a.test:1/x?y=z#w", "tcp://:99", "a"},
	reflect.TypeFor[scalar.URL]():           {"https://a.test", "grpc://10.0.0.1:1"},
	reflect.TypeFor[scalar.Switch]():        {"true", "off"},
	reflect.TypeFor[network.FailOverMAC]():  {"none", "1", "follow"},
	reflect.TypeFor[v1alpha1.Argument]():    {"a", "[a, b]", "'5'"},
}

type filler struct {
	t      *testing.T
	random *rand.Rand
}

// fill gives v a random value.
func (f filler) fill(typ *document.Type, v reflect.Value) {
	if typ.Optional {
		v.Set(reflect.New(typ.Go))
		v = v.Elem()
	}

	switch typ.Shape {
	case document.TextShape:
		v.SetString(texts[f.random.IntN(len(texts))])
	case document.IntegerShape:
		f.fillInteger(v)
	case document.BooleanShape:
		v.SetBool(f.random.IntN(2) == 0)
	case document.NumberShape:
		v.SetFloat(f.random.Float64())
	case document.DurationShape:
		v.SetInt(f.random.Int64N(int64(time.Hour)))
	case document.ScalarShape:
		f.fillScalar(v)
	case document.SectionShape:
		f.fillSection(typ, v)
	case document.ListShape:
		v.Set(reflect.MakeSlice(typ.Go, f.random.IntN(3), 3))

		for i := range v.Len() {
			f.fill(typ.Elem, v.Index(i))
		}
	case document.MapShape:
		v.Set(reflect.MakeMap(typ.Go))

		for range f.random.IntN(3) {
			value := reflect.New(typ.Go.Elem()).Elem()
			f.fill(typ.Elem, value)
			v.SetMapIndex(reflect.ValueOf(texts[f.random.IntN(len(texts))]).Convert(typ.Go.Key()), value)
		}
	case document.FreeShape:
		v.Set(reflect.ValueOf(map[string]any{"kind": "X", "n": 1, "f": 1.5, "b": false, "l": []any{"a", nil}}).Convert(typ.Go))
	}
}

func (f filler) fillSection(typ *document.Type, v reflect.Value) {
	for _, field := range typ.Fields {
		if f.random.IntN(4) > 0 {
			f.fill(field.Type, field.Value(v))
		}
	}
}

func (f filler) fillInteger(v reflect.Value) {
	if v.CanInt() {
		v.SetInt(f.random.Int64N(100))
	} else {
		v.SetUint(f.random.Uint64N(200))
	}
}

func (f filler) fillScalar(v reflect.Value) {
	source := samples[v.Type()]

	if words, ok := v.Interface().(interface{ AllWords() []string }); ok {
		source = words.AllWords()
	} else if v.Kind() == reflect.Slice && source == nil {
		return // a list of words; its items are tested on their own
	}

	if source == nil {
		f.t.Fatalf("no sample for the type %v", v.Type())
	}

	var n yaml.Node
	if err := yaml.Unmarshal([]byte(source[f.random.IntN(len(source))]), &n); err != nil {
		f.t.Fatal(err)
	}

	if err := v.Addr().Interface().(document.Decoder).DecodeYAML(n.Content[0]); err != nil {
		f.t.Fatal(err)
	}
}

// Whatever a document holds, what is written reads again as the same.
func TestRandomDocuments_AreReadAsTheyWereWritten(t *testing.T) {
	for i, k := range others() {
		t.Run(k.Kind, func(t *testing.T) {
			f := filler{t: t, random: rand.New(rand.NewPCG(uint64(i), 7))}

			for round := range 25 {
				d := k.New()
				f.fillSection(document.SchemaOf(d), reflect.ValueOf(d).Elem())

				once, err := encode.Encode(d)
				if err != nil {
					t.Fatal(err)
				}

				c, err := config.Parse(once)
				if err != nil {
					t.Fatalf("round %d: %v\n%s", round, err, once)
				}

				twice, err := c.Encode()
				if err != nil {
					t.Fatal(err)
				}

				if diff := cmp.Diff(string(once), string(twice)); diff != "" {
					t.Fatalf("round %d: written, read and written again (-first +second):\n%s", round, diff)
				}

				c.Documents()[0].Validate(document.NewValidation(document.Metal, now))
			}
		})
	}
}

// FuzzValidate checks that no document makes validation panic, and that what
// is accepted is written in a form that is accepted again.
func FuzzValidate(f *testing.F) {
	for _, k := range others() {
		f.Add([]byte(k.Example))
	}

	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := config.Parse(data)
		if err != nil {
			return
		}

		_ = c.Validate(config.Metal, validate.Options{Now: now})

		once, err := c.Encode()
		if err != nil {
			t.Fatal(err)
		}

		again, err := config.Parse(once)
		if err != nil {
			t.Fatalf("written form is refused: %v\n%s", err, fmt.Sprintf("%q", once))
		}

		twice, err := again.Encode()
		if err != nil {
			t.Fatal(err)
		}

		if string(once) != string(twice) {
			t.Fatalf("written twice differently:\n%s\n%s", once, twice)
		}
	})
}
