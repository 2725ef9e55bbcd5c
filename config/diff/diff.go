// Package diff compares configs by meaning: document by document and key by
// key, whatever the order, quoting and comments of the text. Secrets are
// never part of what it returns.
package diff

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/ichor-os/ichor/config/document"
	"github.com/ichor-os/ichor/config/encode"
)

// Operation is what happened to a key.
type Operation string

// Operations.
const (
	Added   Operation = "added"
	Removed Operation = "removed"
	Changed Operation = "changed"
)

// Change is one difference.
type Change struct {
	Operation Operation `json:"operation"`
	// Document is the title of the document; Path the key in it, "" for a whole document.
	Document string `json:"document"`
	Path     string `json:"path,omitempty"`
	// Old and New are YAML, redacted.
	Old string `json:"old,omitempty"`
	New string `json:"new,omitempty"`
	// Fields are the keys that the change touches, as they count at their place.
	Fields []*document.Field `json:"-"`
}

// Documents compares two configs. The main document comes first, then the
// others in the order of b, then those that only a has.
func Documents(a, b []document.Document) []Change {
	var changes []Change

	for _, d := range mainFirst(b) {
		old := find(a, d)
		if old == nil {
			changes = append(changes, whole(Added, d))

			continue
		}

		changes = append(changes, sameDocument(old, d)...)
	}

	for _, d := range mainFirst(a) {
		if find(b, d) == nil {
			changes = append(changes, whole(Removed, d))
		}
	}

	return changes
}

func mainFirst(docs []document.Document) []document.Document {
	ordered := slices.Clone(docs)
	slices.SortStableFunc(ordered, func(x, y document.Document) int {
		switch {
		case x.Kind().IsMain() == y.Kind().IsMain():
			return 0
		case x.Kind().IsMain():
			return -1
		}

		return 1
	})

	return ordered
}

func find(docs []document.Document, d document.Document) document.Document {
	for _, c := range docs {
		if c.Kind() == d.Kind() && c.Name() == d.Name() {
			return c
		}
	}

	return nil
}

func whole(op Operation, d document.Document) Change {
	c := Change{Operation: op, Document: document.Title(d)}

	empty := d.Kind().New()
	w := &walk{title: c.Document}
	v := reflect.ValueOf(d).Elem()
	w.section(document.TypeOf(v.Type()), reflect.ValueOf(empty).Elem(), v, nil, "")

	for _, x := range w.changes {
		c.Fields = append(c.Fields, x.Fields...)
	}

	text := render(encode.Redacted(d))
	if op == Added {
		c.New = text
	} else {
		c.Old = text
	}

	return c
}

// sameDocument compares two documents of the same kind and name.
func sameDocument(a, b document.Document) []Change {
	if render(encode.Node(a)) == render(encode.Node(b)) {
		return nil
	}

	v := reflect.ValueOf(a).Elem()
	w := &walk{title: document.Title(b)}
	w.section(document.TypeOf(v.Type()), v, reflect.ValueOf(b).Elem(), nil, "")

	return w.changes
}

type walk struct {
	title   string
	changes []Change
}

func (w *walk) report(op Operation, f *document.Field, path string, t *document.Type, a, b reflect.Value) {
	if op == Changed && render(encode.Value(t, a)) == render(encode.Value(t, b)) {
		return // written the same
	}

	c := Change{Operation: op, Document: w.title, Path: path, Fields: []*document.Field{f}}

	switch op {
	case Added:
		c.Fields = append(c.Fields, inside(t, f, b)...)
	case Removed:
		c.Fields = append(c.Fields, inside(t, f, a)...)
	}

	if a.IsValid() && op != Added {
		c.Old = render(encode.RedactedValue(t, a, f.Secret))
	}

	if b.IsValid() && op != Removed {
		c.New = render(encode.RedactedValue(t, b, f.Secret))
	}

	w.changes = append(w.changes, c)
}

// inside are the keys in a section that comes or goes as a whole.
func inside(t *document.Type, f *document.Field, v reflect.Value) []*document.Field {
	if t.Shape != document.SectionShape {
		return nil
	}

	if v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return nil
		}

		v = v.Elem()
	}

	var fields []*document.Field

	inner := new(walk)
	inner.section(document.TypeOf(v.Type()), reflect.Zero(v.Type()), v, f, "")

	for _, c := range inner.changes {
		fields = append(fields, c.Fields...)
	}

	return fields
}

func (w *walk) section(t *document.Type, a, b reflect.Value, above *document.Field, path string) {
	for _, f := range t.Fields {
		w.value(f.Type, f.Below(above), f.Value(a), f.Value(b), document.Join(path, f.Key))
	}
}

// value compares two values of type t.
func (w *walk) value(t *document.Type, f *document.Field, a, b reflect.Value, path string) {
	if reflect.DeepEqual(a.Interface(), b.Interface()) {
		return
	}

	outer := t

	if t.Optional && t.Shape == document.SectionShape && !f.Merge.Replace {
		before := len(w.changes)
		inner := *t
		inner.Optional = false
		w.value(&inner, f, elem(a), elem(b), path)

		if len(w.changes) == before && a.IsNil() != b.IsNil() {
			w.report(operation(a, b), f, path, outer, a, b)
		}

		return
	}

	switch {
	case document.IsZero(a) && document.IsZero(b):
		return // absent either way: nil or empty
	case t.Optional:
	case t.Shape == document.SectionShape:
		w.section(t, a, b, f, path)

		return
	case t.Shape == document.MapShape:
		w.mapping(t, f, a, b, path)

		return
	case t.Shape == document.ListShape && t.Elem.Shape == document.SectionShape:
		w.list(t, f, a, b, path)

		return
	case t.Shape == document.FreeShape && a.Kind() == reflect.Map:
		w.free(t, f, a, b, path)

		return
	}

	w.report(operation(a, b), f, path, t, a, b)
}

