package document

import (
	"fmt"
	"reflect"
	"strings"
	"sync"
	"time"
)

// Shape is how a value looks in YAML.
type Shape int

// Shapes.
const (
	TextShape     Shape = iota // string
	IntegerShape               // any Go integer
	NumberShape                // float64
	BooleanShape               // bool
	DurationShape              // time.Duration
	ScalarShape                // a type that decodes itself (Decoder)
	SectionShape               // struct: a mapping with known keys
	ListShape                  // slice
	MapShape                   // map[string]T
	FreeShape                  // Freeform or any: whatever YAML holds
)

// Type is a node of the schema tree.
type Type struct {
	// Go is the Go type without its pointer; Optional says that there is one.
	Go       reflect.Type
	Optional bool
	Shape    Shape
	// Elem is the type of items (lists) and values (maps).
	Elem *Type
	// Fields are the keys of a section, in the order they are written.
	Fields []*Field

	byKey map[string]*Field
}

// Change says what it takes for a changed key to have effect.
type Change struct {
	// Reboot is needed; otherwise the services in Restart are restarted;
	// otherwise the change applies live.
	Reboot  bool
	Restart []string
}

// String is the change in the words of the plan command.
func (c Change) String() string {
	switch {
	case c.Reboot:
		return "reboot"
	case len(c.Restart) > 0:
		return "restart " + strings.Join(c.Restart, ", ")
	}

	return "live"
}

// MergeRule says how a patch goes into a list or map.
type MergeRule struct {
	// Replace: a given value replaces the old one whole (lists: also an empty one; sections: missing keys become empty).
	Replace bool
	// Keys: lists of sections: an item of the patch goes into the first item with the same value at the first of
	// these keys that the patch item has; without a match it is appended.
	Keys []string
	// Whole: with Keys, the matching item is replaced instead of merged.
	Whole bool
	// PerKey: maps: each key of the patch replaces the value whole, even when it is empty or null.
	PerKey bool
}

// Field is one key of a section. It is made from the tags of a struct field:
//
//	yaml:"key,omitempty"  key; omitempty leaves the key out when the value is absent; ",inline" takes over an embedded struct's keys
//	merge:"replace"       see MergeRule; also "key=a|b", "key=a,whole", "perkey"; default: lists append what is not
//	                      in them yet, sections and maps merge key by key, scalars are replaced unless the patch value is absent
//	change:"reboot"       see Change; "live" (default), "restart=kubelet,etcd"; inherited by the keys below
//	effect:"yes"          the key is in force on nodes; "no" (default): not yet; inherited by the keys below
//	cut:"network"         a change can cut the node off from the network; inherited by the keys below
//	secret:"true"         the value must never be shown
//	doc:"…"               what the key means, in a sentence or two
//	enum:"a,b"            words that the key knows (for documentation and completion; decoding is the type's business)
//	default:"…"           what an absent key means, in words
//	since:"1.14"          the first version whose configs have the key, where that is later than its kind
type Field struct {
	Key       string
	OmitEmpty bool
	Index     []int
	Type      *Type
	Merge     MergeRule
	Change    Change
	Effect    bool
	Cut       bool
	Secret    bool
	Doc       string
	Enum      []string
	Default   string
	Since     string

	hasChange, hasEffect bool
}

// Field returns the field for key, nil if there is none.
func (t *Type) Field(key string) *Field { return t.byKey[key] }

// Value returns the field of the struct v.
func (f *Field) Value(v reflect.Value) reflect.Value {
	if len(f.Index) == 1 {
		return v.Field(f.Index[0])
	}

	return v.FieldByIndex(f.Index)
}

var (
	types        sync.Map // reflect.Type → *Type
	decoderType  = reflect.TypeFor[Decoder]()
	durationType = reflect.TypeFor[time.Duration]()
	freeType     = reflect.TypeFor[Freeform]()
)

// SchemaOf returns the schema tree of a document.
func SchemaOf(d Document) *Type { return TypeOf(reflect.TypeOf(d)) }

// TypeOf returns the schema tree of a Go type, which is built once. It panics
// on types that have no YAML form: a fault of the program, found by any test that touches the kind.
func TypeOf(t reflect.Type) *Type {
	if known, ok := types.Load(t); ok {
		return known.(*Type)
	}

	known, _ := types.LoadOrStore(t, build(t))

	return known.(*Type)
}

