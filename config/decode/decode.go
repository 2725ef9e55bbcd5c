// Package decode reads machine config text: a YAML stream of documents, each
// of a known kind, strictly. Unknown keys, duplicate keys, duplicate documents
// and values of the wrong type are errors; all of them are reported at once,
// each with its place, its key path and, where one is near, the word that was
// probably meant.
//
// Text from outside is not trusted: size, nesting and what aliases unfold to
// are bounded, and no input makes it panic.
package decode

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/ichor-os/ichor/config/document"
)

// Limits on input.
const (
	// MaxSize is the largest text that is read, in bytes.
	MaxSize = 32 << 20
	// MaxDocuments is how many documents a text may have, blank ones included.
	MaxDocuments = 10_000
	// MaxDepth is the deepest nesting of values.
	MaxDepth = 99
	// maxAliased is how many values may be read through aliases.
	maxAliased = 200_000
	// maxErrors bounds how many faults are listed.
	maxErrors = 200
)

// ErrNotFound says that a text holds no document at all.
var ErrNotFound = errors.New("config not found: the file holds no document")

// Parsed is a document with its source.
type Parsed struct {
	Document document.Document
	// Node is the mapping it was read from, comments included.
	Node *yaml.Node
}

// Options say how to read.
type Options struct {
	// File is the name of the text for error messages.
	File string
	// Lookup finds the kind of a document; the main document is asked for with ("", document.MainKind).
	Lookup func(apiVersion, kind string) *document.Kind
	// Known lists the kinds, for suggestions.
	Known func() []*document.Kind
}

// Decode reads every document of data. The error is Errors, ErrNotFound or a
// YAML syntax error.
func Decode(data []byte, o Options) ([]Parsed, error) {
	nodes, err := Split(data, o.File)
	if err != nil {
		return nil, err
	}

	if len(nodes) == 0 {
		return nil, ErrNotFound
	}

	return Nodes(nodes, o)
}

// Nodes reads documents that were split already, as Split returns them.
func Nodes(nodes []*yaml.Node, o Options) ([]Parsed, error) {
	var (
		parsed []Parsed
		faults Errors
	)

	for _, n := range nodes {
		doc, errs := one(n, o)
		faults = append(faults, errs...)

		if doc != nil {
			parsed = append(parsed, Parsed{Document: doc, Node: n})
		}
	}

	faults = append(faults, Clashes(parsed, o.File)...)

	if len(faults) > maxErrors {
		rest := len(faults) - maxErrors
		faults = append(faults[:maxErrors], &Error{File: o.File, Message: fmt.Sprintf("%d more errors", rest)})
	}

	if len(faults) > 0 {
		return nil, faults
	}

	return parsed, nil
}

// Split parses the YAML stream into the mapping of each document, leaving out
// blank and null ones.
func Split(data []byte, file string) (nodes []*yaml.Node, err error) {
	if len(data) > MaxSize {
		return nil, &Error{File: file, Message: fmt.Sprintf("config is too large: %d bytes: the limit is %d", len(data), MaxSize)}
	}

	defer func() {
		if r := recover(); r != nil {
			nodes, err = nil, &Error{File: file, Message: fmt.Sprintf("YAML cannot be parsed: %v", r)}
		}
	}()

	decoder := yaml.NewDecoder(bytes.NewReader(readable(data)))

	for count := 1; ; count++ {
		if count > MaxDocuments+1 {
			return nil, &Error{File: file, Message: fmt.Sprintf("config holds more than %d documents", MaxDocuments)}
		}

		var n yaml.Node

		err := decoder.Decode(&n)

		switch {
		case errors.Is(err, io.EOF):
			return nodes, nil
		case err != nil:
			return nil, syntaxError(err, file)
		}

		if n.Kind != yaml.DocumentNode || len(n.Content) == 0 || document.IsNull(n.Content[0]) {
			continue
		}

		root := n.Content[0]
		if root.Kind != yaml.MappingNode {
			return nil, &Error{
				File: file, Line: root.Line, Column: root.Column,
				Message: fmt.Sprintf("expected a YAML document at line %d: got %s instead of a mapping of keys to values", root.Line, describe(root)),
			}
		}

		if root.HeadComment == "" {
			root.HeadComment = n.HeadComment
		}

		if root.FootComment == "" {
			root.FootComment = n.FootComment
		}

		nodes = append(nodes, root)
	}
}

// readable lets the library read texts that say they are YAML 1.2, which it
// refuses although it knows what configs use of it. Directives stand at the
// start of a line, where no value of a mapping can.
func readable(data []byte) []byte {
	const newer, known = "%YAML 1.2", "%YAML 1.1"

	if !bytes.Contains(data, []byte(newer)) {
		return data
	}

	if after, ok := bytes.CutPrefix(data, []byte(newer)); ok {
		data = append([]byte(known), after...)
	}

	return bytes.ReplaceAll(data, []byte("\n"+newer), []byte("\n"+known))
}

