package explain

import "github.com/ichor-os/ichor/config/document"

// NotInForce lists every key that nodes do not act on yet, as Find takes them.
// Sections are listed by the keys in them, unless they have none.
func NotInForce(kinds []*document.Kind) []string {
	var keys []string

	for _, k := range kinds {
		prefix := k.Kind
		if k.IsMain() {
			prefix = ""
		}

		notInForce(document.SchemaOf(k.New()), nil, prefix, &keys)
	}

	return keys
}

func notInForce(t *document.Type, above *document.Field, path string, keys *[]string) {
	for t.Shape == document.ListShape || t.Shape == document.MapShape {
		if t.Shape == document.MapShape {
			path += ".*"
		}

		t = t.Elem
	}

	for _, f := range t.Fields {
		f = f.Below(above)
		key := document.Join(path, f.Key)
		below := f.Type

		for below.Shape == document.ListShape || below.Shape == document.MapShape {
			below = below.Elem
		}

		switch {
		case len(below.Fields) > 0:
			notInForce(f.Type, f, key, keys)
		case !f.Effect:
			*keys = append(*keys, key)
		}
	}
}
