package validate

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/ichor-os/ichor/config/document"
)

// NotInForce says which keys of the config nodes do not act on yet, a line a document.
func (r *Report) NotInForce() []string {
	var lines []string

	for i := 0; i < len(r.Notices); {
		first, keys := r.Notices[i], []string(nil)
		for ; i < len(r.Notices) && r.Notices[i].Document == first.Document; i++ {
			keys = append(keys, r.Notices[i].Path)
		}

		lines = append(lines, fmt.Sprintf("%s: %s: %s", first.Document, first.Message, strings.Join(keys, ", ")))
	}

	return lines
}

// notInForce names the keys that a document uses and that nodes do not act on yet.
func notInForce(v *document.Validation, d document.Document) {
	value := reflect.ValueOf(d).Elem()
	inForce(v, document.TypeOf(value.Type()), value, nil, "")
}

func inForce(v *document.Validation, t *document.Type, value reflect.Value, above *document.Field, path string) {
	for _, f := range t.Fields {
		fv := f.Value(value)
		if document.IsZero(fv) {
			continue
		}

		f := f.Below(above)
		key := document.Join(path, f.Key)

		switch {
		case f.Effect && !below(f.Type):
		case f.Effect, hasEffectBelow(f.Type):
			inForceValue(v, f.Type, fv, f, key)
		default:
			v.Noticef(key, "not in force yet").Fix("keep it: nodes do not act on it so far, or not in full")
		}
	}
}

// below tells whether a type has keys of its own.
func below(t *document.Type) bool {
	switch t.Shape {
	case document.SectionShape:
		return true
	case document.ListShape, document.MapShape:
		return below(t.Elem)
	}

	return false
}

func hasEffectBelow(t *document.Type) bool {
	switch t.Shape {
	case document.SectionShape:
		for _, f := range t.Fields {
			if f.Effect || hasEffectBelow(f.Type) {
				return true
			}
		}
	case document.ListShape, document.MapShape:
		return hasEffectBelow(t.Elem)
	}

	return false
}

func inForceValue(v *document.Validation, t *document.Type, value reflect.Value, f *document.Field, path string) {
	if t.Optional {
		value = value.Elem()
	}

	switch t.Shape {
	case document.SectionShape:
		inForce(v, t, value, f, path)
	case document.ListShape:
		for i := range value.Len() {
			if !document.IsZero(value.Index(i)) {
				inForceValue(v, t.Elem, value.Index(i), f, path+indexOf(i))
			}
		}
	case document.MapShape:
		for _, k := range value.MapKeys() {
			if x := value.MapIndex(k); !document.IsZero(x) {
				inForceValue(v, t.Elem, x, f, document.Join(path, k.String()))
			}
		}
	}
}

func indexOf(i int) string { return "[" + strconv.Itoa(i) + "]" }