func syntaxError(err error, file string) *Error {
	return &Error{File: file, Message: "YAML cannot be parsed: " + strings.TrimPrefix(err.Error(), "yaml: ")}
}

// Head is what a document says of itself.
type Head struct {
	APIVersion, Kind, Name string
	// Main: this is the main document.
	Main bool
}

// String is the document's name in errors: apiVersion/kind/name, without what is absent at the end.
func (h Head) String() string {
	if h.Main {
		return "/" + document.MainKind
	}

	return strings.TrimSuffix(h.APIVersion+"/"+h.Kind+"/"+h.Name, "/")
}

// HeadOf reads the keys that tell the kind of a document.
func HeadOf(n *yaml.Node) Head {
	var (
		h        Head
		hasKind  bool
		sections bool
	)

	for i := 0; i+1 < len(n.Content); i += 2 {
		value := document.Resolve(n.Content[i+1])

		text := ""
		if value != nil && value.Kind == yaml.ScalarNode && !document.IsNull(value) {
			text = value.Value
		}

		switch n.Content[i].Value {
		case "apiVersion":
			h.APIVersion = text
		case "kind":
			h.Kind, hasKind = text, text != ""
		case "name":
			h.Name = text
		case "machine", "cluster", "debug", "persist":
			sections = true
		}
	}

	h.Main = !hasKind && (sections || h.APIVersion == document.V1Alpha1)

	return h
}

// one reads one document.
func one(n *yaml.Node, o Options) (document.Document, Errors) {
	head := HeadOf(n)

	w := &walk{file: o.File, head: head.String(), line: n.Line, top: n}

	kind := kindOf(w, n, head, o)
	if kind == nil {
		return nil, w.faults
	}

	doc := kind.New()
	v := reflect.ValueOf(doc).Elem()
	w.skipHead = !head.Main
	w.section(n, document.TypeOf(v.Type()), v, nil)

	return doc, w.faults
}

func kindOf(w *walk, n *yaml.Node, head Head, o Options) *document.Kind {
	if head.Main {
		return o.Lookup("", document.MainKind)
	}

	switch {
	case head.Kind == "":
		w.fail(n, nil, "missing kind", nearKey(n, "kind"))
	case head.APIVersion == "":
		w.fail(n, nil, "missing apiVersion", nearKey(n, "apiVersion"))
	default:
		if k := o.Lookup(head.APIVersion, head.Kind); k != nil && !k.IsMain() {
			return k
		}

		w.fail(n, nil, fmt.Sprintf("%q %q: not registered", head.Kind, head.APIVersion), nearKind(head, o))
	}

	return nil
}

// nearKey looks for a misspelling of a key that is missing.
func nearKey(n *yaml.Node, key string) string {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if k := n.Content[i].Value; k != key && Suggest(k, []string{key}) != "" {
			return fmt.Sprintf("did you mean %q instead of %q?", key, k)
		}
	}

	return ""
}

func nearKind(head Head, o Options) string {
	if o.Known == nil {
		return ""
	}

	var kinds []string

	for _, k := range o.Known() {
		if k.Kind == head.Kind && k.APIVersion != head.APIVersion {
			return fmt.Sprintf("write apiVersion: %s", k.APIVersion)
		}

		kinds = append(kinds, k.Kind)
	}

	if k := Suggest(head.Kind, kinds); k != "" {
		return fmt.Sprintf("did you mean %q?", k)
	}

	return ""
}

// Clashes reports documents that stand twice, and documents of kinds that may
// not share a name.
func Clashes(docs []Parsed, file string) Errors {
	type key struct{ apiVersion, kind, name string }

	var faults Errors

	seen := make(map[key]bool, len(docs))

	for _, d := range docs {
		k := d.Document.Kind()
		e := &Error{File: file}

		if d.Node != nil {
			e.Line, e.Column = d.Node.Line, d.Node.Column
		}

		id := key{k.APIVersion, k.Kind, d.Document.Name()}
		if seen[id] {
			e.Message = fmt.Sprintf("duplicate document: %s", document.Title(d.Document))
			e.Remedy = "join the two into one"
			faults = append(faults, e)

			continue
		}

		seen[id] = true

		for _, other := range k.ConflictsWith {
			if other != k.Kind && seen[key{document.V1Alpha1, other, d.Document.Name()}] {
				e.Message = fmt.Sprintf("documents conflict: %s and %s/%s", document.Title(d.Document), other, d.Document.Name())
				e.Remedy = "give them different names, or remove one"
				faults = append(faults, e)

				break
			}
		}
	}

	return faults
}

func describe(n *yaml.Node) string {
	switch n.Kind {
	case yaml.SequenceNode:
		return "a list"
	case yaml.MappingNode:
		return "a mapping"
	}

	if document.IsNull(n) {
		return "null"
	}

	text := n.Value
	if len(text) > 40 {
		text = text[:40] + "…"
	}

	return fmt.Sprintf("%q", text)
}
