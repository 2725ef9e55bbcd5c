package codec

import (
	"bytes"
	"maps"
	"net/netip"
	"reflect"
	"sync"
	"time"
	"unsafe"
)

// equalFunc compares two values of the type it was compiled for.
type equalFunc func(a, b unsafe.Pointer) bool

// copyFunc copies the value at src over dst.
type copyFunc func(dst, src unsafe.Pointer)

// compiled holds both functions of a type. They are compiled once and walk the
// memory by offsets, so that a commit does no reflection; only maps other than
// those of strings and bools, and values behind an interface that are not
// plain YAML, fall back on it.
type compiled struct {
	equal equalFunc
	copy  copyFunc
}

var (
	compileMu     sync.Mutex
	compiledTypes = map[reflect.Type]*compiled{}
)

func opsOf(t reflect.Type) *compiled {
	compileMu.Lock()
	defer compileMu.Unlock()
	return compile(t)
}

// compile runs under compileMu. The entry is stored before it is complete, for
// types that contain themselves: closures use it only when they run.
func compile(t reflect.Type) *compiled {
	if c, ok := compiledTypes[t]; ok {
		return c
	}
	c := &compiled{}
	compiledTypes[t] = c
	c.equal, c.copy = compileKind(t)
	return c
}

func direct[T comparable]() (equalFunc, copyFunc) {
	return func(a, b unsafe.Pointer) bool { return *(*T)(a) == *(*T)(b) },
		func(dst, src unsafe.Pointer) { *(*T)(dst) = *(*T)(src) }
}

func compileKind(t reflect.Type) (equalFunc, copyFunc) {
	switch t {
	case reflect.TypeFor[netip.Addr]():
		return direct[netip.Addr]()
	case reflect.TypeFor[netip.AddrPort]():
		return direct[netip.AddrPort]()
	case reflect.TypeFor[netip.Prefix]():
		return direct[netip.Prefix]()
	case timeType:
		_, cp := direct[time.Time]()
		return func(a, b unsafe.Pointer) bool { return (*time.Time)(a).Equal(*(*time.Time)(b)) }, cp
	}
	switch t.Kind() {
	case reflect.String:
		return direct[string]()
	case reflect.Bool, reflect.Int8, reflect.Uint8:
		return direct[uint8]()
	case reflect.Int16, reflect.Uint16:
		return direct[uint16]()
	case reflect.Int32, reflect.Uint32:
		return direct[uint32]()
	case reflect.Int, reflect.Uint, reflect.Int64, reflect.Uint64, reflect.Uintptr:
		return direct[uint64]()
	case reflect.Float32:
		return direct[float32]()
	case reflect.Float64:
		return direct[float64]()
	case reflect.Struct:
		return compileStruct(t)
	case reflect.Pointer:
		return compilePointer(t)
	case reflect.Slice:
		return compileSlice(t)
	case reflect.Map:
		return compileMap(t)
	case reflect.Interface:
		if t.NumMethod() == 0 {
			return func(a, b unsafe.Pointer) bool { return equalAny(*(*any)(a), *(*any)(b)) },
				func(dst, src unsafe.Pointer) { *(*any)(dst) = cloneAny(*(*any)(src)) }
		}
	}
	return func(a, b unsafe.Pointer) bool {
			return reflect.DeepEqual(reflect.NewAt(t, a).Elem().Interface(), reflect.NewAt(t, b).Elem().Interface())
		}, func(dst, src unsafe.Pointer) {
			reflect.NewAt(t, dst).Elem().Set(reflect.NewAt(t, src).Elem())
		}
}

func compileStruct(t reflect.Type) (equalFunc, copyFunc) {
	type part struct {
		offset uintptr
		ops    *compiled
	}
	parts := make([]part, 0, t.NumField())
	for i := range t.NumField() {
		f := t.Field(i)
		parts = append(parts, part{f.Offset, compile(f.Type)})
	}
	return func(a, b unsafe.Pointer) bool {
			for _, p := range parts {
				if !p.ops.equal(unsafe.Add(a, p.offset), unsafe.Add(b, p.offset)) {
					return false
				}
			}
			return true
		}, func(dst, src unsafe.Pointer) {
			for _, p := range parts {
				p.ops.copy(unsafe.Add(dst, p.offset), unsafe.Add(src, p.offset))
			}
		}
}

func compilePointer(t reflect.Type) (equalFunc, copyFunc) {
	elem := t.Elem()
	ops := compile(elem)
	return func(a, b unsafe.Pointer) bool {
			p, q := *(*unsafe.Pointer)(a), *(*unsafe.Pointer)(b)
			if p == nil || q == nil || p == q {
				return p == q
			}
			return ops.equal(p, q)
		}, func(dst, src unsafe.Pointer) {
			p := *(*unsafe.Pointer)(src)
			if p == nil {
				*(*unsafe.Pointer)(dst) = nil
				return
			}
			q := reflect.New(elem).UnsafePointer()
			ops.copy(q, p)
			*(*unsafe.Pointer)(dst) = q
		}
}

