// Package merge lays one config over another, document by document and key by
// key. What a key does with two values stands in its merge tag; see
// document.Field. Merging is idempotent: laying the same config over the
// result again changes nothing.
package merge

import (
	"fmt"
	"reflect"

	"github.com/ichor-os/ichor/config/decode"
	"github.com/ichor-os/ichor/config/document"
)

// Error says where merging failed.
type Error struct {
	Document, Path, Message string
}

// Error is the fault on one line.
func (e *Error) Error() string {
	return fmt.Sprintf("merge: %s: %s: %s", e.Document, e.Path, e.Message)
}

// Documents lays the documents of a patch over those of a base. Documents of
// the same kind and name are merged in place, others are appended. Base
// documents are changed; the result holds no part of the patch's documents that a later merge could change there.
func Documents(base, patch []decode.Parsed) ([]decode.Parsed, error) {
	result := base

	for _, p := range patch {
		var err error
		if result, err = Document(result, p); err != nil {
			return nil, err
		}
	}

	if faults := decode.Clashes(result, ""); len(faults) > 0 {
		return nil, faults
	}

	return result, nil
}

// Document lays one document over those of a base, as Documents does. It does
// not look for clashes: whoever has laid the last one does that.
func Document(base []decode.Parsed, patch decode.Parsed) ([]decode.Parsed, error) {
	target := find(base, patch.Document)
	if target == nil {
		return append(base, decode.Parsed{Document: clone(patch.Document), Node: patch.Node}), nil
	}

	return base, Into(target, patch.Document)
}

func find(docs []decode.Parsed, d document.Document) document.Document {
	for _, c := range docs {
		if c.Document.Kind() == d.Kind() && c.Document.Name() == d.Name() {
			return c.Document
		}
	}

	return nil
}

func clone(d document.Document) document.Document {
	c := d.Kind().New()
	reflect.ValueOf(c).Elem().Set(Clone(reflect.ValueOf(d).Elem()))

	return c
}

// Into lays the patch over the document.
func Into(d, patch document.Document) error {
	v := reflect.ValueOf(d).Elem()
	m := &merger{document: document.Title(d)}

	if err := m.section(document.TypeOf(v.Type()), v, reflect.ValueOf(patch).Elem(), ""); err != nil {
		return err
	}

	if s, ok := d.(document.Settler); ok {
		s.Settle(patch)
	}

	return nil
}

type merger struct{ document string }

func (m *merger) fail(path, format string, args ...any) error {
	return &Error{Document: m.document, Path: path, Message: fmt.Sprintf(format, args...)}
}

func (m *merger) section(t *document.Type, v, patch reflect.Value, path string) error {
	for _, f := range t.Fields {
		if err := m.value(f.Type, f.Merge, f.Value(v), f.Value(patch), document.Join(path, f.Key)); err != nil {
			return err
		}
	}

	return nil
}

// value lays patch over v, both of type t.
func (m *merger) value(t *document.Type, rule document.MergeRule, v, patch reflect.Value, path string) error {
	if t.Optional {
		if patch.IsNil() {
			return nil
		}

		if v.IsNil() || rule.Replace || !deep(t.Shape) && !merges(v) {
			v.Set(Clone(patch))

			return nil
		}

		inner := *t
		inner.Optional = false

		return m.value(&inner, rule, v.Elem(), patch.Elem(), path)
	}

	if v.CanAddr() {
		if own, ok := v.Addr().Interface().(document.Merger); ok {
			p := reflect.New(patch.Type())
			p.Elem().Set(patch)

			if err := own.MergeFrom(p.Interface()); err != nil {
				return m.fail(path, "%v", err)
			}

			return nil
		}
	}

	switch t.Shape {
	case document.SectionShape:
		if rule.Replace {
			if !document.IsZero(patch) {
				v.Set(Clone(patch))
			}

			return nil
		}

		return m.section(t, v, patch, path)
	case document.ListShape:
		return m.list(t, rule, v, patch, path)
	case document.MapShape:
		return m.mapping(t, rule, v, patch, path)
	case document.FreeShape:
		return m.free(rule, v, patch, path)
	}

	if !document.IsZero(patch) {
		v.Set(Clone(patch))
	}

	return nil
}

// deep tells whether values of a shape merge part by part.
func deep(s document.Shape) bool {
	switch s {
	case document.SectionShape, document.ListShape, document.MapShape, document.FreeShape:
		return true
	}

	return false
}

func merges(v reflect.Value) bool {
	_, ok := v.Interface().(document.Merger)

	return ok
}

