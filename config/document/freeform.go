package document

import (
	"reflect"

	"go.yaml.in/yaml/v3"
)

// Freeform is a mapping whose keys this project does not know: parts of
// Kubernetes' own configuration. Values are nil, bool, int, int64, uint64,
// float64, string, []any and map[string]any.
type Freeform map[string]any

// IsZero tells whether a reflected value counts as absent; see Zeroer.
func IsZero(v reflect.Value) bool {
	if !v.IsValid() {
		return true
	}

	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		return v.IsNil()
	case reflect.Slice, reflect.Map:
		if z, ok := zeroer(v); ok {
			return z.IsZero()
		}

		return v.Len() == 0
	case reflect.Struct:
		if z, ok := zeroer(v); ok {
			return z.IsZero()
		}

		return zeroStruct(v)
	}

	if z, ok := zeroer(v); ok {
		return z.IsZero()
	}

	return v.IsZero()
}

func zeroer(v reflect.Value) (Zeroer, bool) {
	if v.Type().NumMethod() == 0 || !v.CanInterface() {
		return nil, false
	}

	z, ok := v.Interface().(Zeroer)

	return z, ok
}

func zeroStruct(v reflect.Value) bool {
	t := v.Type()
	if reflect.PointerTo(t).Implements(decoderType) {
		return v.IsZero()
	}

	for i := range v.NumField() {
		if t.Field(i).IsExported() || t.Field(i).Anonymous {
			if !IsZero(v.Field(i)) {
				return false
			}
		}
	}

	return true
}

// Resolve follows an alias to what it stands for.
func Resolve(n *yaml.Node) *yaml.Node {
	for n != nil && n.Kind == yaml.AliasNode {
		n = n.Alias
	}

	return n
}
