package merge

import (
	"fmt"
	"reflect"

	"github.com/ichor-os/ichor/config/document"
)

// free merges values whose keys are not known: mappings key by key, lists by
// appending what is not in them, scalars by replacing.
func (m *merger) free(rule document.MergeRule, v, patch reflect.Value, path string) error {
	if rule.Replace {
		if !document.IsZero(patch) {
			v.Set(Clone(patch))
		}

		return nil
	}

	if patch.Len() == 0 {
		return nil
	}

	old, _ := v.Convert(reflect.TypeFor[map[string]any]()).Interface().(map[string]any)
	over, _ := Clone(patch).Convert(reflect.TypeFor[map[string]any]()).Interface().(map[string]any)

	result, err := m.freeMap(old, over, path)
	if err != nil {
		return err
	}

	v.Set(reflect.ValueOf(result).Convert(v.Type()))

	return nil
}

func (m *merger) freeMap(old, patch map[string]any, path string) (map[string]any, error) {
	result := make(map[string]any, len(old)+len(patch))
	for k, x := range old {
		result[k] = x
	}

	for k, x := range patch {
		before, ok := result[k]
		if !ok {
			result[k] = x

			continue
		}

		merged, err := m.freeValue(before, x, document.Join(path, k))
		if err != nil {
			return nil, err
		}

		result[k] = merged
	}

	return result, nil
}

func (m *merger) freeValue(old, patch any, path string) (any, error) {
	switch {
	case patch == nil:
		return old, nil
	case old == nil:
		return patch, nil
	case freeKind(old) != freeKind(patch) && sameNumber(old, patch):
		return old, nil
	}

	switch p := patch.(type) {
	case map[string]any:
		if o, ok := old.(map[string]any); ok {
			return m.freeMap(o, p, path)
		}
	case []any:
		if o, ok := old.([]any); ok {
			return appendNew(o, p), nil
		}
	case bool:
		if _, ok := old.(bool); ok {
			return p, nil
		}
	default:
		if freeKind(old) == freeKind(patch) {
			if reflect.ValueOf(patch).IsZero() {
				return old, nil
			}

			return patch, nil
		}
	}

	return nil, m.fail(path, "%s cannot be merged into %s: delete the key first with $patch: delete", freeKind(patch), freeKind(old))
}

// sameNumber compares numbers by value: 1e3 is read as a fraction and written as 1000.
func sameNumber(a, b any) bool {
	x, okX := number(a)
	y, okY := number(b)

	return okX && okY && x == y
}

func number(x any) (float64, bool) {
	switch n := x.(type) {
	case int:
		return float64(n), true
	case int64:
		return float64(n), true
	case uint64:
		return float64(n), true
	case float64:
		return n, true
	}

	return 0, false
}

func appendNew(list, items []any) []any {
	result := append([]any(nil), list...)
	before := reflect.ValueOf(list)

	for _, item := range items {
		known := false

		for i := range before.Len() {
			if reflect.DeepEqual(before.Index(i).Interface(), item) {
				known = true
			}
		}

		if !known {
			result = append(result, item)
		}
	}

	return result
}

func freeKind(x any) string {
	switch x.(type) {
	case nil:
		return "null"
	case map[string]any:
		return "a mapping"
	case []any:
		return "a list"
	case bool:
		return "a boolean"
	case string:
		return "text"
	case int, int64, uint64:
		return "a whole number"
	case float64:
		return "a fraction"
	}

	return fmt.Sprintf("a %T", x)
}
