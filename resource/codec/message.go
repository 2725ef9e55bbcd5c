package codec

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"sync"

	"google.golang.org/protobuf/encoding/protowire"
)

// message is how a struct travels.
type message struct {
	fields []*field // by number
	byNum  map[protowire.Number]*field
}

// field is one numbered field of a message.
type field struct {
	name   string
	num    protowire.Number
	index  []int
	append func(b []byte, v reflect.Value) ([]byte, error)
	decode func(v reflect.Value, r raw) error
}

// raw is a field's value as it stands in the bytes.
type raw struct {
	wire  protowire.Type
	n     uint64 // varint and fixed
	bytes []byte // length-delimited
}

var messages sync.Map // reflect.Type → *message

func messageOf(t reflect.Type) (*message, error) {
	if m, ok := messages.Load(t); ok {
		return m.(*message), nil
	}
	b := &builder{open: map[reflect.Type]*message{}}
	m, err := b.message(t)
	if err != nil {
		return nil, err
	}
	for t, m := range b.open {
		messages.LoadOrStore(t, m)
	}
	return m, nil
}

// builder compiles messages; open holds those of this build, so that a type
// may contain itself.
type builder struct {
	open map[reflect.Type]*message
}

func (b *builder) message(t reflect.Type) (*message, error) {
	if m, ok := b.open[t]; ok {
		return m, nil
	}
	m := &message{byNum: map[protowire.Number]*field{}}
	b.open[t] = m
	if err := b.collect(m, t, nil); err != nil {
		return nil, err
	}
	slices.SortFunc(m.fields, func(x, y *field) int { return int(x.num) - int(y.num) })
	return m, nil
}

func (b *builder) collect(m *message, t reflect.Type, index []int) error {
	for i := range t.NumField() {
		sf := t.Field(i)
		at := append(slices.Clone(index), i)
		tag, ok := sf.Tag.Lookup("protobuf")
		if !ok {
			if sf.Anonymous && sf.Type.Kind() == reflect.Struct {
				if err := b.collect(m, sf.Type, at); err != nil {
					return err
				}
			}
			continue
		}
		num, err := strconv.ParseInt(tag, 10, 32)
		if err != nil || !protowire.Number(num).IsValid() {
			return fmt.Errorf("field %s: protobuf tag %q is not a field number", sf.Name, tag)
		}
		f := &field{name: sf.Name, num: protowire.Number(num), index: at}
		if other := m.byNum[f.num]; other != nil {
			return fmt.Errorf("fields %s and %s share number %d", other.name, f.name, num)
		}
		if err := b.field(f, sf.Type); err != nil {
			return fmt.Errorf("field %s: %w", sf.Name, err)
		}
		m.byNum[f.num] = f
		m.fields = append(m.fields, f)
	}
	return nil
}

// append appends the message's fields, without a length.
func (m *message) append(b []byte, v reflect.Value) ([]byte, error) {
	for _, f := range m.fields {
		var err error
		if b, err = f.append(b, v.FieldByIndex(f.index)); err != nil {
			return nil, fmt.Errorf("field %s: %w", f.name, err)
		}
	}
	return b, nil
}

// decode reads fields into v, which is addressable.
func (m *message) decode(b []byte, v reflect.Value) error {
	for len(b) > 0 {
		num, r, n := consume(b)
		if n < 0 {
			return protowire.ParseError(n)
		}
		b = b[n:]
		f := m.byNum[num]
		if f == nil {
			continue
		}
		if err := f.decode(v.FieldByIndex(f.index), r); err != nil {
			return fmt.Errorf("field %s: %w", f.name, err)
		}
	}
	return nil
}

// consume reads one field. A negative length is an error of protowire.
func consume(b []byte) (protowire.Number, raw, int) {
	num, wire, n := protowire.ConsumeTag(b)
	if n < 0 {
		return 0, raw{}, n
	}
	r, m := consumeValue(num, wire, b[n:])
	if m < 0 {
		return 0, raw{}, m
	}
	return num, r, n + m
}

func consumeValue(num protowire.Number, wire protowire.Type, b []byte) (raw, int) {
	r := raw{wire: wire}
	var n int
	switch wire {
	case protowire.VarintType:
		r.n, n = protowire.ConsumeVarint(b)
	case protowire.Fixed64Type:
		r.n, n = protowire.ConsumeFixed64(b)
	case protowire.Fixed32Type:
		var v uint32
		v, n = protowire.ConsumeFixed32(b)
		r.n = uint64(v)
	case protowire.BytesType:
		r.bytes, n = protowire.ConsumeBytes(b)
	default:
		n = protowire.ConsumeFieldValue(num, wire, b)
	}
	return r, n
}