func build(t reflect.Type) *Type {
	if t.Kind() == reflect.Pointer {
		inner := *TypeOf(t.Elem())
		inner.Optional = true

		return &inner
	}

	if reflect.PointerTo(t).Implements(decoderType) {
		return &Type{Go: t, Shape: ScalarShape}
	}

	switch {
	case t == durationType:
		return &Type{Go: t, Shape: DurationShape}
	case t.ConvertibleTo(freeType) && t.Kind() == reflect.Map, t.Kind() == reflect.Interface && t.NumMethod() == 0:
		return &Type{Go: t, Shape: FreeShape}
	}

	switch t.Kind() {
	case reflect.String:
		return &Type{Go: t, Shape: TextShape}
	case reflect.Bool:
		return &Type{Go: t, Shape: BooleanShape}
	case reflect.Float64:
		return &Type{Go: t, Shape: NumberShape}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return &Type{Go: t, Shape: IntegerShape}
	case reflect.Slice:
		return &Type{Go: t, Shape: ListShape, Elem: TypeOf(t.Elem())}
	case reflect.Map:
		if t.Key().Kind() == reflect.String {
			return &Type{Go: t, Shape: MapShape, Elem: TypeOf(t.Elem())}
		}
	case reflect.Struct:
		return section(t)
	}

	panic(fmt.Sprintf("document: type has no YAML form: %v", t))
}

func section(t reflect.Type) *Type {
	s := &Type{Go: t, Shape: SectionShape, byKey: make(map[string]*Field)}

	for i := range t.NumField() {
		sf := t.Field(i)
		if !sf.IsExported() && !sf.Anonymous {
			continue
		}

		tag, ok := sf.Tag.Lookup("yaml")
		if !ok || tag == "-" {
			continue
		}

		key, options, _ := strings.Cut(tag, ",")
		if options == "inline" {
			for _, inner := range section(sf.Type).Fields {
				f := *inner
				f.Index = append([]int{i}, inner.Index...)
				inherit(&f, fieldFromTags(sf))
				s.add(t, &f)
			}

			continue
		}

		f := fieldFromTags(sf)
		f.Key, f.OmitEmpty, f.Index, f.Type = key, options == "omitempty", []int{i}, TypeOf(sf.Type)
		s.add(t, f)
	}

	return s
}

func (t *Type) add(owner reflect.Type, f *Field) {
	if t.byKey[f.Key] != nil {
		panic(fmt.Sprintf("document: key appears twice: %v: %s", owner, f.Key))
	}

	t.Fields = append(t.Fields, f)
	t.byKey[f.Key] = f
}

func fieldFromTags(sf reflect.StructField) *Field {
	f := &Field{Doc: sf.Tag.Get("doc"), Default: sf.Tag.Get("default"), Since: sf.Tag.Get("since")}
	f.Merge = parseMerge(sf.Tag.Get("merge"))
	f.Cut = sf.Tag.Get("cut") == "network"
	f.Secret = sf.Tag.Get("secret") == "true"

	if e := sf.Tag.Get("enum"); e != "" {
		f.Enum = strings.Split(e, ",")
	}

	if e, ok := sf.Tag.Lookup("effect"); ok {
		f.hasEffect, f.Effect = true, e == "yes"
	}

	if c, ok := sf.Tag.Lookup("change"); ok {
		f.hasChange = true
		f.Change = parseChange(c)
	}

	return f
}

func parseChange(tag string) Change {
	services, ok := strings.CutPrefix(tag, "restart=")

	switch {
	case ok:
		return Change{Restart: strings.Split(services, ",")}
	case tag == "reboot":
		return Change{Reboot: true}
	case tag == "live":
		return Change{}
	}

	panic("document: unknown change tag: " + tag)
}

func parseMerge(tag string) MergeRule {
	var r MergeRule

	for word := range strings.SplitSeq(tag, ",") {
		switch {
		case word == "", word == "append":
		case word == "replace":
			r.Replace = true
		case word == "whole":
			r.Whole = true
		case word == "perkey":
			r.PerKey = true
		case strings.HasPrefix(word, "key="):
			r.Keys = strings.Split(word[len("key="):], "|")
		default:
			panic("document: unknown merge tag: " + tag)
		}
	}

	return r
}

// inherit fills what f leaves open from the field above it.
func inherit(f, above *Field) {
	if !f.hasEffect {
		f.Effect, f.hasEffect = above.Effect, above.hasEffect
	}

	if !f.hasChange {
		f.Change, f.hasChange = above.Change, above.hasChange
	}

	if f.Since == "" {
		f.Since = above.Since
	}

	f.Cut = f.Cut || above.Cut
	f.Secret = f.Secret || above.Secret
}

// Below returns f as it counts under the field above (nil at the top): what
// it leaves open about change, effect, cut, secret and since comes from there.
func (f *Field) Below(above *Field) *Field {
	if above == nil {
		return f
	}

	g := *f
	inherit(&g, above)

	return &g
}
