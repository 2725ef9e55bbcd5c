package generate

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/ichor-os/ichor/config"
	"github.com/ichor-os/ichor/config/document"
	"github.com/ichor-os/ichor/config/encode"
)

// Comments says which comments go into a written config.
type Comments struct {
	Docs     bool // what each key means
	Examples bool // the keys that are not used
}

// Encode writes a config with comments. Without any it is the canonical form;
// with them it reads the same.
func Encode(c *config.Config, comments Comments) ([]byte, error) {
	if comments == (Comments{}) {
		return c.Encode()
	}
	var nodes []*yaml.Node
	for _, d := range c.Documents() {
		node := encode.Node(d)
		comments.annotate(node, document.SchemaOf(d), 0)
		nodes = append(nodes, node)
	}
	return encode.Nodes(nodes...)
}

// deepest is how many levels below a document unused keys are listed.
const deepest = 2

func (c Comments) annotate(node *yaml.Node, t *document.Type, depth int) {
	switch t.Shape {
	case document.ListShape:
		for _, item := range node.Content {
			c.annotate(item, t.Elem, deepest+1)
		}
	case document.SectionShape:
		if node.Kind == yaml.MappingNode {
			c.annotateSection(node, t, depth)
		}
	}
}

func (c Comments) annotateSection(section *yaml.Node, t *document.Type, depth int) {
	var used []string
	for i := 0; i+1 < len(section.Content); i += 2 {
		key, value := section.Content[i], section.Content[i+1]
		used = append(used, key.Value)
		field := t.Field(key.Value)
		if field == nil {
			continue // apiVersion and kind
		}
		if c.Docs {
			describe(key, value, field)
		}
		c.annotate(value, field.Type, depth+1)
	}
	if c.Examples && depth <= deepest && len(section.Content) > 0 {
		listUnused(section, t, used)
	}
}

// describe puts what a key means behind its value, or above the key where the
// value is long or has parts.
func describe(key, value *yaml.Node, field *document.Field) {
	const short = 60
	text := strings.ReplaceAll(field.Doc, "\n", " ")
	if value.Kind == yaml.ScalarNode && len(value.Value) < short && !strings.Contains(value.Value, "\n") {
		value.LineComment = "# " + text
		return
	}
	key.HeadComment = "# " + text
}

// listUnused names the keys of a section that a config does not use.
func listUnused(section *yaml.Node, t *document.Type, used []string) {
	var lines []string
	for _, field := range t.Fields {
		if slices.Contains(used, field.Key) || outdated(field) {
			continue
		}
		lines = append(lines, fmt.Sprintf("# %s: %s", field.Key, field.Doc))
	}
	if len(lines) == 0 {
		return
	}
	last := section.Content[len(section.Content)-2]
	last.FootComment = "# Not used here:\n" + strings.Join(lines, "\n")
}

// outdated reports whether a key stays only for configs that have it already.
func outdated(field *document.Field) bool {
	doc := strings.ToLower(field.Doc)
	return strings.Contains(doc, "newer form") || strings.Contains(doc, "newer way") || strings.Contains(doc, "older")
}