func (m *merger) list(t *document.Type, rule document.MergeRule, v, patch reflect.Value, path string) error {
	switch {
	case patch.IsNil():
		return nil
	case rule.Replace:
		v.Set(Clone(patch))

		return nil
	case v.Len() == 0 && len(rule.Keys) == 0:
		if patch.Len() > 0 {
			v.Set(Clone(patch))
		}

		return nil
	}

	result := v
	held := holder(v)

	for i := range patch.Len() {
		item := patch.Index(i)
		if held(item) {
			continue
		}

		switch at := match(t.Elem, rule.Keys, result, item); {
		case at < 0:
			result = reflect.Append(result, Clone(item))
		case rule.Whole:
			result.Index(at).Set(Clone(item))
		default:
			if err := m.value(t.Elem, document.MergeRule{}, result.Index(at), item, fmt.Sprintf("%s[%d]", path, at)); err != nil {
				return err
			}
		}
	}

	v.Set(result)

	return nil
}

// holder gives a function that tells whether a list holds an item. Lists of
// text may be long, so they are not searched again for each item.
func holder(list reflect.Value) func(item reflect.Value) bool {
	if list.Type().Elem().Kind() != reflect.String {
		return func(item reflect.Value) bool { return contains(list, item) }
	}

	texts := make(map[string]bool, list.Len())
	for i := range list.Len() {
		texts[list.Index(i).String()] = true
	}

	return func(item reflect.Value) bool { return texts[item.String()] }
}

// contains tells whether a list holds an item already; so appending the same patch twice adds nothing.
func contains(list, item reflect.Value) bool {
	for i := range list.Len() {
		if reflect.DeepEqual(list.Index(i).Interface(), item.Interface()) {
			return true
		}
	}

	return false
}

// match finds the item that has the same value at the first key that item has; -1 if there is none.
func match(t *document.Type, keys []string, list, item reflect.Value) int {
	if len(keys) == 0 || t.Shape != document.SectionShape || t.Optional && item.IsNil() {
		return -1
	}

	field := func(v reflect.Value, key string) reflect.Value {
		if t.Optional {
			v = v.Elem()
		}

		return t.Field(key).Value(v)
	}

	for _, key := range keys {
		want := field(item, key)
		if document.IsZero(want) {
			continue
		}

		for i := range list.Len() {
			if t.Optional && list.Index(i).IsNil() {
				continue
			}

			if reflect.DeepEqual(field(list.Index(i), key).Interface(), want.Interface()) {
				return i
			}
		}

		return -1
	}

	return -1
}

func (m *merger) mapping(t *document.Type, rule document.MergeRule, v, patch reflect.Value, path string) error {
	if patch.Len() == 0 {
		return nil
	}

	if rule.Replace {
		v.Set(Clone(patch))

		return nil
	}

	result := reflect.MakeMapWithSize(v.Type(), v.Len()+patch.Len())
	for _, k := range v.MapKeys() {
		result.SetMapIndex(k, v.MapIndex(k))
	}

	for _, k := range patch.MapKeys() {
		old, item := result.MapIndex(k), patch.MapIndex(k)

		if !old.IsValid() || rule.PerKey {
			if !old.IsValid() && t.Elem.Optional && item.IsNil() {
				continue
			}

			result.SetMapIndex(k, Clone(item))

			continue
		}

		slot := reflect.New(v.Type().Elem()).Elem()
		slot.Set(old)

		if err := m.value(t.Elem, document.MergeRule{}, slot, item, document.Join(path, k.String())); err != nil {
			return err
		}

		result.SetMapIndex(k, slot)
	}

	v.Set(result)

	return nil
}

// Clone copies a value so that nothing in the copy is shared, values of types
// that decode themselves apart: those are never changed in place.
func Clone(v reflect.Value) reflect.Value {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return v
		}

		c := reflect.New(v.Type().Elem())
		c.Elem().Set(Clone(v.Elem()))

		return c
	case reflect.Struct:
		c := reflect.New(v.Type()).Elem()
		c.Set(v)

		for i := range v.NumField() {
			if c.Field(i).CanSet() {
				c.Field(i).Set(Clone(v.Field(i)))
			}
		}

		return c
	case reflect.Slice:
		if v.IsNil() {
			return v
		}

		c := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		for i := range v.Len() {
			c.Index(i).Set(Clone(v.Index(i)))
		}

		return c
	case reflect.Map:
		if v.IsNil() {
			return v
		}

		c := reflect.MakeMapWithSize(v.Type(), v.Len())
		for _, k := range v.MapKeys() {
			c.SetMapIndex(k, Clone(v.MapIndex(k)))
		}

		return c
	case reflect.Interface:
		if v.IsNil() {
			return v
		}

		c := reflect.New(v.Type()).Elem()
		c.Set(Clone(v.Elem()))

		return c
	}

	return v
}
