// Package kubeconfig reads, merges and writes the file that tells kubectl and
// its kin which Kubernetes clusters there are.
//
// Only what is needed to make an administrator's entry and to merge one file
// into another is understood; everything else in a user's file is kept as it
// is, comments included. That is why the file is edited as a YAML tree here and
// not read into the structs of client-go, which also cost 6 MB of binary.
package kubeconfig

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"log/slog"
	"strconv"

	"go.yaml.in/yaml/v3"

	"github.com/ichor-os/ichor/bounded"
	"github.com/ichor-os/ichor/pki"
)

// Config is a kubeconfig. Its entries are named: clusters, users, contexts.
type Config struct {
	root *yaml.Node // the mapping
}

// The lists of named entries.
var sections = []string{"clusters", "contexts", "users"}

// Admin describes the entry of a cluster's administrator.
type Admin struct {
	Cluster  string // name of the cluster
	Server   string // URL of the API server
	CA       []byte // PEM certificates of the Kubernetes authority
	Client   pki.Pair
	Username string // "admin" if empty
}

// NewAdmin makes a kubeconfig with one cluster, and user and context admin@CLUSTER.
func NewAdmin(admin Admin) (*Config, error) {
	username := admin.Username
	if username == "" {
		username = "admin"
	}
	name := username + "@" + admin.Cluster
	base64Text := base64.StdEncoding.EncodeToString
	type entry map[string]any
	text, err := yaml.Marshal(struct {
		APIVersion     string  `yaml:"apiVersion"`
		Kind           string  `yaml:"kind"`
		Clusters       []entry `yaml:"clusters"`
		Users          []entry `yaml:"users"`
		Contexts       []entry `yaml:"contexts"`
		CurrentContext string  `yaml:"current-context"`
	}{
		APIVersion: "v1",
		Kind:       "Config",
		Clusters: []entry{{"name": admin.Cluster, "cluster": entry{
			"server": admin.Server, "certificate-authority-data": base64Text(admin.CA),
		}}},
		Users: []entry{{"name": name, "user": entry{
			"client-certificate-data": base64Text(admin.Client.Crt), "client-key-data": base64Text(admin.Client.Key),
		}}},
		Contexts: []entry{{"name": name, "context": entry{
			"cluster": admin.Cluster, "namespace": "default", "user": name,
		}}},
		CurrentContext: name,
	})
	if err != nil {
		return nil, fmt.Errorf("make kubeconfig: %w", err)
	}
	return Parse(text)
}

// Parse reads a kubeconfig. Empty content is an empty kubeconfig.
func Parse(text []byte) (*Config, error) {
	if err := bounded.YAML(text); err != nil {
		return nil, fmt.Errorf("parse kubeconfig: %w", err)
	}
	var document yaml.Node
	if err := yaml.Unmarshal(text, &document); err != nil {
		return nil, fmt.Errorf("parse kubeconfig: %w", err)
	}
	if len(document.Content) == 0 || document.Content[0].Tag == "!!null" {
		root := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
		set(root, "apiVersion", scalar("v1"))
		set(root, "kind", scalar("Config"))
		return &Config{root: root}, nil
	}
	root := document.Content[0]
	if root.Kind != yaml.MappingNode {
		return nil, errors.New("parse kubeconfig: the file is not a mapping")
	}
	if kind := get(root, "kind"); kind != nil && kind.Value != "Config" {
		return nil, fmt.Errorf("parse kubeconfig: kind is %q, want Config", kind.Value)
	}
	for _, section := range sections {
		list := get(root, section)
		if list == nil || list.Tag == "!!null" {
			continue
		}
		if list.Kind != yaml.SequenceNode {
			return nil, fmt.Errorf("parse kubeconfig: %s is not a list (line %d)", section, list.Line)
		}
		if hasAlias(list) {
			return nil, fmt.Errorf("parse kubeconfig: %s uses a YAML alias; write it out", section)
		}
		for _, item := range list.Content {
			if item.Kind != yaml.MappingNode || get(item, "name") == nil {
				return nil, fmt.Errorf("parse kubeconfig: an item of %s has no name (line %d)", section, item.Line)
			}
		}
	}
	return &Config{root: root}, nil
}