// header is the memory of a slice.
type header struct {
	data unsafe.Pointer
	len  int
	cap  int
}

func compileSlice(t reflect.Type) (equalFunc, copyFunc) {
	if t.Elem().Kind() == reflect.Uint8 {
		return func(a, b unsafe.Pointer) bool { return bytes.Equal(*(*[]byte)(a), *(*[]byte)(b)) },
			func(dst, src unsafe.Pointer) { *(*[]byte)(dst) = bytes.Clone(*(*[]byte)(src)) }
	}
	ops, size := compile(t.Elem()), t.Elem().Size()
	return func(a, b unsafe.Pointer) bool {
			x, y := (*header)(a), (*header)(b)
			if x.len != y.len {
				return false
			}
			for i := range uintptr(x.len) {
				if !ops.equal(unsafe.Add(x.data, i*size), unsafe.Add(y.data, i*size)) {
					return false
				}
			}
			return true
		}, func(dst, src unsafe.Pointer) {
			x := (*header)(src)
			if x.data == nil {
				*(*header)(dst) = header{}
				return
			}
			made := reflect.MakeSlice(t, x.len, x.len)
			data := made.UnsafePointer()
			for i := range uintptr(x.len) {
				ops.copy(unsafe.Add(data, i*size), unsafe.Add(x.data, i*size))
			}
			*(*header)(dst) = header{data, x.len, x.len}
		}
}

func compileMap(t reflect.Type) (equalFunc, copyFunc) {
	switch t {
	case reflect.TypeFor[map[string]string]():
		return directMap[string]()
	case reflect.TypeFor[map[string]bool]():
		return directMap[bool]()
	case structType:
		return func(a, b unsafe.Pointer) bool { return equalAny(*(*map[string]any)(a), *(*map[string]any)(b)) },
			func(dst, src unsafe.Pointer) {
				*(*map[string]any)(dst), _ = cloneAny(*(*map[string]any)(src)).(map[string]any)
			}
	}
	ops := compile(t.Elem())
	at := func(v reflect.Value) unsafe.Pointer {
		p := reflect.New(t.Elem())
		p.Elem().Set(v)
		return p.UnsafePointer()
	}
	return func(a, b unsafe.Pointer) bool {
			x, y := reflect.NewAt(t, a).Elem(), reflect.NewAt(t, b).Elem()
			if x.Len() != y.Len() {
				return false
			}
			for it := x.MapRange(); it.Next(); {
				other := y.MapIndex(it.Key())
				if !other.IsValid() || !ops.equal(at(it.Value()), at(other)) {
					return false
				}
			}
			return true
		}, func(dst, src unsafe.Pointer) {
			x, y := reflect.NewAt(t, src).Elem(), reflect.NewAt(t, dst).Elem()
			if x.IsNil() {
				y.SetZero()
				return
			}
			y.Set(reflect.MakeMapWithSize(t, x.Len()))
			for it := x.MapRange(); it.Next(); {
				p := reflect.New(t.Elem())
				ops.copy(p.UnsafePointer(), at(it.Value()))
				y.SetMapIndex(it.Key(), p.Elem())
			}
		}
}

func directMap[V comparable]() (equalFunc, copyFunc) {
	return func(a, b unsafe.Pointer) bool { return maps.Equal(*(*map[string]V)(a), *(*map[string]V)(b)) },
		func(dst, src unsafe.Pointer) { *(*map[string]V)(dst) = maps.Clone(*(*map[string]V)(src)) }
}

// equalAny compares trees as YAML and JSON give them.
func equalAny(a, b any) bool {
	switch a := a.(type) {
	case map[string]any:
		b, ok := b.(map[string]any)
		return ok && maps.EqualFunc(a, b, equalAny)
	case []any:
		b, ok := b.([]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for i := range a {
			if !equalAny(a[i], b[i]) {
				return false
			}
		}
		return true
	case nil, string, bool, int, int64, uint64, float64:
		return a == b
	}
	return reflect.DeepEqual(a, b)
}

// cloneAny copies such trees; anything else in them is taken as immutable.
func cloneAny(v any) any {
	switch v := v.(type) {
	case map[string]any:
		if v == nil {
			return v
		}
		out := make(map[string]any, len(v))
		for k, e := range v {
			out[k] = cloneAny(e)
		}
		return out
	case []any:
		if v == nil {
			return v
		}
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = cloneAny(e)
		}
		return out
	}
	return v
}
