package codec

import (
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"
)

// The field numbers of google.protobuf.Value.
const (
	valueNull   = 1
	valueNumber = 2
	valueString = 3
	valueBool   = 4
	valueStruct = 5
	valueList   = 6
)

// maxDepth bounds how deep a Struct may nest, so that bytes cannot exhaust the
// stack.
const maxDepth = 256

func appendStruct(b []byte, v reflect.Value) ([]byte, error) {
	return appendObject(b, v.Convert(structType).Interface().(map[string]any))
}

func appendObject(b []byte, object map[string]any) ([]byte, error) {
	for _, k := range slices.Sorted(maps.Keys(object)) {
		body, err := appendAny(nil, object[k])
		if err != nil {
			return nil, fmt.Errorf("key %q: %w", k, err)
		}
		entry := protowire.AppendString(protowire.AppendTag(nil, 1, protowire.BytesType), k)
		entry = protowire.AppendBytes(protowire.AppendTag(entry, 2, protowire.BytesType), body)
		b = protowire.AppendBytes(protowire.AppendTag(b, 1, protowire.BytesType), entry)
	}
	return b, nil
}

// appendAny appends the fields of a google.protobuf.Value.
func appendAny(b []byte, v any) ([]byte, error) {
	switch v := v.(type) {
	case nil:
		return protowire.AppendVarint(protowire.AppendTag(b, valueNull, protowire.VarintType), 0), nil
	case string:
		b = protowire.AppendTag(b, valueString, protowire.BytesType)
		return protowire.AppendString(b, strings.ToValidUTF8(v, "\uFFFD")), nil
	case bool:
		return protowire.AppendVarint(protowire.AppendTag(b, valueBool, protowire.VarintType), protowire.EncodeBool(v)), nil
	case map[string]any:
		body, err := appendObject(nil, v)
		return protowire.AppendBytes(protowire.AppendTag(b, valueStruct, protowire.BytesType), body), err
	}
	if text, ok := textOf(v); ok {
		return appendAny(b, text)
	}
	return appendReflected(b, reflect.ValueOf(v))
}

func appendReflected(b []byte, rv reflect.Value) ([]byte, error) {
	number := func(f float64) ([]byte, error) {
		return protowire.AppendFixed64(protowire.AppendTag(b, valueNumber, protowire.Fixed64Type), math.Float64bits(f)), nil
	}
	switch rv.Kind() {
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return number(float64(rv.Int()))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return number(float64(rv.Uint()))
	case reflect.Float32, reflect.Float64:
		return number(rv.Float())
	case reflect.String:
		return appendAny(b, rv.String())
	case reflect.Bool:
		return appendAny(b, rv.Bool())
	case reflect.Slice, reflect.Array:
		var list []byte
		for i := range rv.Len() {
			item, err := appendAny(nil, rv.Index(i).Interface())
			if err != nil {
				return nil, err
			}
			list = protowire.AppendBytes(protowire.AppendTag(list, 1, protowire.BytesType), item)
		}
		return protowire.AppendBytes(protowire.AppendTag(b, valueList, protowire.BytesType), list), nil
	case reflect.Map:
		if rv.Type().Key().Kind() == reflect.String {
			object := make(map[string]any, rv.Len())
			for _, k := range rv.MapKeys() {
				object[k.String()] = rv.MapIndex(k).Interface()
			}
			return appendAny(b, object)
		}
	}
	return nil, fmt.Errorf("%s has no form in a Struct", rv.Type())
}

func decodeStruct(v reflect.Value, b []byte) error {
	object, err := decodeObject(b, 0)
	if err != nil {
		return err
	}
	v.Set(reflect.ValueOf(object).Convert(v.Type()))
	return nil
}

func decodeObject(b []byte, depth int) (map[string]any, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("struct nests deeper than %d", maxDepth)
	}
	out := map[string]any{}
	for len(b) > 0 {
		num, r, n := consume(b)
		if n < 0 {
			return nil, protowire.ParseError(n)
		}
		b = b[n:]
		if num != 1 {
			continue
		}
		p, err := parts(r.bytes)
		if err != nil {
			return nil, err
		}
		if out[string(p[1].bytes)], err = decodeAny(p[2].bytes, depth); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func decodeAny(b []byte, depth int) (out any, err error) {
	for len(b) > 0 {
		num, r, n := consume(b)
		if n < 0 {
			return nil, protowire.ParseError(n)
		}
		b = b[n:]
		switch num {
		case valueNull:
			out = nil
		case valueNumber:
			out = wholeNumber(math.Float64frombits(r.n))
		case valueString:
			out = string(r.bytes)
		case valueBool:
			out = r.n != 0
		case valueStruct:
			out, err = decodeObject(r.bytes, depth+1)
		case valueList:
			out, err = decodeList(r.bytes, depth+1)
		}
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

func decodeList(b []byte, depth int) ([]any, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("list nests deeper than %d", maxDepth)
	}
	out := []any{}
	for len(b) > 0 {
		num, r, n := consume(b)
		if n < 0 {
			return nil, protowire.ParseError(n)
		}
		b = b[n:]
		if num != 1 {
			continue
		}
		item, err := decodeAny(r.bytes, depth)
		if err != nil {
			return nil, err
		}
		out = append(out, item)
	}
	return out, nil
}

// wholeNumber gives an int for a number that is one, because a Struct has only
// floating point numbers and YAML would print 2.4e+01.
func wholeNumber(f float64) any {
	if f == math.Trunc(f) && math.Abs(f) < 1<<53 {
		return int(f)
	}
	return f
}
