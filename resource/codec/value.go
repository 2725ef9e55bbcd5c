package codec

import (
	"encoding"
	"errors"
	"fmt"
	"math"
	"net/netip"
	"net/url"
	"reflect"
	"strings"
	"time"

	"google.golang.org/protobuf/encoding/protowire"
)

var errWire = errors.New("bytes are not of this field's type")

// value is how one value travels, without its tag.
type value struct {
	wire    protowire.Type
	message bool
	append  func(b []byte, v reflect.Value) ([]byte, error)
	decode  func(v reflect.Value, r raw) error
}

// checked refuses bytes of another wire type.
func (c *value) checked() func(reflect.Value, raw) error {
	return func(v reflect.Value, r raw) error {
		if r.wire != c.wire {
			return errWire
		}
		return c.decode(v, r)
	}
}

var (
	durationType = reflect.TypeFor[time.Duration]()
	timeType     = reflect.TypeFor[time.Time]()
	urlType      = reflect.TypeFor[url.URL]()
	structType   = reflect.TypeFor[map[string]any]()
	enumType     = reflect.TypeFor[Enum]()
)

// isSingle says whether t is a slice, map or pointer that travels as one value.
func isSingle(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Slice:
		return t.Elem().Kind() == reflect.Uint8 && t.Elem().PkgPath() == ""
	case reflect.Map:
		return t.ConvertibleTo(structType) && t.Elem() == structType.Elem()
	}
	return false
}

func (b *builder) value(t reflect.Type) (*value, error) {
	switch t {
	case durationType:
		return submessage(appendDuration, decodeDuration), nil
	case timeType:
		return submessage(appendTime, decodeTime), nil
	case urlType:
		return submessage(appendURL, decodeURL), nil
	case reflect.TypeFor[netip.Addr]():
		return submessage(appendAddr, decodeAddr), nil
	case reflect.TypeFor[netip.AddrPort]():
		return submessage(appendAddrPort, decodeAddrPort), nil
	case reflect.TypeFor[netip.Prefix]():
		return submessage(appendPrefix, decodePrefix), nil
	}
	if t.Implements(enumType) {
		return enumValue(t)
	}
	if isSingle(t) {
		if t.Kind() == reflect.Map {
			return submessage(appendStruct, decodeStruct), nil
		}
		return bytesValue(), nil
	}
	switch t.Kind() {
	case reflect.Struct:
		m, err := b.message(t)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", t, err)
		}
		return submessage(m.append, func(v reflect.Value, data []byte) error { return m.decode(data, v) }), nil
	case reflect.Pointer, reflect.Slice, reflect.Map, reflect.Interface, reflect.Array, reflect.Func, reflect.Chan:
		return nil, fmt.Errorf("%s has no protobuf form", t)
	}
	return scalarValue(t)
}