func elem(v reflect.Value) reflect.Value {
	if v.IsNil() {
		return reflect.Zero(v.Type().Elem())
	}

	return v.Elem()
}

func operation(a, b reflect.Value) Operation {
	switch {
	case document.IsZero(a):
		return Added
	case document.IsZero(b):
		return Removed
	}

	return Changed
}

func (w *walk) mapping(t *document.Type, f *document.Field, a, b reflect.Value, path string) {
	for _, k := range keys(a, b) {
		key := reflect.ValueOf(k).Convert(a.Type().Key())
		x, y := a.MapIndex(key), b.MapIndex(key)
		below := document.Join(path, k)
		f := named(f, k)

		switch {
		case !x.IsValid():
			w.report(Added, f, below, t.Elem, y, y)
		case !y.IsValid():
			w.report(Removed, f, below, t.Elem, x, x)
		case t.Elem.Optional && (x.IsNil() || y.IsNil()):
			if x.IsNil() != y.IsNil() {
				w.report(operation(x, y), f, below, t.Elem, x, y)
			}
		case t.Elem.Shape == document.SectionShape:
			w.value(t.Elem, f, x, y, below)
		case !reflect.DeepEqual(x.Interface(), y.Interface()):
			w.report(Changed, f, below, t.Elem, x, y)
		}
	}
}

// named is f for the value of a key in a map: its name may tell that it is secret.
func named(f *document.Field, key string) *document.Field {
	if f.Secret || !encode.LooksSecret(key) {
		return f
	}

	g := *f
	g.Secret = true

	return &g
}

func keys(a, b reflect.Value) []string {
	seen := make(map[string]bool)

	for _, m := range []reflect.Value{a, b} {
		for _, k := range m.MapKeys() {
			seen[k.String()] = true
		}
	}

	list := make([]string, 0, len(seen))
	for k := range seen {
		list = append(list, k)
	}

	slices.Sort(list)

	return list
}

// free compares free-form mappings key by key at their top level.
func (w *walk) free(_ *document.Type, f *document.Field, a, b reflect.Value, path string) {
	item := document.TypeOf(reflect.TypeFor[any]())

	for _, k := range keys(a, b) {
		key := reflect.ValueOf(k)
		x, y := a.MapIndex(key), b.MapIndex(key)
		below := document.Join(path, k)
		f := named(f, k)

		switch {
		case !x.IsValid():
			w.report(Added, f, below, item, y, y)
		case !y.IsValid():
			w.report(Removed, f, below, item, x, x)
		case !reflect.DeepEqual(x.Interface(), y.Interface()):
			w.report(Changed, f, below, item, x, y)
		}
	}
}

// list compares lists of sections: items with the same identity are compared,
// others are added or removed.
func (w *walk) list(t *document.Type, f *document.Field, a, b reflect.Value, path string) {
	before := len(w.changes)
	used := make(map[int]bool)

	for i := range b.Len() {
		y := b.Index(i)
		label := identity(t.Elem, f.Merge.Keys, y)
		at := -1

		for j := range a.Len() {
			if !used[j] && (label != "" && identity(t.Elem, f.Merge.Keys, a.Index(j)) == label ||
				reflect.DeepEqual(a.Index(j).Interface(), y.Interface())) {
				at = j

				break
			}
		}

		below := fmt.Sprintf("%s[%d]", path, i)
		if label != "" {
			below = fmt.Sprintf("%s[%s]", path, label)
		}

		if at < 0 {
			w.report(Added, f, below, t.Elem, y, y)

			continue
		}

		used[at] = true
		item := *f
		item.Merge = document.MergeRule{}
		w.value(t.Elem, &item, a.Index(at), y, below)
	}

	for j := range a.Len() {
		if used[j] {
			continue
		}

		below := fmt.Sprintf("%s[%d]", path, j)
		if label := identity(t.Elem, f.Merge.Keys, a.Index(j)); label != "" {
			below = fmt.Sprintf("%s[%s]", path, label)
		}

		w.report(Removed, f, below, t.Elem, a.Index(j), a.Index(j))
	}

	if len(w.changes) == before {
		w.report(Changed, f, path, t, a, b) // the order alone
	}
}

// identityKeys name an item of a list to people, where merging has no key for it.
var identityKeys = []string{"name", "interface", "vlanId", "mountPath", "path", "image", "address", "destination", "publicKey", "endpoint", "slot", "device", "ip"}

// identity is "key=value" of the key that names an item, "" if none does.
func identity(t *document.Type, mergeKeys []string, item reflect.Value) string {
	if t.Optional {
		if item.IsNil() {
			return ""
		}

		item = item.Elem()
	}

	for _, key := range slices.Concat(mergeKeys, identityKeys) {
		f := t.Field(key)
		if f == nil || f.Secret || f.Type.Shape == document.SectionShape || document.IsZero(f.Value(item)) {
			continue
		}

		return key + "=" + strings.TrimSpace(render(encode.Value(f.Type, f.Value(item))))
	}

	return ""
}

func render(n *yaml.Node) string {
	text, err := encode.Nodes(n)
	if err != nil {
		return err.Error()
	}

	return strings.TrimSuffix(string(text), "\n")
}
