// Package encode writes config documents in their canonical form: keys in
// the order of the type, absent values left out, text quoted only where it
// must be. Decoding what it writes gives the same documents.
package encode

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/ichor-os/ichor/config/document"
)

// Encode writes documents, separated by "---".
func Encode(docs ...document.Document) ([]byte, error) {
	nodes := make([]*yaml.Node, len(docs))
	for i, d := range docs {
		nodes[i] = Node(d)
	}

	return Nodes(nodes...)
}

// Nodes writes document nodes, separated by "---".
func Nodes(nodes ...*yaml.Node) ([]byte, error) {
	var b bytes.Buffer

	e := yaml.NewEncoder(&b)
	e.SetIndent(4)

	for _, n := range nodes {
		if err := e.Encode(n); err != nil {
			return nil, fmt.Errorf("config cannot be written: %w", err)
		}
	}

	if len(nodes) > 0 {
		if err := e.Close(); err != nil {
			return nil, fmt.Errorf("config cannot be written: %w", err)
		}
	}

	return b.Bytes(), nil
}

// Redacted is the canonical YAML tree of a document for people to look at:
// what is secret, or looks like it, is replaced by a mark.
func Redacted(d document.Document) *yaml.Node { return node(d, writer{redact: true}) }

// Node is the canonical YAML tree of a document.
func Node(d document.Document) *yaml.Node { return node(d, writer{}) }

func node(d document.Document, w writer) *yaml.Node {
	v := reflect.ValueOf(d).Elem()
	n := w.section(document.TypeOf(v.Type()), v)

	if k := d.Kind(); !k.IsMain() {
		n.Content = append([]*yaml.Node{
			document.Text("apiVersion"), document.Text(k.APIVersion),
			document.Text("kind"), document.Text(k.Kind),
		}, n.Content...)
		n.Style = 0
	}

	return n
}

// Value is the canonical YAML tree of a value of type t.
func Value(t *document.Type, v reflect.Value) *yaml.Node { return writer{}.value(t, v) }

// RedactedValue is Value for people to look at; secret says that all of it is secret.
func RedactedValue(t *document.Type, v reflect.Value, secret bool) *yaml.Node {
	n := writer{redact: true}.value(t, v)
	if secret {
		hide(n)
	}

	return n
}

type writer struct{ redact bool }

func (w writer) value(t *document.Type, v reflect.Value) *yaml.Node {
	if t.Optional {
		if v.IsNil() {
			return document.Null()
		}

		v = v.Elem()
	}

	switch t.Shape {
	case document.SectionShape:
		return w.section(t, v)
	case document.ListShape:
		n := &yaml.Node{Kind: yaml.SequenceNode}
		for i := range v.Len() {
			n.Content = append(n.Content, w.value(t.Elem, v.Index(i)))
		}

		return flowIfEmpty(n)
	case document.MapShape:
		return w.mapping(t, v)
	case document.FreeShape:
		return w.shown(free(v))
	case document.ScalarShape:
		return w.shown(scalar(v))
	}

	return w.shown(primitive(t, v))
}

func primitive(t *document.Type, v reflect.Value) *yaml.Node {
	switch t.Shape {
	case document.BooleanShape:
		return document.Plain(strconv.FormatBool(v.Bool()))
	case document.DurationShape:
		return document.Text(time.Duration(v.Int()).String())
	case document.NumberShape:
		return document.Float(v.Float())
	case document.IntegerShape:
		if v.CanUint() {
			return document.Plain(strconv.FormatUint(v.Uint(), 10))
		}

		return document.Plain(strconv.FormatInt(v.Int(), 10))
	}

	return document.Text(v.String())
}

func scalar(v reflect.Value) *yaml.Node {
	e, ok := v.Interface().(document.Encoder)
	if !ok && v.CanAddr() {
		e, ok = v.Addr().Interface().(document.Encoder)
	}

	if !ok {
		panic(fmt.Sprintf("encode: scalar type does not encode: %v", v.Type()))
	}

	if n := e.EncodeYAML(); n != nil {
		return n
	}

	return document.Null()
}

func (w writer) section(t *document.Type, v reflect.Value) *yaml.Node {
	n := &yaml.Node{Kind: yaml.MappingNode}

	for _, f := range t.Fields {
		fv := f.Value(v)
		if f.OmitEmpty && document.IsZero(fv) {
			continue
		}

		value := w.value(f.Type, fv)
		if w.redact && f.Secret {
			hide(value)
		}

		n.Content = append(n.Content, document.Text(f.Key), value)
	}

	return flowIfEmpty(n)
}

func (w writer) mapping(t *document.Type, v reflect.Value) *yaml.Node {
	n := &yaml.Node{Kind: yaml.MappingNode}

	keys := v.MapKeys()
	slices.SortFunc(keys, func(a, b reflect.Value) int { return CompareKeys(a.String(), b.String()) })

	for _, k := range keys {
		value := w.value(t.Elem, v.MapIndex(k))
		if w.redact && secretKey.MatchString(k.String()) {
			hide(value)
		}

		n.Content = append(n.Content, document.Text(k.String()), value)
	}

	return flowIfEmpty(n)
}

func free(v reflect.Value) *yaml.Node {
	if v.Kind() == reflect.Interface {
		v = v.Elem()
	}

	if !v.IsValid() {
		return document.Null()
	}

	switch v.Kind() {
	case reflect.Map:
		n := &yaml.Node{Kind: yaml.MappingNode}

		keys := v.MapKeys()
		slices.SortFunc(keys, func(a, b reflect.Value) int { return CompareKeys(a.String(), b.String()) })

		for _, k := range keys {
			n.Content = append(n.Content, document.Text(k.String()), free(v.MapIndex(k)))
		}

		return flowIfEmpty(n)
	case reflect.Slice:
		n := &yaml.Node{Kind: yaml.SequenceNode}
		for i := range v.Len() {
			n.Content = append(n.Content, free(v.Index(i)))
		}

		return flowIfEmpty(n)
	case reflect.String:
		return document.Text(v.String())
	}

	n := new(yaml.Node)
	if err := n.Encode(v.Interface()); err != nil {
		return document.Text(fmt.Sprint(v.Interface()))
	}

	return n
}

// flowIfEmpty writes empty lists and mappings as [] and {}.
func flowIfEmpty(n *yaml.Node) *yaml.Node {
	if len(n.Content) == 0 {
		n.Style = yaml.FlowStyle
	}

	return n
}
