package scalar

import (
	"errors"

	"go.yaml.in/yaml/v3"

	"github.com/ichor-os/ichor/config/document"
)

// WordList is a list of words of an enumeration. A single word is read as a
// list of one.
type WordList[W Words] []Enum[W]

// DecodeYAML reads a word or a list of words.
func (l *WordList[W]) DecodeYAML(n *yaml.Node) error {
	items := []*yaml.Node{n}

	switch n.Kind {
	case yaml.SequenceNode:
		items = n.Content
	case yaml.ScalarNode:
	default:
		return errors.New("expected a word or a list of words")
	}

	out := make(WordList[W], 0, len(items))

	for _, item := range items {
		if item = document.Resolve(item); document.IsNull(item) {
			continue
		}

		var e Enum[W]
		if err := e.DecodeYAML(item); err != nil {
			return err
		}

		out = append(out, e)
	}

	*l = out

	return nil
}

// EncodeYAML writes a list.
func (l WordList[W]) EncodeYAML() *yaml.Node {
	n := &yaml.Node{Kind: yaml.SequenceNode}
	for _, e := range l {
		n.Content = append(n.Content, e.EncodeYAML())
	}

	return n
}

// IsZero tells whether the list is empty.
func (l WordList[W]) IsZero() bool { return len(l) == 0 }

// JSONSchema accepts a word or a list of words.
func (l WordList[W]) JSONSchema() map[string]any {
	word := Enum[W]("").JSONSchema()

	return map[string]any{"anyOf": []any{word, map[string]any{"type": "array", "items": word}}}
}

// MergeFrom adds the words of a patch that are not in the list yet.
func (l *WordList[W]) MergeFrom(patch any) error {
	more, ok := patch.(*WordList[W])
	if !ok {
		return errors.New("patch is no list of words")
	}

next:
	for _, e := range *more {
		for _, have := range *l {
			if have == e {
				continue next
			}
		}

		*l = append(*l, e)
	}

	return nil
}

// Form names the form of the value for readers.
func (WordList[W]) Form() string { return "list of words" }