// Encode writes the kubeconfig.
func (c *Config) Encode() ([]byte, error) {
	var text bytes.Buffer
	encoder := yaml.NewEncoder(&text)
	encoder.SetIndent(2)
	if err := encoder.Encode(c.root); err != nil {
		return nil, fmt.Errorf("encode kubeconfig: %w", err)
	}
	return text.Bytes(), nil
}

// LogValue shows the names of the contexts and nothing of their credentials.
func (c *Config) LogValue() slog.Value {
	return slog.GroupValue(
		slog.Any("contexts", c.Names("contexts")),
		slog.String("current", c.CurrentContext()),
	)
}

// Names lists the entries of a section (clusters, contexts or users) in their order.
func (c *Config) Names(section string) []string {
	var names []string
	if list := get(c.root, section); list != nil {
		for _, item := range list.Content {
			names = append(names, get(item, "name").Value)
		}
	}
	return names
}

// CurrentContext is the name of the current context, or "".
func (c *Config) CurrentContext() string {
	if current := get(c.root, "current-context"); current != nil {
		return current.Value
	}
	return ""
}

// Conflict is what to do with an entry whose name is taken.
type Conflict int

// The ways to treat a taken name.
const (
	Overwrite Conflict = iota // the new entry takes the place of the old
	KeepBoth                  // the new entry gets the first free of NAME-1, NAME-2 …
)

// Merge adds the entries of another kubeconfig and makes its current context
// the current one. A name that is taken is treated as conflict says, unless both
// entries are equal. It returns the name of the context that is current now.
func (c *Config) Merge(other *Config, conflict Conflict) string {
	renamed := map[string]map[string]string{}
	for _, section := range []string{"clusters", "users", "contexts"} {
		renamed[section] = map[string]string{}
		for _, name := range other.Names(section) {
			item := clone(other.item(section, name))
			if section == "contexts" {
				redirect(item, renamed["clusters"], renamed["users"])
			}
			renamed[section][name] = c.add(section, item, conflict)
		}
	}
	if current := other.CurrentContext(); current != "" {
		if name, ok := renamed["contexts"][current]; ok {
			current = name
		}
		set(c.root, "current-context", scalar(current))
	}
	return c.CurrentContext()
}

// add puts an entry into a section and returns the name it has there.
func (c *Config) add(section string, item *yaml.Node, conflict Conflict) string {
	list := get(c.root, section)
	if list == nil || list.Kind != yaml.SequenceNode {
		list = &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
		set(c.root, section, list)
	}
	list.Style &^= yaml.FlowStyle // an empty [] would keep its style
	name := get(item, "name").Value
	old := c.item(section, name)
	switch {
	case old == nil:
	case conflict == Overwrite || same(old, item):
		*old = *item
		return name
	default:
		free := name
		for i := 1; c.item(section, free) != nil; i++ {
			free = name + "-" + strconv.Itoa(i)
		}
		set(item, "name", scalar(free))
		name = free
	}
	list.Content = append(list.Content, item)
	return name
}

// RenameContext gives a context another name, also as the current one.
func (c *Config) RenameContext(from, to string) error {
	item := c.item("contexts", from)
	if item == nil {
		return fmt.Errorf("rename context: %q is not defined", from)
	}
	if from != to && c.item("contexts", to) != nil {
		return fmt.Errorf("rename context: %q exists already", to)
	}
	set(item, "name", scalar(to))
	if c.CurrentContext() == from {
		set(c.root, "current-context", scalar(to))
	}
	return nil
}

func (c *Config) item(section, name string) *yaml.Node {
	list := get(c.root, section)
	if list == nil {
		return nil
	}
	for _, item := range list.Content {
		if get(item, "name").Value == name {
			return item
		}
	}
	return nil
}

func redirect(item *yaml.Node, clusters, users map[string]string) {
	context := get(item, "context")
	if context == nil || context.Kind != yaml.MappingNode {
		return
	}
	for key, names := range map[string]map[string]string{"cluster": clusters, "user": users} {
		if value := get(context, key); value != nil && names[value.Value] != "" {
			set(context, key, scalar(names[value.Value]))
		}
	}
}
