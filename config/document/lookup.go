package document

import "reflect"

// Lookup follows keys from the top of a document through sections; false if
// there is no such key, or an absent section lies on the way.
func Lookup(d Document, keys ...string) (reflect.Value, bool) {
	v := reflect.ValueOf(d)
	t := TypeOf(v.Type())

	for _, key := range keys {
		if t.Optional {
			if v.IsNil() {
				return reflect.Value{}, false
			}

			v = v.Elem()
		}

		f := t.Field(key)
		if f == nil {
			return reflect.Value{}, false
		}

		v, t = f.Value(v), f.Type
	}

	return v, true
}
