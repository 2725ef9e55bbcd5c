package document

import (
	"reflect"
	"strconv"
	"strings"
)

// LateKeys calls found for each key that d gives and that version 1.minor does
// not have yet (tag since), with the version that brought it. Keys below such a
// key are left out.
func LateKeys(d Document, minor int, found func(path, since string)) {
	v := reflect.ValueOf(d).Elem()
	lateKeys(TypeOf(v.Type()), v, "", minor, found)
}

// Newer tells whether version since, such as "1.14", is newer than 1.minor.
func Newer(since string, minor int) bool {
	v, err := strconv.Atoi(strings.TrimPrefix(since, "1."))

	return err == nil && v > minor
}

func lateKeys(t *Type, v reflect.Value, path string, minor int, found func(path, since string)) {
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
			case Newer(f.Since, minor):
				found(key, f.Since)
			default:
				lateKeys(f.Type, value, key, minor, found)
			}
		}
	case ListShape:
		for i := range v.Len() {
			lateKeys(t.Elem, v.Index(i), path+"["+strconv.Itoa(i)+"]", minor, found)
		}
	case MapShape:
		for _, k := range v.MapKeys() {
			lateKeys(t.Elem, v.MapIndex(k), Join(path, k.String()), minor, found)
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
