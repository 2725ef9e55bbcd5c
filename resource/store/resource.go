package store

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

// Key names one resource.
type Key struct {
	Type      string // wire name, for example Members.cluster.talos.dev
	Namespace string
	ID        string
}

// String gives namespace/type/id.
func (k Key) String() string { return k.Namespace + "/" + k.Type + "/" + k.ID }

// Check refuses keys that cannot be stored: the id and namespace must not be
// empty, nor contain NUL.
func (k Key) Check() error {
	if k.ID == "" || k.Namespace == "" || strings.ContainsRune(k.ID+k.Namespace, 0) {
		return fmt.Errorf("put %s: id and namespace must not be empty, nor contain NUL", k)
	}
	return nil
}

// Phase is where a resource is in its life.
type Phase uint8

const (
	// Running is the phase of a resource in use.
	Running Phase = iota
	// TearingDown is the phase of a resource on its way out: it leaves once
	// nobody holds a finalizer on it.
	TearingDown
)

// String gives the phase's name on the wire.
func (p Phase) String() string {
	if p == TearingDown {
		return "tearingDown"
	}
	return "running"
}

// ParsePhase reads a phase's name; the empty name is Running.
func ParsePhase(name string) (Phase, error) {
	switch name {
	case "running", "":
		return Running, nil
	case "tearingDown":
		return TearingDown, nil
	}
	return Running, fmt.Errorf("phase %q is neither running nor tearingDown", name)
}

// Version counts a resource's contents: 1 when created, one more with each
// change. Zero is "undefined".
type Version uint64

// String gives the version in decimal, or undefined.
func (v Version) String() string {
	if v == 0 {
		return "undefined"
	}
	return strconv.FormatUint(uint64(v), 10)
}

// ParseVersion reads a version; empty and undefined are zero.
func ParseVersion(text string) (Version, error) {
	if text == "" || text == "undefined" {
		return 0, nil
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil || n == 0 {
		return 0, fmt.Errorf("version %q is neither a number from 1 nor undefined", text)
	}
	return Version(n), nil
}

// Metadata is what every resource carries beside its spec. The slices and maps
// of a stored resource are shared between readers and never change.
type Metadata struct {
	Key
	Version     Version
	Phase       Phase
	Owner       string // who writes it; empty for clients of the API
	Created     time.Time
	Updated     time.Time
	Finalizers  []string
	Labels      map[string]string
	Annotations map[string]string
}

// HasFinalizer says whether name holds the resource.
func (m *Metadata) HasFinalizer(name string) bool { return slices.Contains(m.Finalizers, name) }

// Resource is one version of a resource. It is immutable once it is stored;
// a change makes a new one.
type Resource struct {
	Metadata
	// Spec points to the kind's Go struct.
	Spec any

	typ     *Type
	encoded atomic.Pointer[Encoded]
}

// Encoded is a spec in its two forms on the wire.
type Encoded struct {
	Proto []byte
	YAML  []byte
}

// Type is what the store must know of a kind of resource.
type Type struct {
	Name  string
	Equal func(a, b any) bool
	// Clone copies a spec so deeply that nothing is shared.
	Clone  func(any) any
	Encode func(any) (Encoded, error)
	// Decode reads the protobuf form, or the YAML form when there is none.
	Decode func(Encoded) (any, error)
}

// New makes a resource of type t that is not stored yet. The spec must not be
// changed afterwards.
func New(t *Type, md Metadata, spec any) *Resource {
	md.Type = t.Name
	return &Resource{Metadata: md, Spec: spec, typ: t}
}

// Type gives the type of the resource's spec.
func (r *Resource) Type() *Type { return r.typ }

// Encode gives the spec's wire forms. They are computed once per version, so
// that many watchers cost one encoding.
func (r *Resource) Encode() (Encoded, error) {
	if e := r.encoded.Load(); e != nil {
		return *e, nil
	}
	if r.Spec == nil {
		return Encoded{}, nil
	}
	e, err := r.typ.Encode(r.Spec)
	if err != nil {
		return Encoded{}, fmt.Errorf("encode spec: %s: %w", r.Key, err)
	}
	r.encoded.Store(&e)
	return e, nil
}

// with gives a copy of r whose metadata edit has changed. The copy shares the
// spec, and its encoding.
func (r *Resource) with(edit func(*Metadata)) *Resource {
	c := &Resource{Metadata: r.Metadata, Spec: r.Spec, typ: r.typ}
	c.encoded.Store(r.encoded.Load())
	edit(&c.Metadata)
	return c
}

// WithFinalizers gives a copy of r that carries these finalizers.
func (r *Resource) WithFinalizers(finalizers []string) *Resource {
	return r.with(func(m *Metadata) { m.Finalizers = finalizers })
}

// SameContent says whether putting r over b, or b over r, changes nothing: spec,
// labels and annotations are the same.
func (r *Resource) SameContent(b *Resource) bool {
	return maps.Equal(r.Labels, b.Labels) && maps.Equal(r.Annotations, b.Annotations) && (r.Spec == b.Spec || r.typ.Equal(r.Spec, b.Spec))
}
