// Package explain answers what a config key means: its form, its default, how
// patches merge into it, what a change of it takes, and whether it is in
// force. It also lists keys, for completion.
package explain

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/ichor-os/ichor/config/decode"
	"github.com/ichor-os/ichor/config/document"
)

// Entry is the answer for one key, or for a whole kind of document.
type Entry struct {
	// Path is the key as it is asked for: "machine.kubelet.image", "LinkConfig.mtu".
	Path string `json:"path"`
	// Kind is the document's kind; its Doc and Example answer for a whole document.
	Kind    string `json:"kind"`
	Since   string `json:"since,omitempty"`
	Example string `json:"example,omitempty"`

	Doc     string   `json:"doc"`
	Form    string   `json:"form"`
	Words   []string `json:"words,omitempty"`
	Default string   `json:"default,omitempty"`
	Merge   string   `json:"merge,omitempty"`
	Change  string   `json:"change,omitempty"`
	Effect  bool     `json:"inForce"`
	Cut     bool     `json:"mayCutNetwork,omitempty"`
	Secret  bool     `json:"secret,omitempty"`
	// Keys are the keys below, each with the first sentence of its text.
	Keys []Key `json:"keys,omitempty"`
}

// Key is a key below an entry.
type Key struct {
	Name string `json:"name"`
	Form string `json:"form"`
	Doc  string `json:"doc"`
}

// Find answers for a path: the key path of the main document, or a kind,
// followed by a key path in it. Indexes of lists are left out; the keys of
// maps are written as *.
func Find(kinds []*document.Kind, path string) (*Entry, error) {
	kind, keys, err := resolve(kinds, path)
	if err != nil {
		return nil, err
	}

	t := document.SchemaOf(kind.New())
	e := &Entry{Path: path, Kind: kind.Kind, Since: kind.Since, Doc: kind.Doc, Form: "document"}

	if len(keys) == 0 {
		e.Example = kind.Example
		e.Keys = keysOf(t)
		e.Effect = anyInForce(t)

		return e, nil
	}

	var f *document.Field

	for i, key := range keys {
		next, err := step(t, f, key)
		if err != nil {
			return nil, fmt.Errorf("no such key: %s: %w", strings.Join(keys[:i+1], "."), err)
		}

		f, t = next, next.Type
	}

	fill(e, f, t)

	return e, nil
}

func resolve(kinds []*document.Kind, path string) (*document.Kind, []string, error) {
	words := strings.FieldsFunc(path, func(r rune) bool { return r == '.' || r == '/' })
	if len(words) == 0 {
		return nil, nil, fmt.Errorf("key is empty: write a key such as machine.kubelet, or a kind such as LinkConfig")
	}

	var (
		main  *document.Kind
		names []string
	)

	for _, k := range kinds {
		if k.IsMain() {
			main = k
		}

		if strings.EqualFold(k.Kind, words[0]) {
			return k, words[1:], nil
		}

		names = append(names, k.Kind)
	}

	top := document.SchemaOf(main.New())
	for _, f := range top.Fields {
		names = append(names, f.Key)

		if f.Key == words[0] {
			return main, words, nil
		}
	}

	if near := decode.Suggest(words[0], names); near != "" {
		return nil, nil, fmt.Errorf("no such key or kind: %s: did you mean %s?", words[0], near)
	}

	return nil, nil, fmt.Errorf("no such key or kind: %s", words[0])
}

// step goes from t to the key below it; lists are passed through, map keys need a word of their own.
func step(t *document.Type, above *document.Field, key string) (*document.Field, error) {
	for t.Shape == document.ListShape {
		t = t.Elem
	}

	key, _, _ = strings.Cut(key, "[")

	switch t.Shape {
	case document.SectionShape:
		f := t.Field(key)
		if f == nil {
			return nil, fmt.Errorf("%s", near(t, key))
		}

		return f.Below(above), nil
	case document.MapShape:
		f := *above
		f.Type, f.Doc = t.Elem, "A value of the map. "+above.Doc

		return &f, nil
	case document.FreeShape:
		f := *above
		f.Doc = "Free-form, not described here. " + above.Doc

		return &f, nil
	}

	return nil, fmt.Errorf("there are no keys below")
}

func near(t *document.Type, key string) string {
	names := make([]string, len(t.Fields))
	for i, f := range t.Fields {
		names[i] = f.Key
	}

	if n := decode.Suggest(key, names); n != "" {
		return "did you mean " + n + "?"
	}

	return "known here: " + strings.Join(names, ", ")
}

