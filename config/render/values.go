package render

import (
	"fmt"
	"path"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/ichor-os/ichor/bounded"
)

// maxNesting bounds how deep variables may refer to each other.
const maxNesting = 16

// values resolves the variables of one node.
type values struct {
	folder *Folder
	node   *Node
	name   string
}

// fill puts values into every scalar below n.
func fill(n *yaml.Node, file string, v *values, seen map[*yaml.Node]bool) []error {
	if seen[n] {
		return nil
	}

	seen[n] = true

	var faults []error

	switch n.Kind {
	case yaml.ScalarNode:
		if !strings.Contains(n.Value, "${") {
			return nil
		}

		text, err := v.expand(n.Value, 0)
		if err != nil {
			return []error{fmt.Errorf("%s:%d:%d: %w", file, n.Line, n.Column, err)}
		}

		setScalar(n, text)
	case yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			faults = append(faults, fill(n.Content[i], file, v, seen)...)
			faults = append(faults, fill(n.Content[i+1], file, v, seen)...)
		}
	case yaml.SequenceNode:
		for _, item := range n.Content {
			faults = append(faults, fill(item, file, v, seen)...)
		}
	}

	return faults
}

// setScalar gives a node the value; a value that was written bare is read as
// a number or boolean where it looks like one, other values stay text.
func setScalar(n *yaml.Node, text string) {
	bare := n.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) == 0
	n.Value = text

	if !bare {
		return
	}

	n.Tag = ""
	if tag := n.ShortTag(); tag != "!!int" && tag != "!!bool" && tag != "!!float" {
		n.Tag = "!!str"
	}
}

// expand replaces the variables in a text.
func (v *values) expand(text string, depth int) (string, error) {
	if depth > maxNesting {
		return "", fmt.Errorf("variables refer to each other without end")
	}

	var b strings.Builder

	for {
		before, after, ok := strings.Cut(text, "${")
		if !ok {
			b.WriteString(text)

			return b.String(), nil
		}

		if plain, escaped := strings.CutSuffix(before, "$"); escaped {
			b.WriteString(plain + "${")

			text = after

			continue
		}

		name, rest, ok := strings.Cut(after, "}")
		if !ok {
			return "", fmt.Errorf("variable is not closed: ${%s: write $${ for a plain ${", after)
		}

		value, err := v.lookup(name, depth)
		if err != nil {
			return "", err
		}

		b.WriteString(before + value)

		text = rest
	}
}

func (v *values) lookup(name string, depth int) (string, error) {
	if env, ok := strings.CutPrefix(name, "env:"); ok {
		if value, ok := v.folder.source.Env(env); ok {
			return value, nil
		}

		return "", fmt.Errorf("environment variable is not set: %s", env)
	}

	if file, ok := strings.CutPrefix(name, "file:"); ok {
		return v.file(file)
	}

	if name == "node" {
		return v.name, nil
	}

	value, ok := v.node.Variables[name]
	if !ok {
		value, ok = v.folder.index.Variables[name]
	}

	if !ok {
		return "", fmt.Errorf("unresolved variable: %s: add it to variables in %s", name, IndexFile)
	}

	return v.expand(value, depth+1)
}

// file reads a file's content, without the line break at its end.
func (v *values) file(name string) (string, error) {
	var (
		data []byte
		err  error
	)

	if path.IsAbs(name) {
		data, err = v.folder.source.File(name)
	} else {
		data, err = bounded.ReadFS(v.folder.files, path.Clean(name), bounded.MaxFile)
	}

	if err != nil {
		return "", fmt.Errorf("file of a value cannot be read: %w", err)
	}

	return strings.TrimSuffix(strings.TrimSuffix(string(data), "\n"), "\r"), nil
}
