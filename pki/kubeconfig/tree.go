package kubeconfig

import (
	"bytes"
	"slices"

	"go.yaml.in/yaml/v3"
)

func scalar(text string) *yaml.Node {
	node := &yaml.Node{}
	node.SetString(text)
	return node
}

// get returns the value of a key of a mapping, or nil.
func get(mapping *yaml.Node, key string) *yaml.Node {
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		if mapping.Content[i].Value == key {
			return mapping.Content[i+1]
		}
	}
	return nil
}

// set gives a key of a mapping a value, in its place if it is there.
func set(mapping *yaml.Node, key string, value *yaml.Node) {
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		if mapping.Content[i].Value == key {
			mapping.Content[i+1] = value
			return
		}
	}
	mapping.Content = append(mapping.Content, scalar(key), value)
}

func clone(node *yaml.Node) *yaml.Node {
	copied := *node
	copied.Content = make([]*yaml.Node, len(node.Content))
	for i, child := range node.Content {
		copied.Content[i] = clone(child)
	}
	return &copied
}

// same reports whether two trees are written alike.
func same(a, b *yaml.Node) bool {
	left, errLeft := yaml.Marshal(a)
	right, errRight := yaml.Marshal(b)
	return errLeft == nil && errRight == nil && bytes.Equal(left, right)
}

func hasAlias(node *yaml.Node) bool {
	return node.Kind == yaml.AliasNode || slices.ContainsFunc(node.Content, hasAlias)
}
