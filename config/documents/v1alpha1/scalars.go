package v1alpha1

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"
	"go.yaml.in/yaml/v3"

	"github.com/ichor-os/ichor/config/document"
)

// Argument is the value of a flag: one text, or a list that gives the flag
// several times. An empty one is a flag without a value.
type Argument struct {
	// Values are the texts; Repeated says that they were written as a list.
	Values   []string
	Repeated bool
}

// DecodeYAML reads a text or a list of texts.
func (a *Argument) DecodeYAML(n *yaml.Node) error {
	switch n.Kind {
	case yaml.ScalarNode:
		text, err := document.TextOf(n)
		if err != nil {
			return err
		}

		*a = Argument{}
		if text != "" {
			a.Values = []string{text}
		}

		return nil
	case yaml.SequenceNode:
		*a = Argument{Values: make([]string, 0, len(n.Content)), Repeated: true}

		for _, item := range n.Content {
			item = document.Resolve(item)

			text, err := document.TextOf(item)
			if err != nil {
				return err
			}

			a.Values = append(a.Values, text)
		}

		return nil
	}

	return errors.New("expected a text or a list of texts")
}

// EncodeYAML writes the argument; an empty one is null.
func (a Argument) EncodeYAML() *yaml.Node {
	if a.Repeated {
		n := &yaml.Node{Kind: yaml.SequenceNode}
		for _, v := range a.Values {
			n.Content = append(n.Content, document.Word(v))
		}

		if len(a.Values) == 0 {
			n.Style = yaml.FlowStyle
		}

		return n
	}

	if len(a.Values) == 0 {
		return nil
	}

	return document.Word(a.Values[0])
}

// IsZero tells whether the flag has no value.
func (a Argument) IsZero() bool { return len(a.Values) == 0 && !a.Repeated }

// String joins the values by commas.
func (a Argument) String() string { return strings.Join(a.Values, ",") }

// JSONSchema accepts texts and lists of texts.
func (a Argument) JSONSchema() map[string]any {
	text := []any{"string", "number", "boolean", "null"}

	return map[string]any{
		"anyOf": []any{
			map[string]any{"type": text},
			map[string]any{"type": "array", "items": map[string]any{"type": text}},
		},
	}
}

// DiskSize is a size in bytes, written with a decimal unit where that is exact.
type DiskSize uint64

// DecodeYAML reads a number of bytes or a text with a unit.
func (s *DiskSize) DecodeYAML(n *yaml.Node) error {
	if n.Kind != yaml.ScalarNode {
		return errors.New("expected a size such as 10GB")
	}

	b, err := humanize.ParseBytes(n.Value)
	if err != nil {
		u, negative, intErr := document.IntegerOf(n)
		if intErr != nil || negative {
			return fmt.Errorf("expected a size such as 10GB, got %q", n.Value)
		}

		b = u
	}

	*s = DiskSize(b)

	return nil
}

// EncodeYAML writes the size.
func (s DiskSize) EncodeYAML() *yaml.Node {
	text := humanize.Bytes(uint64(s))
	if b, err := humanize.ParseBytes(text); err == nil && b == uint64(s) {
		return document.Text(text)
	}

	return document.Plain(strconv.FormatUint(uint64(s), 10))
}

// JSONSchema accepts numbers and texts.
func (s DiskSize) JSONSchema() map[string]any {
	return map[string]any{"anyOf": []any{
		map[string]any{"type": "integer", "minimum": 0},
		map[string]any{"type": "string", "pattern": sizePattern},
	}}
}

const sizePattern = `^[0-9., ]*[0-9.,] *([kKmMgGtTpPeE]?[bB]?|[kKmMgGtTpPeE][iI][bB]?)$`

// SizeMatcher compares the size of a disk: ">= 100GB".
type SizeMatcher struct {
	// Op is ">=", "<=", ">", "<" or "==".
	Op string
	// Bytes is what the disk's size is compared with.
	Bytes uint64

	text string
}

// ParseSizeMatcher reads an operator, which may be absent, and a size.
func ParseSizeMatcher(text string) (SizeMatcher, error) {
	m := SizeMatcher{Op: "==", text: text}
	rest := strings.TrimSpace(text)

	for _, op := range []string{">=", "<=", "==", ">", "<"} {
		if after, ok := strings.CutPrefix(rest, op); ok {
			m.Op, rest = op, strings.TrimSpace(after)

			break
		}
	}

	bytes, err := humanize.ParseBytes(rest)
	if err != nil {
		return m, fmt.Errorf("expected a comparison with a size such as '>= 100GB', got %q", text)
	}

	m.Bytes = bytes

	return m, nil
}

// Matches tells whether a disk of this size is meant.
func (m SizeMatcher) Matches(bytes uint64) bool {
	switch m.Op {
	case ">=":
		return bytes >= m.Bytes
	case "<=":
		return bytes <= m.Bytes
	case ">":
		return bytes > m.Bytes
	case "<":
		return bytes < m.Bytes
	}

	return bytes == m.Bytes
}

// String is the text that the matcher was read from.
func (m SizeMatcher) String() string { return m.text }

// DecodeYAML reads the comparison.
func (m *SizeMatcher) DecodeYAML(n *yaml.Node) error {
	text, err := document.TextOf(n)
	if err != nil {
		return err
	}

	*m, err = ParseSizeMatcher(text)

	return err
}

// EncodeYAML writes the text it was read from.
func (m SizeMatcher) EncodeYAML() *yaml.Node { return document.Text(m.text) }

// JSONSchema accepts comparisons.
func (m SizeMatcher) JSONSchema() map[string]any {
	return map[string]any{"anyOf": []any{
		map[string]any{"type": "integer", "minimum": 0},
		map[string]any{"type": "number", "minimum": 0},
		map[string]any{"type": "string", "pattern": `^ *(>=|<=|==|>|<)? *` + sizePattern[1:]},
	}}
}