// field compiles the form of a field of type t.
func (b *builder) field(f *field, t reflect.Type) error {
	switch {
	case isSingle(t):
	case t.Kind() == reflect.Pointer:
		return b.optional(f, t.Elem())
	case t.Kind() == reflect.Slice:
		return b.repeated(f, t.Elem())
	case t.Kind() == reflect.Map:
		return b.mapped(f, t)
	}
	c, err := b.value(t)
	if err != nil {
		return err
	}
	f.append = func(b []byte, v reflect.Value) ([]byte, error) {
		if v.IsZero() {
			return b, nil
		}
		mark := len(b)
		b = protowire.AppendTag(b, f.num, c.wire)
		start := len(b)
		b, err := c.append(b, v)
		if err == nil && c.message && len(b) == start+1 {
			b = b[:mark] // an empty message that is not a pointer is absent
		}
		return b, err
	}
	f.decode = c.checked()
	return nil
}

func (b *builder) optional(f *field, elem reflect.Type) error {
	c, err := b.value(elem)
	if err != nil {
		return err
	}
	decode := c.checked()
	f.append = func(b []byte, v reflect.Value) ([]byte, error) {
		if v.IsNil() {
			return b, nil
		}
		return c.append(protowire.AppendTag(b, f.num, c.wire), v.Elem())
	}
	f.decode = func(v reflect.Value, r raw) error {
		if v.IsNil() {
			v.Set(reflect.New(elem))
		}
		return decode(v.Elem(), r)
	}
	return nil
}

// repeated packs numbers, as proto3 does, and reads them both ways.
func (b *builder) repeated(f *field, elem reflect.Type) error {
	c, err := b.element(elem)
	if err != nil {
		return err
	}
	packed := c.wire != protowire.BytesType
	f.append = func(b []byte, v reflect.Value) ([]byte, error) {
		var err error
		var pack []byte
		for i := range v.Len() {
			if packed {
				pack, err = c.append(pack, v.Index(i))
			} else {
				b, err = c.append(protowire.AppendTag(b, f.num, c.wire), v.Index(i))
			}
			if err != nil {
				return nil, err
			}
		}
		if len(pack) > 0 {
			b = protowire.AppendTag(b, f.num, protowire.BytesType)
			b = protowire.AppendBytes(b, pack)
		}
		return b, nil
	}
	decode := c.checked()
	add := func(v reflect.Value, r raw) error {
		e := reflect.New(elem).Elem()
		if err := decode(e, r); err != nil {
			return err
		}
		v.Set(reflect.Append(v, e))
		return nil
	}
	f.decode = func(v reflect.Value, r raw) error {
		if !packed || r.wire != protowire.BytesType {
			return add(v, r)
		}
		for rest := r.bytes; len(rest) > 0; {
			r, n := consumeValue(f.num, c.wire, rest)
			if n < 0 {
				return protowire.ParseError(n)
			}
			if err := add(v, r); err != nil {
				return err
			}
			rest = rest[n:]
		}
		return nil
	}
	return nil
}

// mapped writes a map as repeated entries {1: key, 2: value}, in the order of
// the keys.
func (b *builder) mapped(f *field, t reflect.Type) error {
	if t.Key().Kind() != reflect.String {
		return fmt.Errorf("map key %s: only strings have a form", t.Key())
	}
	c, err := b.element(t.Elem())
	if err != nil {
		return err
	}
	f.append = func(b []byte, v reflect.Value) ([]byte, error) {
		keys := v.MapKeys()
		slices.SortFunc(keys, func(x, y reflect.Value) int { return compareStrings(x.String(), y.String()) })
		for _, k := range keys {
			entry := protowire.AppendTag(nil, 1, protowire.BytesType)
			entry = protowire.AppendString(entry, k.String())
			entry = protowire.AppendTag(entry, 2, c.wire)
			entry, err := c.append(entry, v.MapIndex(k))
			if err != nil {
				return nil, err
			}
			b = protowire.AppendTag(b, f.num, protowire.BytesType)
			b = protowire.AppendBytes(b, entry)
		}
		return b, nil
	}
	decode := c.checked()
	f.decode = func(v reflect.Value, r raw) error {
		if r.wire != protowire.BytesType {
			return errWire
		}
		key, val := reflect.New(t.Key()).Elem(), reflect.New(t.Elem()).Elem()
		for rest := r.bytes; len(rest) > 0; {
			num, part, n := consume(rest)
			if n < 0 {
				return protowire.ParseError(n)
			}
			rest = rest[n:]
			switch num {
			case 1:
				key.SetString(string(part.bytes))
			case 2:
				if err := decode(val, part); err != nil {
					return err
				}
			}
		}
		if v.IsNil() {
			v.Set(reflect.MakeMap(t))
		}
		v.SetMapIndex(key, val)
		return nil
	}
	return nil
}

// element compiles an item of a slice or map: pointers to structs are allowed.
func (b *builder) element(t reflect.Type) (*value, error) {
	if t.Kind() != reflect.Pointer || isSingle(t) {
		return b.value(t)
	}
	inner, err := b.value(t.Elem())
	if err != nil {
		return nil, err
	}
	c := *inner
	c.append = func(b []byte, v reflect.Value) ([]byte, error) {
		if v.IsNil() {
			v = reflect.New(t.Elem())
		}
		return inner.append(b, v.Elem())
	}
	c.decode = func(v reflect.Value, r raw) error {
		v.Set(reflect.New(t.Elem()))
		return inner.decode(v.Elem(), r)
	}
	return &c, nil
}