func fill(e *Entry, f *document.Field, t *document.Type) {
	e.Doc, e.Words, e.Default = f.Doc, f.Enum, f.Default
	e.Form = Form(t)
	e.Merge = Merge(f)
	e.Change = f.Change.String()
	e.Effect = f.Effect || anyInForce(t)
	e.Cut, e.Secret = f.Cut, f.Secret

	if f.Since != "" {
		e.Since = f.Since
	}

	e.Keys = keysOf(t)
}

func anyInForce(t *document.Type) bool {
	for t.Shape == document.ListShape || t.Shape == document.MapShape {
		t = t.Elem
	}

	return slices.ContainsFunc(t.Fields, func(f *document.Field) bool { return f.Effect || anyInForce(f.Type) })
}

func keysOf(t *document.Type) []Key {
	for t.Shape == document.ListShape || t.Shape == document.MapShape {
		t = t.Elem
	}

	var keys []Key
	for _, f := range t.Fields {
		keys = append(keys, Key{Name: f.Key, Form: Form(f.Type), Doc: firstSentence(f.Doc)})
	}

	return keys
}

func firstSentence(s string) string {
	if i := strings.Index(s, ". "); i > 0 {
		return s[:i+1]
	}

	return s
}

// Form is a type in words.
func Form(t *document.Type) string {
	switch t.Shape {
	case document.TextShape:
		return "text"
	case document.IntegerShape:
		return "whole number"
	case document.NumberShape:
		return "number"
	case document.BooleanShape:
		return "true or false"
	case document.DurationShape:
		return "duration"
	case document.SectionShape:
		return "section"
	case document.FreeShape:
		return "free-form"
	case document.ListShape:
		return "list of " + plural(Form(t.Elem))
	case document.MapShape:
		return "map of text to " + Form(t.Elem)
	}

	if named, ok := reflect.Zero(t.Go).Interface().(interface{ Form() string }); ok {
		return named.Form()
	}

	return words(t.Go.Name())
}

func plural(form string) string {
	switch form {
	case "text", "whole number", "number", "duration", "section":
		return form + "s"
	}

	return form
}

// words splits the name of a Go type: HardwareAddr → hardware addr.
func words(name string) string {
	var b strings.Builder

	for i, r := range name {
		upper := r >= 'A' && r <= 'Z'
		if upper && i > 0 && (name[i-1] < 'A' || name[i-1] > 'Z') {
			b.WriteByte(' ')
		}

		b.WriteRune(r)
	}

	text := b.String()
	if strings.ToUpper(text) == text {
		return text
	}

	return strings.ToLower(text)
}

// Merge is a field's merge rule in words.
func Merge(f *document.Field) string {
	switch {
	case f.Merge.Replace:
		return "a patch replaces it whole"
	case f.Merge.PerKey:
		return "a patch replaces each key that it gives"
	case len(f.Merge.Keys) > 0 && f.Merge.Whole:
		return "an item replaces the one with the same " + strings.Join(f.Merge.Keys, " or ")
	case len(f.Merge.Keys) > 0:
		return "an item merges into the one with the same " + strings.Join(f.Merge.Keys, " or ")
	}

	switch f.Type.Shape {
	case document.ListShape:
		return "a patch adds the items that are not in it yet"
	case document.MapShape, document.SectionShape, document.FreeShape:
		return "merged key by key"
	}

	return "a patch replaces it, unless its value is empty"
}

// Complete lists the keys that start with a prefix, one level at a time.
func Complete(kinds []*document.Kind, prefix string) []string {
	var found []string

	for _, k := range kinds {
		t := document.SchemaOf(k.New())
		if !k.IsMain() {
			found = append(found, complete(t, k.Kind, prefix)...)
		} else {
			found = append(found, complete(t, "", prefix)...)
		}
	}

	slices.Sort(found)

	return found
}

func complete(t *document.Type, path, prefix string) []string {
	for t.Shape == document.ListShape {
		t = t.Elem
	}

	if t.Shape == document.MapShape {
		return complete(t.Elem, path+".*", prefix)
	}

	if path != "" && !strings.HasPrefix(prefix, path+".") {
		if strings.HasPrefix(path, prefix) {
			return []string{path}
		}

		return nil
	}

	var found []string
	for _, f := range t.Fields {
		found = append(found, complete(f.Type, document.Join(path, f.Key), prefix)...)
	}

	return found
}
