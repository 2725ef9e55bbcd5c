package patch

import (
	"fmt"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/ichor-os/ichor/config/decode"
	"github.com/ichor-os/ichor/config/document"
	"github.com/ichor-os/ichor/config/merge"
)

// directiveKey marks a directive in a strategic patch.
const directiveKey = "$patch"

// Directives.
const (
	directiveDelete  = "delete"
	directiveReplace = "replace"
)

// part is one document of a strategic patch.
type part struct {
	head decode.Head
	// removals are what directives take away before the rest is merged; drop removes the whole document.
	removals []removal
	drop     bool
	// merge is the rest; its Document is nil if nothing is left.
	merge decode.Parsed
}

// removal is a place that a directive empties.
type removal struct {
	steps []step
	// lenient: a place that is not there is fine (for replace).
	lenient bool
	line    int
}

// step goes one level down: to a key, or to the item of a list whose field has a value.
type step struct {
	key         string
	field, text string // of an item
}

func (s step) String() string {
	if s.field != "" {
		return fmt.Sprintf("[%s=%s]", s.field, s.text)
	}

	return s.key
}

// strategic takes the directives out of the documents and decodes the rest strictly.
func strategic(nodes []*yaml.Node, o decode.Options) ([]part, error) {
	parts := make([]part, 0, len(nodes))

	var (
		rest   []*yaml.Node
		owners []int
	)

	for _, n := range nodes {
		p := part{head: decode.HeadOf(n)}
		x := &extraction{}

		if err := x.document(n, &p); err != nil {
			return nil, err
		}

		p.removals = x.removals

		if p.drop {
			if p.head.APIVersion == "" {
				return nil, &decode.Error{File: o.File, Line: n.Line, Column: n.Column, Message: "missing apiVersion: a document is deleted by apiVersion, kind and name"}
			}

			if k := o.Lookup(p.head.APIVersion, p.head.Kind); k == nil {
				return nil, &decode.Error{File: o.File, Line: n.Line, Column: n.Column, Message: fmt.Sprintf("%q %q: not registered", p.head.Kind, p.head.APIVersion)}
			}
		} else if !x.emptied || len(n.Content) > 0 && !onlyHead(n) {
			rest, owners = append(rest, n), append(owners, len(parts))
		}

		parts = append(parts, p)
	}

	if len(rest) > 0 {
		parsed, err := decode.Nodes(rest, o)
		if err != nil {
			return nil, err
		}

		for i, d := range parsed {
			parts[owners[i]].merge = d
		}
	}

	return parts, nil
}

func onlyHead(n *yaml.Node) bool {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if !slices.Contains([]string{"apiVersion", "kind", "name"}, n.Content[i].Value) {
			return false
		}
	}

	return true
}

// extraction takes directives out of a document's tree.
type extraction struct {
	removals []removal
	emptied  bool
}

func (x *extraction) document(n *yaml.Node, p *part) error {
	switch word, err := directive(n); {
	case err != nil:
		return err
	case word == directiveDelete:
		p.drop = true

		return nil
	case word == directiveReplace:
		return fault(n, "$patch: replace cannot stand at the top of a document: delete the document and give it again")
	}

	_, err := x.mapping(n, nil)

	return err
}

func fault(n *yaml.Node, message string) error {
	return &decode.Error{Line: n.Line, Column: n.Column, Message: message}
}

// directive returns the word of a mapping's directive, "" if it has none.
func directive(n *yaml.Node) (string, error) {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value != directiveKey {
			continue
		}

		switch word := n.Content[i+1].Value; word {
		case directiveDelete, directiveReplace:
			return word, nil
		default:
			return "", fault(n.Content[i], fmt.Sprintf("unknown directive: $patch: %s: use delete or replace", word))
		}
	}

	return "", nil
}

// mapping goes through a mapping below steps; empty tells that directives have left nothing of it.
func (x *extraction) mapping(n *yaml.Node, steps []step) (empty bool, err error) {
	var kept []*yaml.Node

	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		below := append(slices.Clip(steps), step{key: key.Value})

		gone, err := x.value(value, below)
		if err != nil {
			return false, err
		}

		if !gone {
			kept = append(kept, key, value)
		}
	}

	if len(kept) == len(n.Content) {
		return false, nil
	}

	n.Content = kept
	x.emptied = true

	return len(kept) == 0, nil
}

func (x *extraction) value(n *yaml.Node, steps []step) (gone bool, err error) {
	switch n.Kind {
	case yaml.MappingNode:
		return x.directed(n, steps)
	case yaml.SequenceNode:
		return x.list(n, steps)
	}

	return false, nil
}