func scalarValue(t reflect.Type) (*value, error) {
	switch t.Kind() {
	case reflect.Bool:
		return &value{
			wire: protowire.VarintType,
			append: func(b []byte, v reflect.Value) ([]byte, error) {
				return protowire.AppendVarint(b, protowire.EncodeBool(v.Bool())), nil
			},
			decode: func(v reflect.Value, r raw) error { v.SetBool(r.n != 0); return nil },
		}, nil
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return &value{
			wire: protowire.VarintType,
			append: func(b []byte, v reflect.Value) ([]byte, error) {
				return protowire.AppendVarint(b, uint64(v.Int())), nil
			},
			decode: func(v reflect.Value, r raw) error { v.SetInt(int64(r.n)); return nil },
		}, nil
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return &value{
			wire: protowire.VarintType,
			append: func(b []byte, v reflect.Value) ([]byte, error) {
				return protowire.AppendVarint(b, v.Uint()), nil
			},
			decode: func(v reflect.Value, r raw) error { v.SetUint(r.n); return nil },
		}, nil
	case reflect.Float64:
		return &value{
			wire: protowire.Fixed64Type,
			append: func(b []byte, v reflect.Value) ([]byte, error) {
				return protowire.AppendFixed64(b, math.Float64bits(v.Float())), nil
			},
			decode: func(v reflect.Value, r raw) error { v.SetFloat(math.Float64frombits(r.n)); return nil },
		}, nil
	case reflect.Float32:
		return &value{
			wire: protowire.Fixed32Type,
			append: func(b []byte, v reflect.Value) ([]byte, error) {
				return protowire.AppendFixed32(b, math.Float32bits(float32(v.Float()))), nil
			},
			decode: func(v reflect.Value, r raw) error {
				v.SetFloat(float64(math.Float32frombits(uint32(r.n))))
				return nil
			},
		}, nil
	case reflect.String:
		return &value{
			wire: protowire.BytesType,
			append: func(b []byte, v reflect.Value) ([]byte, error) {
				return protowire.AppendString(b, strings.ToValidUTF8(v.String(), "\uFFFD")), nil
			},
			decode: func(v reflect.Value, r raw) error { v.SetString(string(r.bytes)); return nil },
		}, nil
	}
	return nil, fmt.Errorf("%s has no protobuf form", t)
}

func bytesValue() *value {
	return &value{
		wire: protowire.BytesType,
		append: func(b []byte, v reflect.Value) ([]byte, error) {
			return protowire.AppendBytes(b, v.Bytes()), nil
		},
		decode: func(v reflect.Value, r raw) error {
			v.SetBytes(append([]byte(nil), r.bytes...))
			return nil
		},
	}
}

func enumValue(t reflect.Type) (*value, error) {
	if !reflect.PointerTo(t).Implements(reflect.TypeFor[EnumSetter]()) {
		return nil, fmt.Errorf("%s: an Enum needs SetProtoEnum on its pointer", t)
	}
	return &value{
		wire: protowire.VarintType,
		append: func(b []byte, v reflect.Value) ([]byte, error) {
			return protowire.AppendVarint(b, uint64(v.Interface().(Enum).ProtoEnum())), nil
		},
		decode: func(v reflect.Value, r raw) error {
			return v.Addr().Interface().(EnumSetter).SetProtoEnum(int32(r.n))
		},
	}, nil
}

// submessage wraps the fields of a message with their length.
func submessage(
	fields func([]byte, reflect.Value) ([]byte, error),
	decode func(reflect.Value, []byte) error,
) *value {
	return &value{
		wire:    protowire.BytesType,
		message: true,
		append: func(b []byte, v reflect.Value) ([]byte, error) {
			body, err := fields(nil, v)
			if err != nil {
				return nil, err
			}
			return protowire.AppendBytes(b, body), nil
		},
		decode: func(v reflect.Value, r raw) error { return decode(v, r.bytes) },
	}
}

// twoNumbers are the messages Duration and Timestamp: seconds and nanoseconds.
func appendTwo(b []byte, seconds int64, nanos int32) []byte {
	if seconds != 0 {
		b = protowire.AppendVarint(protowire.AppendTag(b, 1, protowire.VarintType), uint64(seconds))
	}
	if nanos != 0 {
		b = protowire.AppendVarint(protowire.AppendTag(b, 2, protowire.VarintType), uint64(int64(nanos)))
	}
	return b
}

// parts reads the first fields of a small message: numbers and bytes by number.
func parts(b []byte) (p [3]raw, err error) {
	for len(b) > 0 {
		num, r, n := consume(b)
		if n < 0 {
			return p, protowire.ParseError(n)
		}
		if int(num) < len(p) {
			p[num] = r
		}
		b = b[n:]
	}
	return p, nil
}

func appendDuration(b []byte, v reflect.Value) ([]byte, error) {
	d := v.Int()
	return appendTwo(b, d/int64(time.Second), int32(d%int64(time.Second))), nil
}

