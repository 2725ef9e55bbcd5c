// Package talosconfig reads and writes the file that tells a client which
// clusters there are, where they answer and who the client is.
//
// A [Config] holds named contexts, one of them current. [Open] reads the file,
// the methods of Config change it in memory, [File.Save] writes it so that a
// crash never leaves a part. Keys that the format does not have are dropped when
// a file is saved.
package talosconfig

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"path"
	"slices"
	"strconv"

	"go.yaml.in/yaml/v3"

	"github.com/ichor-os/ichor/bounded"
)

// Config is the content of a file.
type Config struct {
	Context  string              `yaml:"context"`
	Contexts map[string]*Context `yaml:"contexts"`
}

// Context is one cluster as one client sees it. CA, Crt and Key are base64 of
// PEM text and kept as they were read; [Context.Credentials] decodes them.
type Context struct {
	Endpoints []string `yaml:"endpoints"`
	Nodes     []string `yaml:"nodes,omitempty"`
	CA        string   `yaml:"ca,omitempty"`
	Crt       string   `yaml:"crt,omitempty"`
	Key       string   `yaml:"key,omitempty"`
	Auth      *Auth    `yaml:"auth,omitempty"`
	Cluster   string   `yaml:"cluster,omitempty"`
}

// Auth says how a client signs in where certificates are not used.
type Auth struct {
	SideroV1 *SideroV1 `yaml:"siderov1,omitempty"`
}

// SideroV1 names the identity whose key signs requests.
type SideroV1 struct {
	Identity string `yaml:"identity"`
}

// LogValue shows where the context points and nothing of its credentials.
func (c *Context) LogValue() slog.Value { return slog.StringValue(c.String()) }

// String shows where the context points and nothing of its credentials.
func (c *Context) String() string {
	key := "none"
	if c.Key != "" {
		key = "[redacted]"
	}
	return fmt.Sprintf("endpoints %v, nodes %v, key %s", c.Endpoints, c.Nodes, key)
}

// GoString is String, so that %#v shows no key either.
func (c *Context) GoString() string { return c.String() }

// Parse reads the content of a file. Empty content is [io.EOF].
func Parse(text []byte) (*Config, error) {
	if err := bounded.YAML(text); err != nil {
		return nil, err
	}
	config := &Config{}
	if err := yaml.NewDecoder(bytes.NewReader(text)).Decode(config); err != nil {
		if errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("the file is empty: %w", err)
		}
		return nil, withoutValues(err)
	}
	for name, context := range config.Contexts {
		if context == nil {
			config.Contexts[name] = &Context{}
		}
	}
	return config, nil
}

// withoutValues keeps the line numbers of type errors and drops the values that
// the YAML library quotes: they may be keys.
func withoutValues(err error) error {
	var typeError *yaml.TypeError
	if !errors.As(err, &typeError) {
		return err
	}
	var lines []error
	for _, message := range typeError.Errors {
		if start, end := bytes.IndexByte([]byte(message), '`'), bytes.LastIndexByte([]byte(message), '`'); start >= 0 && end > start {
			message = message[:start] + "[redacted]" + message[end+1:]
		}
		lines = append(lines, errors.New(message))
	}
	return errors.Join(lines...)
}

// Encode writes the config with its contexts sorted by name.
func (c *Config) Encode() ([]byte, error) {
	var text bytes.Buffer
	encoder := yaml.NewEncoder(&text)
	encoder.SetIndent(4)
	if err := encoder.Encode(c); err != nil {
		return nil, fmt.Errorf("encode client config: %w", err)
	}
	return text.Bytes(), nil
}

// Names lists the contexts, sorted.
func (c *Config) Names() []string {
	return slices.Sorted(maps.Keys(c.Contexts))
}

// Get returns the context of that name, or the current one for "".
func (c *Config) Get(name string) (*Context, error) {
	if name == "" {
		name = c.Context
	}
	if name == "" {
		return nil, errors.New("no context is set: choose one with `config context NAME` or --context")
	}
	context, ok := c.Contexts[name]
	if !ok {
		return nil, fmt.Errorf("context %q is not defined: the contexts are %q", name, c.Names())
	}
	return context, nil
}

// Use makes a context the current one.
func (c *Config) Use(name string) error {
	if _, ok := c.Contexts[name]; !ok {
		return fmt.Errorf("context %q is not defined: the contexts are %q", name, c.Names())
	}
	c.Context = name
	return nil
}

// Set adds a context or replaces the one of that name.
func (c *Config) Set(name string, context *Context) {
	if c.Contexts == nil {
		c.Contexts = map[string]*Context{}
	}
	c.Contexts[name] = context
}

// Match lists the contexts whose names match a shell pattern, sorted. No match
// is an error.
func (c *Config) Match(pattern string) ([]string, error) {
	var matched []string
	for _, name := range c.Names() {
		ok, err := path.Match(pattern, name)
		if err != nil {
			return nil, fmt.Errorf("pattern %q: %w", pattern, err)
		}
		if ok || name == pattern {
			matched = append(matched, name)
		}
	}
	if len(matched) == 0 {
		return nil, fmt.Errorf("no context matches %q: the contexts are %q", pattern, c.Names())
	}
	return matched, nil
}

// Remove deletes a context.
func (c *Config) Remove(name string) { delete(c.Contexts, name) }

// Rename is a context that got another name in a merge.
type Rename struct{ From, To string }

// Merge adds the contexts of another config. One whose name is taken gets the
// first free of NAME-1, NAME-2 …; those are returned, sorted. The other's
// current context, under its new name, becomes the current one if it has one.
func (c *Config) Merge(other *Config) []Rename {
	var renames []Rename
	names := other.Names()
	added := map[string]string{}
	for _, name := range names {
		free := name
		for i := 1; ; i++ {
			_, taken := c.Contexts[free]
			// A name that comes later from the other config stays free for it.
			if !taken && (free == name || !slices.Contains(names, free)) {
				break
			}
			free = name + "-" + strconv.Itoa(i)
		}
		added[name] = free
		if free != name {
			renames = append(renames, Rename{From: name, To: free})
		}
		context := *other.Contexts[name]
		c.Set(free, &context)
	}
	if current, ok := added[other.Context]; ok {
		c.Context = current
	} else if other.Context != "" {
		c.Context = other.Context
	}
	return renames
}
