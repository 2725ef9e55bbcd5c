package patch

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	jsonpatch "github.com/evanphx/json-patch/v5"
	"go.yaml.in/yaml/v3"

	"github.com/ichor-os/ichor/config/decode"
	"github.com/ichor-os/ichor/config/document"
	"github.com/ichor-os/ichor/config/encode"
)

// operation is one operation of RFC 6902. Beyond the standard it may carry
// document: KIND or KIND/NAME ("v1alpha1" is the main one), which chooses the document of a
// config that has several; the standard tells others to ignore such a member.
type operation struct {
	document string
	raw      json.RawMessage
}

var operationNames = []string{"add", "remove", "replace", "move", "copy", "test"}

func readOperations(list []any) ([]operation, error) {
	var operations []operation

	for i, item := range list {
		members, ok := item.(map[string]any)
		if !ok {
			return nil, fmt.Errorf("operation %d: expected a mapping with op and path", i+1)
		}

		name, _ := members["op"].(string)
		if !slices.Contains(operationNames, name) {
			return nil, fmt.Errorf("operation %d: unknown op: %q: use one of %s", i+1, name, strings.Join(operationNames, ", "))
		}

		if _, ok := members["path"].(string); !ok {
			return nil, fmt.Errorf("operation %d: path is missing", i+1)
		}

		for _, member := range []string{"path", "from"} {
			if pointer, ok := members[member].(string); ok {
				if err := checkPointer(pointer); err != nil {
					return nil, fmt.Errorf("operation %d: %s: %w", i+1, member, err)
				}
			}
		}

		chosen, _ := members["document"].(string)
		delete(members, "document")

		raw, err := json.Marshal(members)
		if err != nil {
			return nil, fmt.Errorf("operation %d: %w", i+1, err)
		}

		operations = append(operations, operation{document: chosen, raw: raw})
	}

	return operations, nil
}

// checkPointer refuses what is no JSON pointer (RFC 6901), so that a slip does not change another place.
func checkPointer(pointer string) error {
	if pointer != "" && pointer[0] != '/' {
		return fmt.Errorf("not a JSON pointer: %q: start it with /", pointer)
	}

	rest := strings.NewReplacer("~0", "", "~1", "").Replace(pointer)
	if strings.Contains(rest, "~") {
		return fmt.Errorf("not a JSON pointer: %q: write ~ in a key as ~0", pointer)
	}

	return nil
}

// applyJSON applies the patch to text and gives the text of the result: keys
// sorted, indented by two, neither decoded nor validated.
func (p *Patch) applyJSON(base []byte, file string) ([]byte, error) {
	nodes, err := decode.Split(base, file)
	if err != nil {
		return nil, err
	}

	if len(nodes) == 0 {
		return nil, decode.ErrNotFound
	}

	if len(p.operations) == 0 {
		return base, nil
	}

	perDocument := make(map[int][]json.RawMessage)

	for i, op := range p.operations {
		at, err := choose(nodes, op.document)
		if err != nil {
			return nil, fmt.Errorf("JSON patch: %s: operation %d: %w", p.Name, i+1, err)
		}

		perDocument[at] = append(perDocument[at], op.raw)
	}

	var out bytes.Buffer

	for i, n := range nodes {
		if i > 0 {
			out.WriteString("---\n")
		}

		text, err := patchOne(n, perDocument[i])
		if err != nil {
			return nil, fmt.Errorf("JSON patch: %s: %w", p.Name, err)
		}

		out.Write(text)
	}

	return out.Bytes(), nil
}

// choose finds the document that an operation means.
func choose(nodes []*yaml.Node, chosen string) (int, error) {
	if chosen == "" {
		if len(nodes) == 1 {
			return 0, nil
		}

		return 0, errors.New(`config has several documents: choose one by adding "document": "KIND/NAME" to the operation ("v1alpha1" is the main document)`)
	}

	found := -1

	for i, n := range nodes {
		head := decode.HeadOf(n)

		title := head.Kind
		if head.Main {
			title = document.MainKind
		}

		if chosen != title && chosen != title+"/"+head.Name {
			continue
		}

		if found >= 0 {
			return 0, fmt.Errorf("document is ambiguous: %s: give KIND/NAME", chosen)
		}

		found = i
	}

	if found < 0 {
		return 0, fmt.Errorf("document is not there: %s", chosen)
	}

	return found, nil
}

func patchOne(n *yaml.Node, operations []json.RawMessage) ([]byte, error) {
	value, err := decode.Generic(n)
	if err != nil {
		return nil, err
	}

	doc, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}

	list, err := json.Marshal(operations)
	if err != nil {
		return nil, err
	}

	if len(operations) > 0 {
		decoded, err := jsonpatch.DecodePatch(list)
		if err != nil {
			return nil, err
		}

		if doc, err = decoded.ApplyWithOptions(doc, patchOptions()); err != nil {
			return nil, err
		}
	}

	return yamlOfJSON(doc)
}

func patchOptions() *jsonpatch.ApplyOptions {
	o := jsonpatch.NewApplyOptions()
	o.AccumulatedCopySizeLimit = decode.MaxSize
	o.EscapeHTML = false

	return o
}

// yamlOfJSON writes JSON as YAML with sorted keys, numbers as they stand.
func yamlOfJSON(doc []byte) ([]byte, error) {
	d := json.NewDecoder(bytes.NewReader(doc))
	d.UseNumber()

	var value any
	if err := d.Decode(&value); err != nil {
		return nil, err
	}

	var out bytes.Buffer

	e := yaml.NewEncoder(&out)
	e.SetIndent(2)
	e.CompactSeqIndent()

	if err := e.Encode(nodeOf(value)); err != nil {
		return nil, err
	}

	return out.Bytes(), e.Close()
}

func nodeOf(value any) *yaml.Node {
	switch x := value.(type) {
	case map[string]any:
		n := &yaml.Node{Kind: yaml.MappingNode}

		keys := make([]string, 0, len(x))
		for k := range x {
			keys = append(keys, k)
		}

		slices.SortFunc(keys, encode.CompareKeys)

		for _, k := range keys {
			n.Content = append(n.Content, document.Text(k), nodeOf(x[k]))
		}

		return flowIfEmpty(n)
	case []any:
		n := &yaml.Node{Kind: yaml.SequenceNode}
		for _, item := range x {
			n.Content = append(n.Content, nodeOf(item))
		}

		return flowIfEmpty(n)
	case string:
		return document.Text(x)
	case json.Number:
		return document.Plain(x.String())
	case bool:
		return document.Plain(fmt.Sprint(x))
	}

	return document.Null()
}

func flowIfEmpty(n *yaml.Node) *yaml.Node {
	if len(n.Content) == 0 {
		n.Style = yaml.FlowStyle
	}

	return n
}
