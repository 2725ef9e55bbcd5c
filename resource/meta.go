package resource

import (
	"fmt"
	"strings"

	"sync"

	"github.com/ichor-os/ichor/resource/store"
)

// Sensitivity tells clients whether a kind's specs hold secrets: it is text in
// YAML and a number in protobuf.
type Sensitivity string

// SensitivitySensitive marks kinds with secrets; others are empty.
const SensitivitySensitive Sensitivity = "sensitive"

// ProtoEnum gives the number.
func (s Sensitivity) ProtoEnum() int32 {
	if s == SensitivitySensitive {
		return 1
	}
	return 0
}

// SetProtoEnum reads the number.
func (s *Sensitivity) SetProtoEnum(n int32) error {
	*s = ""
	if n == 1 {
		*s = SensitivitySensitive
	}
	return nil
}

// DefinitionSpec describes a kind to clients.
type DefinitionSpec struct {
	Type             string        `yaml:"type" protobuf:"1"`
	DisplayType      string        `yaml:"displayType" protobuf:"2"`
	DefaultNamespace string        `yaml:"defaultNamespace" protobuf:"3"`
	Aliases          []string      `yaml:"aliases" protobuf:"4"`
	AllAliases       []string      `yaml:"allAliases" protobuf:"5"`
	NoAutomatic      bool          `yaml:"skipAutomaticAliases,omitempty"`
	PrintColumns     []PrintColumn `yaml:"printColumns" protobuf:"6"`
	Sensitivity      Sensitivity   `yaml:"sensitivity,omitempty" protobuf:"7"`
}

// PrintColumn is a [Column] on the wire.
type PrintColumn struct {
	Name     string `yaml:"name" protobuf:"1"`
	JSONPath string `yaml:"jsonPath" protobuf:"2"`
}

// NamespaceSpec describes a namespace to clients.
type NamespaceSpec struct {
	Description string `yaml:"description" protobuf:"1"`
}

// The kinds that describe kinds. The engine puts their resources itself.
var (
	Definitions = Define[DefinitionSpec]("ResourceDefinitions.meta.cosi.dev",
		Namespace("meta"), Aliases("api-resources"), Columns(Column{"Aliases", "{.aliases[:]}"}))
	Namespaces = Define[NamespaceSpec]("Namespaces.meta.cosi.dev",
		Namespace("meta"), Aliases("ns"))
)

// registrar owns the resources that describe kinds and namespaces.
const registrar = "registry"

// descriptions of the namespaces that clients know.
var descriptions = map[string]string{
	"meta":           "what kinds of resources and namespaces there are",
	"runtime":        "the machine and the services on it",
	"cluster":        "the cluster and its members",
	"cluster-raw":    "members as each way of discovery reports them",
	"config":         "the machine config and what follows from it",
	"etcd":           "the etcd member on this node",
	"files":          "files that the system keeps up to date",
	"hardware":       "what the machine is made of",
	"k8s":            "Kubernetes on this node",
	"controlplane":   "the Kubernetes control plane on this node",
	"kubespan":       "the encrypted network between nodes",
	"network":        "the network as it is",
	"network-config": "the network as each layer of config wants it",
	"cri":            "the container runtime",
	"secrets":        "keys and certificates",
	"security":       "what the node trusts and allows",
	"perf":           "how busy the machine is",
}

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
			ns := NamespaceSpec{Description: descriptions[d.Namespace]}
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
		s.PrintColumns = append(s.PrintColumns, PrintColumn{c.Name, c.Path})
	}
	if d.Sensitive {
		s.Sensitivity = SensitivitySensitive
	}
	return s
}

func describe[T any](tx *store.Tx, k *Kind[T], id string, spec T) error {
	r := store.New(k.def.store, Metadata{Key: k.Key(id), Owner: registrar}, &spec)
	_, err := put(tx, &pending{res: r}, registrar)
	return err
}
