package patch

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/ichor-os/ichor/config/document"
)

// remove empties a place of a document.
func remove(d document.Document, r removal) error {
	v := reflect.ValueOf(d).Elem()
	err := removeAt(document.TypeOf(v.Type()), v, r.steps, r.lenient)

	if err != nil {
		words := make([]string, len(r.steps))
		for i, s := range r.steps {
			words[i] = s.String()
		}

		return fmt.Errorf("line %d: $patch: delete: lookup failed: %s: %s: %w", r.line, document.Title(d), strings.ReplaceAll(strings.Join(words, "."), ".[", "["), err)
	}

	return nil
}

func removeAt(t *document.Type, v reflect.Value, steps []step, lenient bool) error {
	if t.Optional {
		if v.IsNil() {
			if lenient {
				return nil
			}

			return fmt.Errorf("nothing there to delete %s from", steps[0])
		}

		v = v.Elem()
	}

	switch t.Shape {
	case document.SectionShape:
		f := t.Field(steps[0].key)
		if f == nil {
			return fmt.Errorf("unknown key: %s", steps[0])
		}

		if len(steps) == 1 {
			f.Value(v).SetZero()

			return nil
		}

		return removeAt(f.Type, f.Value(v), steps[1:], lenient)
	case document.MapShape:
		return removeKey(t, v, steps, lenient)
	case document.FreeShape:
		if v.Kind() == reflect.Map {
			return removeFree(v.Convert(reflect.TypeFor[map[string]any]()).Interface().(map[string]any), steps, lenient)
		}
	case document.ListShape:
		return removeItem(t, v, steps)
	}

	return fmt.Errorf("%s is inside a single value", steps[0])
}

func removeKey(t *document.Type, v reflect.Value, steps []step, lenient bool) error {
	key := reflect.ValueOf(steps[0].key).Convert(v.Type().Key())

	item := v.MapIndex(key)
	if !item.IsValid() {
		if lenient {
			return nil
		}

		return fmt.Errorf("no such key: %s", steps[0])
	}

	if len(steps) == 1 {
		v.SetMapIndex(key, reflect.Value{})

		return nil
	}

	slot := reflect.New(v.Type().Elem()).Elem()
	slot.Set(item)

	if err := removeAt(t.Elem, slot, steps[1:], lenient); err != nil {
		return err
	}

	v.SetMapIndex(key, slot)

	return nil
}

func removeFree(m map[string]any, steps []step, lenient bool) error {
	if steps[0].field != "" {
		return fmt.Errorf("items of a free-form list cannot be deleted: %s", steps[0])
	}

	item, ok := m[steps[0].key]

	switch {
	case !ok && lenient:
		return nil
	case !ok:
		return fmt.Errorf("no such key: %s", steps[0])
	case len(steps) == 1:
		delete(m, steps[0].key)

		return nil
	}

	inner, ok := item.(map[string]any)
	if !ok {
		return fmt.Errorf("%s is inside a value that is no mapping", steps[1])
	}

	return removeFree(inner, steps[1:], lenient)
}

// removeItem removes the first item whose field has the text. Only fields that read as text can be named.
func removeItem(t *document.Type, v reflect.Value, steps []step) error {
	if steps[0].field == "" || len(steps) > 1 {
		return fmt.Errorf("a list inside a list item cannot be changed: %s", steps[len(steps)-1])
	}

	if t.Elem.Shape != document.SectionShape {
		return fmt.Errorf("items of this list have no keys")
	}

	f := t.Elem.Field(steps[0].field)
	if f == nil {
		return fmt.Errorf("unknown key: %s", steps[0].field)
	}

	for i := range v.Len() {
		item := v.Index(i)
		if t.Elem.Optional {
			if item.IsNil() {
				continue
			}

			item = item.Elem()
		}

		if text, ok := textOf(f.Type, f.Value(item)); ok && text == steps[0].text {
			v.Set(reflect.AppendSlice(v.Slice3(0, i, i), v.Slice(i+1, v.Len())))

			return nil
		}
	}

	return fmt.Errorf("no item with %s: %s", steps[0].field, steps[0].text)
}

// textOf is the text of a field that reads as text; numbers do not.
func textOf(t *document.Type, v reflect.Value) (string, bool) {
	if t.Optional {
		if v.IsNil() {
			return "", false
		}

		v = v.Elem()
	}

	switch t.Shape {
	case document.TextShape:
		return v.String(), true
	case document.ScalarShape:
		if e, ok := v.Interface().(document.Encoder); ok {
			if n := e.EncodeYAML(); n != nil {
				return n.Value, true
			}
		}
	}

	return "", false
}
