package document

import (
	"reflect"
	"strconv"
)

// LateKeys calls found for each key that d gives and that came later than its
// kind (tag since), with the version that brought it. Keys below such a key are left out.
func LateKeys(d Document, found func(path, since string)) {
	v := reflect.ValueOf(d).Elem()
	lateKeys(TypeOf(v.Type()), v, "", found)
}

func lateKeys(t *Type, v reflect.Value, path string, found func(path, since string)) {
	if !hasLateKeys(t) || t.Optional && v.IsNil() {
		return
	}

	if t.Optional {
		v = v.Elem()
	}

	switch t.Shape {
	case SectionShape:
		for _, f := range t.Fields {
			value, key := f.Value(v), Join(path, f.Key)

			switch {
			case IsZero(value):
			case f.Since != "":
				found(key, f.Since)
			default:
				lateKeys(f.Type, value, key, found)
			}
		}
	case ListShape:
		for i := range v.Len() {
			lateKeys(t.Elem, v.Index(i), path+"["+strconv.Itoa(i)+"]", found)
		}
	case MapShape:
		for _, k := range v.MapKeys() {
			lateKeys(t.Elem, v.MapIndex(k), Join(path, k.String()), found)
		}
	}
}

func hasLateKeys(t *Type) bool {
	if t.Elem != nil {
		return hasLateKeys(t.Elem)
	}

	for _, f := range t.Fields {
		if f.Since != "" || hasLateKeys(f.Type) {
			return true
		}
	}

	return false
}
