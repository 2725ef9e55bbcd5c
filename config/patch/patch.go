// Package patch changes configs: by strategic merge patches (a piece of
// config, laid over the base, with $patch directives to delete and replace)
// and by JSON patches (RFC 6902).
package patch

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/ichor-os/ichor/bounded"
	"github.com/ichor-os/ichor/config/decode"
)

var errNothingLeft = errors.New("patch deletes the last document: nothing would be left of the config")

// Patch is one loaded patch.
type Patch struct {
	// Name says where the patch came from, for messages.
	Name string

	// docs are the parts of a strategic patch; operations those of a JSON patch.
	docs       []part
	operations []operation
}

// IsJSON tells JSON patches from strategic ones.
func (p *Patch) IsJSON() bool { return p.docs == nil }

// IsEmpty tells whether the patch changes nothing.
func (p *Patch) IsEmpty() bool { return len(p.docs) == 0 && len(p.operations) == 0 }

// Load reads a patch as a command line gives it: "@file", the name of a file,
// or the patch itself. A word without blanks, line breaks and leading
// brackets is taken as the name of a file.
func Load(argument string, o decode.Options) (*Patch, error) {
	name, ok := strings.CutPrefix(argument, "@")
	if !ok && !strings.ContainsAny(argument, " \n\t") && !strings.HasPrefix(argument, "[") && !strings.HasPrefix(argument, "{") && argument != "" {
		name, ok = argument, true
	}

	if !ok {
		o.File = ""

		return Parse([]byte(argument), "patch", o)
	}

	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("patch cannot be read: %w", err)
	}
	defer f.Close()

	data, err := decode.ReadAll(f, name)
	if err != nil {
		return nil, err
	}

	o.File = name

	return Parse(data, name, o)
}

// Parse reads a patch: a strategic one, or a JSON patch in JSON or YAML.
func Parse(data []byte, name string, o decode.Options) (*Patch, error) {
	p := &Patch{Name: name}

	if err := bounded.YAML(data); err != nil {
		return nil, fmt.Errorf("patch cannot be read: %s: %w", name, err)
	}

	operations, isList, err := parseOperations(data)

	switch {
	case isList && err != nil:
		return nil, fmt.Errorf("JSON patch cannot be read: %s: %w", name, err)
	case isList:
		p.operations = operations

		return p, nil
	}

	nodes, err := decode.Split(data, o.File)
	if err != nil {
		return nil, fmt.Errorf("patch cannot be read: %w", err)
	}

	if len(nodes) == 0 {
		return p, nil
	}

	p.docs, err = strategic(nodes, o)
	if err != nil {
		return nil, fmt.Errorf("patch cannot be read: %w", err)
	}

	return p, nil
}

// Strategic makes a strategic patch of documents that were split already. The
// nodes are changed.
func Strategic(nodes []*yaml.Node, name string, o decode.Options) (*Patch, error) {
	docs, err := strategic(nodes, o)
	if err != nil {
		return nil, err
	}

	return &Patch{Name: name, docs: docs}, nil
}

// parseOperations reads a JSON patch; isList is false where the text is none.
func parseOperations(data []byte) (operations []operation, isList bool, err error) {
	trimmed := bytes.TrimSpace(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")))
	if len(trimmed) == 0 {
		return nil, true, nil
	}

	if trimmed[0] == '[' && json.Valid(trimmed) {
		d := json.NewDecoder(bytes.NewReader(trimmed))
		d.UseNumber()

		var list []any
		if err := d.Decode(&list); err != nil {
			return nil, true, err
		}

		operations, err := readOperations(list)

		return operations, true, err
	}

	var n yaml.Node
	if err := yaml.Unmarshal(data, &n); err != nil {
		return nil, trimmed[0] == '[', errors.New(strings.TrimPrefix(err.Error(), "yaml: "))
	}

	if n.Kind != yaml.DocumentNode || len(n.Content) == 0 || n.Content[0].Kind != yaml.SequenceNode {
		return nil, false, nil
	}

	value, err := decode.Generic(n.Content[0])
	if err != nil {
		return nil, true, err
	}

	list, _ := value.([]any)
	operations, err = readOperations(list)

	return operations, true, err
}