func (x *extraction) directed(n *yaml.Node, steps []step) (gone bool, err error) {
	word, err := directive(n)
	if err != nil {
		return false, err
	}

	switch word {
	case directiveDelete:
		if slices.ContainsFunc(steps, func(s step) bool { return s.field != "" }) {
			return false, fault(n, "a key inside a list item cannot be deleted: delete the item and give it again")
		}

		x.removals = append(x.removals, removal{steps: steps, line: n.Line})

		return true, nil
	case directiveReplace:
		x.removals = append(x.removals, removal{steps: steps, lenient: true, line: n.Line})
		n.Content = withoutKey(n.Content, directiveKey)
		x.emptied = true

		if len(n.Content) == 0 {
			return true, nil
		}
	}

	return x.mapping(n, steps)
}

func withoutKey(content []*yaml.Node, key string) []*yaml.Node {
	var kept []*yaml.Node

	for i := 0; i+1 < len(content); i += 2 {
		if content[i].Value != key {
			kept = append(kept, content[i], content[i+1])
		}
	}

	return kept
}

// list goes through the items: an item with a delete directive removes the
// item that it names, one that is a replace directive alone empties the list first.
func (x *extraction) list(n *yaml.Node, steps []step) (gone bool, err error) {
	var kept []*yaml.Node

	for _, item := range n.Content {
		if item.Kind != yaml.MappingNode {
			kept = append(kept, item)

			continue
		}

		word, err := directive(item)

		switch {
		case err != nil:
			return false, err
		case word == directiveDelete:
			selected, err := itemStep(item)
			if err != nil {
				return false, err
			}

			x.removals = append(x.removals, removal{steps: append(slices.Clip(steps), selected), line: item.Line})
		case word == directiveReplace && len(item.Content) == 2:
			x.removals = append(x.removals, removal{steps: steps, lenient: true, line: item.Line})
		case word == directiveReplace:
			return false, fault(item, "$patch: replace in a list stands alone in an item of its own")
		default:
			if _, err := x.mapping(item, append(slices.Clip(steps), itemOf(item))); err != nil {
				return false, err
			}

			kept = append(kept, item)
		}
	}

	if len(kept) == len(n.Content) {
		return false, nil
	}

	n.Content = kept
	x.emptied = true

	return len(kept) == 0, nil
}

// itemStep reads which item a delete directive means: its first other key.
func itemStep(item *yaml.Node) (step, error) {
	s := itemOf(item)
	if s.field == "" {
		return s, fault(item, "a list item to delete must be named by one of its keys")
	}

	return s, nil
}

func itemOf(item *yaml.Node) step {
	for i := 0; i+1 < len(item.Content); i += 2 {
		if k := item.Content[i].Value; k != directiveKey {
			return step{field: k, text: item.Content[i+1].Value}
		}
	}

	return step{}
}

// apply lays the strategic patch over documents.
func (p *Patch) apply(docs []decode.Parsed, o decode.Options) ([]decode.Parsed, error) {
	for _, mainFirst := range []bool{true, false} {
		for i := range p.docs {
			d := &p.docs[i]
			if d.head.Main != mainFirst {
				continue
			}

			var err error
			if docs, err = d.apply(docs, o); err != nil {
				return nil, err
			}
		}
	}

	if faults := decode.Clashes(docs, ""); len(faults) > 0 {
		return nil, faults
	}

	return docs, nil
}

func (d *part) apply(docs []decode.Parsed, o decode.Options) ([]decode.Parsed, error) {
	kind := o.Lookup(d.head.APIVersion, d.head.Kind)
	if d.head.Main {
		kind = o.Lookup("", document.MainKind)
	}

	at := slices.IndexFunc(docs, func(p decode.Parsed) bool {
		return p.Document.Kind() == kind && p.Document.Name() == d.head.Name || d.head.Main && p.Document.Kind().IsMain()
	})

	if d.drop {
		if at < 0 {
			return nil, fmt.Errorf("document to delete is not there: %s", d.head)
		}

		return slices.Delete(slices.Clone(docs), at, at+1), nil
	}

	for _, r := range d.removals {
		switch {
		case at >= 0:
			if err := remove(docs[at].Document, r); err != nil {
				return nil, err
			}
		case !r.lenient:
			return nil, fmt.Errorf("lookup failed: document to delete from is not there: %s", d.head)
		}
	}

	if d.merge.Document == nil {
		return docs, nil
	}

	return merge.Document(docs, d.merge)
}
