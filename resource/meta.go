package resource

import (
	"fmt"
	"strings"
	"sync"

	"github.com/ichor-os/ichor/resource/meta"
	"github.com/ichor-os/ichor/resource/store"
)

// DefinitionSpec describes a kind to clients.
type DefinitionSpec = meta.DefinitionSpec

// PrintColumn is a [Column] on the wire.
type PrintColumn = meta.PrintColumn

// NamespaceSpec describes a namespace to clients.
type NamespaceSpec = meta.NamespaceSpec

// The kinds that describe kinds. The engine puts their resources itself.
var (
	Definitions = Define[DefinitionSpec]("ResourceDefinitions.meta.cosi.dev",
		Namespace("meta"), Aliases("api-resources"), Columns(Column{"Aliases", "{.aliases[:]}"}))
	Namespaces = Define[NamespaceSpec]("Namespaces.meta.cosi.dev",
		Namespace("meta"), Aliases("ns"))
)

// registrar owns the resources that describe kinds and namespaces.
const registrar = "registry"

// registry knows the registered kinds by wire name.
type registry struct {
	mu     sync.RWMutex
	byType map[string]*Definition
}

// Lookup gives the definition of a registered kind.
func (e *Engine) Lookup(wireName string) (*Definition, bool) {
	e.registry.mu.RLock()
	defer e.registry.mu.RUnlock()
	d, ok := e.registry.byType[wireName]
	return d, ok
}

// Registered gives all registered definitions in no order.
func (e *Engine) Registered() []*Definition {
	e.registry.mu.RLock()
	defer e.registry.mu.RUnlock()
	out := make([]*Definition, 0, len(e.registry.byType))
	for _, d := range e.registry.byType {
		out = append(out, d)
	}
	return out
}

// Register makes kinds known to clients: the State service serves only
// registered kinds. Registering a kind twice is fine; two kinds with one wire
// name are an error.
func (e *Engine) Register(kinds ...AnyKind) error {
	for _, k := range kinds {
		if err := e.registry.add(k.Definition()); err != nil {
			return err
		}
	}
	return e.store.Commit(nil, func(tx *store.Tx) error {
		for _, k := range kinds {
			d := k.Definition()
			if err := describe(tx, Definitions, strings.ToLower(d.Type), d.spec()); err != nil {
				return err
			}
			ns := NamespaceSpec{Description: meta.Descriptions[d.Namespace]}
			if err := describe(tx, Namespaces, d.Namespace, ns); err != nil {
				return err
			}
		}
		return nil
	})
}

func (r *registry) add(d *Definition) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if other := r.byType[d.Type]; other != nil && other != d {
		return fmt.Errorf("register kind %s: another kind has this name", d.Type)
	}
	if r.byType == nil {
		r.byType = map[string]*Definition{}
	}
	r.byType[d.Type] = d
	return nil
}

func (d *Definition) spec() DefinitionSpec {
	s := DefinitionSpec{
		Type: d.Type, DisplayType: d.DisplayType, DefaultNamespace: d.Namespace,
		Aliases: d.Aliases, AllAliases: d.AllAliases, NoAutomatic: d.NoAutomatic,
	}
	for _, c := range d.Columns {
		s.PrintColumns = append(s.PrintColumns, PrintColumn{Name: c.Name, JSONPath: c.Path})
	}
	if d.Sensitive {
		s.Sensitivity = meta.Sensitive
	}
	return s
}

func describe[T any](tx *store.Tx, k *Kind[T], id string, spec T) error {
	r := store.New(k.def.store, Metadata{Key: k.Key(id), Owner: registrar}, &spec)
	_, err := put(tx, &pending{res: r}, registrar)
	return err
}
