package patch

import (
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/ichor-os/ichor/config/decode"
	"github.com/ichor-os/ichor/config/encode"
)

// KeepComments writes the result of patching with the comments that the base
// has on the keys and items that are still there.
func KeepComments(base, result []byte) ([]byte, error) {
	before, err := decode.Split(base, "")
	if err != nil {
		return nil, err
	}

	after, err := decode.Split(result, "")
	if err != nil {
		return nil, err
	}

	for _, n := range after {
		head := decode.HeadOf(n)

		at := slices.IndexFunc(before, func(b *yaml.Node) bool { return decode.HeadOf(b) == head })
		if at >= 0 {
			copyComments(before[at], n)
		}
	}

	return encode.Nodes(after...)
}

func copyComments(from, to *yaml.Node) {
	to.HeadComment, to.LineComment, to.FootComment = from.HeadComment, from.LineComment, from.FootComment

	switch {
	case from.Kind == yaml.MappingNode && to.Kind == yaml.MappingNode:
		for i := 0; i+1 < len(to.Content); i += 2 {
			for j := 0; j+1 < len(from.Content); j += 2 {
				if from.Content[j].Value == to.Content[i].Value {
					copyComments(from.Content[j], to.Content[i])
					copyComments(from.Content[j+1], to.Content[i+1])

					break
				}
			}
		}
	case from.Kind == yaml.SequenceNode && to.Kind == yaml.SequenceNode:
		copyItems(from, to)
	}

	// A mapping or list that has become empty is written in one line, where only a line comment has room.
	if to.Style&yaml.FlowStyle != 0 {
		to.HeadComment, to.FootComment = "", ""
	}
}

// copyItems pairs each item of the result with the first item of the base
// that says the same of itself.
func copyItems(from, to *yaml.Node) {
	used := make([]bool, len(from.Content))

	for _, item := range to.Content {
		for j, old := range from.Content {
			if !used[j] && sameItem(old, item) {
				used[j] = true

				copyComments(old, item)

				break
			}
		}
	}
}

// sameItem compares scalars by value and mappings by their first key that holds a single value.
func sameItem(a, b *yaml.Node) bool {
	if a.Kind != b.Kind {
		return false
	}

	switch a.Kind {
	case yaml.ScalarNode:
		return a.Value == b.Value
	case yaml.MappingNode:
		for i := 0; i+1 < len(b.Content); i += 2 {
			if b.Content[i+1].Kind != yaml.ScalarNode {
				continue
			}

			for j := 0; j+1 < len(a.Content); j += 2 {
				if a.Content[j].Value == b.Content[i].Value {
					return a.Content[j+1].Value == b.Content[i+1].Value
				}
			}

			return false
		}
	}

	return false
}