func decodeDuration(v reflect.Value, b []byte) error {
	p, err := parts(b)
	v.SetInt(int64(p[1].n)*int64(time.Second) + int64(p[2].n))
	return err
}

func appendTime(b []byte, v reflect.Value) ([]byte, error) {
	t := v.Interface().(time.Time)
	if t.IsZero() {
		return b, nil
	}
	return appendTwo(b, t.Unix(), int32(t.Nanosecond())), nil
}

func decodeTime(v reflect.Value, b []byte) error {
	p, err := parts(b)
	if len(b) > 0 {
		v.Set(reflect.ValueOf(time.Unix(int64(p[1].n), int64(p[2].n)).UTC()))
	}
	return err
}

func appendURL(b []byte, v reflect.Value) ([]byte, error) {
	u := v.Interface().(url.URL)
	return protowire.AppendString(protowire.AppendTag(b, 1, protowire.BytesType), u.String()), nil
}

func decodeURL(v reflect.Value, b []byte) error {
	p, err := parts(b)
	if err != nil {
		return err
	}
	u, err := url.Parse(string(p[1].bytes))
	if err != nil {
		return err
	}
	v.Set(reflect.ValueOf(*u))
	return nil
}

func appendIP(b []byte, a netip.Addr) []byte {
	if !a.IsValid() {
		return b
	}
	ip, _ := a.MarshalBinary() // never fails
	return protowire.AppendBytes(protowire.AppendTag(b, 1, protowire.BytesType), ip)
}

func readIP(r raw) (a netip.Addr, err error) {
	err = a.UnmarshalBinary(r.bytes)
	return a, err
}

func appendAddr(b []byte, v reflect.Value) ([]byte, error) {
	return appendIP(b, v.Interface().(netip.Addr)), nil
}

func decodeAddr(v reflect.Value, b []byte) error {
	p, err := parts(b)
	if err != nil {
		return err
	}
	a, err := readIP(p[1])
	v.Set(reflect.ValueOf(a))
	return err
}

func appendAddrPort(b []byte, v reflect.Value) ([]byte, error) {
	a := v.Interface().(netip.AddrPort)
	b = appendIP(b, a.Addr())
	if a.Port() != 0 {
		b = protowire.AppendVarint(protowire.AppendTag(b, 2, protowire.VarintType), uint64(a.Port()))
	}
	return b, nil
}

func decodeAddrPort(v reflect.Value, b []byte) error {
	p, err := parts(b)
	if err != nil {
		return err
	}
	a, err := readIP(p[1])
	if err == nil && p[2].n > math.MaxUint16 {
		err = fmt.Errorf("port %d is above %d", p[2].n, math.MaxUint16)
	}
	v.Set(reflect.ValueOf(netip.AddrPortFrom(a, uint16(p[2].n))))
	return err
}

func appendPrefix(b []byte, v reflect.Value) ([]byte, error) {
	p := v.Interface().(netip.Prefix)
	b = appendIP(b, p.Addr())
	if p.Bits() > 0 {
		b = protowire.AppendVarint(protowire.AppendTag(b, 2, protowire.VarintType), uint64(p.Bits()))
	}
	return b, nil
}

func decodePrefix(v reflect.Value, b []byte) error {
	p, err := parts(b)
	if err != nil {
		return err
	}
	a, err := readIP(p[1])
	if err == nil && a.IsValid() {
		prefix := netip.PrefixFrom(a, int(int32(p[2].n)))
		if !prefix.IsValid() {
			return fmt.Errorf("prefix length %d does not fit %s", int32(p[2].n), a)
		}
		v.Set(reflect.ValueOf(prefix))
	}
	return err
}

// textOf gives a value's text, for values inside a Struct that have one.
func textOf(v any) (string, bool) {
	m, ok := v.(encoding.TextMarshaler)
	if !ok {
		return "", false
	}
	text, err := m.MarshalText()
	return string(text), err == nil
}

func compareStrings(a, b string) int { return strings.Compare(a, b) }
