// Package codec turns spec structs into the two forms in which a resource's
// spec travels, and back: YAML by `yaml` tags and protobuf by `protobuf:"N"`
// tags, where N is the field's number. It also compares and copies specs
// without reflection, which is what the store does on every write.
//
// Go types map to protobuf like this: bool, string, []byte and numbers to
// their scalar (8 and 16 bit numbers as 32 bit ones); named integers to enums,
// whose text in YAML comes from MarshalText; [Enum] lets a string be one;
// structs to messages, slices to repeated and maps to map fields;
// time.Duration and time.Time to their well-known messages; map[string]any to
// google.protobuf.Struct; netip.Addr, netip.AddrPort, netip.Prefix and url.URL
// to common.NetIP, NetIPPort, NetIPPrefix and URL. A pointer is present when
// it is not nil. An embedded struct without a number shares its fields with
// the message around it. A field without a number stays out of the bytes.
//
// Fields that a message does not know are skipped when it is read. Oneof and
// groups have no form here: no spec of the contract has one.
package codec

import (
	"fmt"
	"reflect"
	"unsafe"

	"go.yaml.in/yaml/v3"

	"github.com/ichor-os/ichor/resource/store"
)

// Codec encodes, compares and copies values of one type. Make it once per type
// with [New].
type Codec[T any] struct {
	msg *message
	ops *compiled
}

// New compiles the codec of T, a struct. It fails when a field's type has no
// protobuf form, or two fields share a number.
func New[T any]() (*Codec[T], error) {
	t := reflect.TypeFor[T]()
	if t.Kind() != reflect.Struct {
		return nil, fmt.Errorf("codec: %s: is not a struct", t)
	}
	msg, err := messageOf(t)
	if err != nil {
		return nil, fmt.Errorf("codec: %s: %w", t, err)
	}
	return &Codec[T]{msg: msg, ops: opsOf(t)}, nil
}

// Equal compares deeply. Nil and empty slices and maps are the same, as they
// are on the wire.
func (c *Codec[T]) Equal(a, b *T) bool {
	return c.ops.equal(unsafe.Pointer(a), unsafe.Pointer(b))
}

// Clone copies deeply: nothing that can change is shared.
func (c *Codec[T]) Clone(v *T) *T {
	out := new(T)
	c.ops.copy(unsafe.Pointer(out), unsafe.Pointer(v))
	return out
}

// Proto gives the protobuf form. The same value gives the same bytes.
func (c *Codec[T]) Proto(v *T) ([]byte, error) {
	return c.msg.append(nil, reflect.ValueOf(v).Elem())
}

// FromProto reads the protobuf form.
func (c *Codec[T]) FromProto(b []byte) (*T, error) {
	v := new(T)
	if err := c.msg.decode(b, reflect.ValueOf(v).Elem()); err != nil {
		return nil, err
	}
	return v, nil
}

// YAML gives the YAML form.
func (c *Codec[T]) YAML(v *T) ([]byte, error) { return yaml.Marshal(v) }

// FromYAML reads the YAML form. Keys it does not know are skipped.
func (c *Codec[T]) FromYAML(b []byte) (*T, error) {
	v := new(T)
	if err := yaml.Unmarshal(b, v); err != nil {
		return nil, err
	}
	return v, nil
}

// Type gives what the store must know of the kind with this wire name.
func (c *Codec[T]) Type(name string) *store.Type {
	return &store.Type{
		Name:  name,
		Equal: func(a, b any) bool { return c.Equal(a.(*T), b.(*T)) },
		Clone: func(v any) any { return c.Clone(v.(*T)) },
		Encode: func(v any) (e store.Encoded, err error) {
			if e.Proto, err = c.Proto(v.(*T)); err != nil {
				return e, fmt.Errorf("protobuf: %w", err)
			}
			if e.YAML, err = c.YAML(v.(*T)); err != nil {
				return e, fmt.Errorf("yaml: %w", err)
			}
			return e, nil
		},
		Decode: func(e store.Encoded) (any, error) {
			if len(e.Proto) > 0 {
				return c.FromProto(e.Proto)
			}
			return c.FromYAML(e.YAML)
		},
	}
}

// Enum is a type that is text in Go and YAML, and a number in protobuf. Its
// pointer implements EnumSetter.
type Enum interface {
	ProtoEnum() int32
}

// EnumSetter sets an [Enum] from its number.
type EnumSetter interface {
	SetProtoEnum(int32) error
}
