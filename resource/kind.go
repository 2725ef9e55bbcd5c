package resource

import (
	"fmt"
	"strings"

	"github.com/ichor-os/ichor/resource/codec"
	"github.com/ichor-os/ichor/resource/meta"
	"github.com/ichor-os/ichor/resource/store"
)

// Column is a column of a kind's table. Path is a JSONPath into the spec's
// YAML form, such as {.addresses[0]}.
type Column struct {
	Name string
	Path string
}

// Definition is what a kind tells the outside.
type Definition struct {
	Type         string // wire name
	DisplayType  string
	Namespace    string // the default one
	Aliases      []string
	AllAliases   []string // Aliases, and those that follow from the display type
	NoAutomatic  bool     // AllAliases are Aliases
	Columns      []Column
	Sensitive    bool
	ClientWrites bool // clients of the API may write it

	store *store.Type
}

// StoreType gives what the store knows of the kind.
func (d *Definition) StoreType() *store.Type { return d.store }

// AnyKind is a [Kind] of any spec.
type AnyKind interface {
	Definition() *Definition
	namespace() string
}

// Kind is a type of resource with spec T, seen in one namespace. Make it with
// [Define], once, in the package of the noun's specs.
type Kind[T any] struct {
	def       *Definition
	codec     *codec.Codec[T]
	ns        string
	singleton string
}

// Option sets a property of a kind.
type Option func(*options)

type options struct {
	def       Definition
	singleton string
}

// Namespace sets where the kind's resources live by default.
func Namespace(name string) Option { return func(o *options) { o.def.Namespace = name } }

// DisplayType sets the singular name that people see. The default follows from
// the wire name.
func DisplayType(name string) Option { return func(o *options) { o.def.DisplayType = name } }

// Aliases adds names by which clients may call the kind.
func Aliases(names ...string) Option {
	return func(o *options) { o.def.Aliases = append(o.def.Aliases, names...) }
}

// OnlyAliases is Aliases without those that follow from the display type.
func OnlyAliases(names ...string) Option {
	return func(o *options) {
		o.def.NoAutomatic = true
		o.def.Aliases = append(o.def.Aliases, names...)
	}
}

// Columns adds columns to the kind's table.
func Columns(columns ...Column) Option {
	return func(o *options) { o.def.Columns = append(o.def.Columns, columns...) }
}

// Sensitive marks a kind whose specs hold secrets.
func Sensitive() Option { return func(o *options) { o.def.Sensitive = true } }

// ClientWrites lets clients of the API write the kind. Without it only the
// node itself does.
func ClientWrites() Option { return func(o *options) { o.def.ClientWrites = true } }

// Singleton names the one resource of a kind that has only one, so that Get
// and Put need no id.
func Singleton(id string) Option { return func(o *options) { o.singleton = id } }

// Define makes a kind. The wire name is its identity on the wire, such as
// Members.cluster.talos.dev. Like regexp.MustCompile it is for package
// variables: it panics when T has no encoding or the name no group.
func Define[T any](wireName string, opts ...Option) *Kind[T] {
	name, group, ok := strings.Cut(wireName, ".")
	if !ok || name == "" || group == "" {
		panic(fmt.Sprintf("resource: define %q: the name must be Plural.group", wireName))
	}
	o := options{def: Definition{Type: wireName, DisplayType: meta.Singular(name), Namespace: "runtime"}}
	for _, opt := range opts {
		opt(&o)
	}
	c, err := codec.New[T]()
	if err != nil {
		panic(fmt.Sprintf("resource: define %s: %v", wireName, err))
	}
	d := &o.def
	d.AllAliases = d.Aliases
	if !d.NoAutomatic {
		d.AllAliases = append(append([]string{}, d.Aliases...), meta.AutomaticAliases(d.DisplayType)...)
	}
	d.store = c.Type(wireName)
	return &Kind[T]{def: d, codec: c, ns: d.Namespace, singleton: o.singleton}
}

// Definition gives the kind's properties.
func (k *Kind[T]) Definition() *Definition { return k.def }

func (k *Kind[T]) namespace() string { return k.ns }

// In gives the same kind in another namespace.
func (k *Kind[T]) In(namespace string) *Kind[T] {
	c := *k
	c.ns = namespace
	return &c
}

// Key names the kind's resource with this id.
func (k *Kind[T]) Key(id string) store.Key {
	return store.Key{Type: k.def.Type, Namespace: k.ns, ID: id}
}

func (k *Kind[T]) key(id []string) store.Key {
	switch {
	case len(id) == 1:
		return k.Key(id[0])
	case len(id) == 0 && k.singleton != "":
		return k.Key(k.singleton)
	}
	panic(fmt.Sprintf("resource: %s: give one id", k.def.Type))
}
