package decode

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/ichor-os/ichor/config/document"
)

// path is a key path, kept as a chain so that it costs nothing until an error needs its text.
type path struct {
	above *path
	key   string
	index int // counts if key is empty
}

func (p *path) String() string {
	if p == nil {
		return ""
	}

	if p.key == "" {
		return fmt.Sprintf("%s[%d]", p.above, p.index)
	}

	return document.Join(p.above.String(), p.key)
}

// walk is the reading of one document.
type walk struct {
	file, head string
	line       int
	top        *yaml.Node
	// skipHead: apiVersion and kind at the top are no fields.
	skipHead bool

	faults  Errors
	open    []*yaml.Node // the values that are being read, outermost first
	aliases int          // how many of them are aliases
	aliased int          // how many values were read through aliases
}

func (w *walk) fail(n *yaml.Node, p *path, message, remedy string) {
	w.faults = append(w.faults, &Error{
		File: w.file, Document: w.head, DocumentLine: w.line,
		Line: n.Line, Column: n.Column, Path: p.String(), Message: message, Remedy: remedy,
	})
}

// enter follows aliases and checks the limits; nil means that the value must not be read.
func (w *walk) enter(n *yaml.Node, p *path) (*yaml.Node, func()) {
	leave := w.leave

	if n.Kind == yaml.AliasNode {
		target := document.Resolve(n)

		switch {
		case target == nil || target.Line < w.top.Line:
			w.fail(n, p, fmt.Sprintf("unknown anchor: %s", n.Value), "anchors count only within their document")

			return nil, nil
		case slices.Contains(w.open, target):
			w.fail(n, p, fmt.Sprintf("anchor contains itself: %s", n.Value), "")

			return nil, nil
		}

		n = target
		w.aliases++
		leave = w.leaveAlias
	}

	if w.aliases > 0 {
		w.aliased++
	}

	w.open = append(w.open, n)

	switch {
	case w.aliased > maxAliased:
		if w.aliased == maxAliased+1 {
			w.fail(n, p, "aliases unfold to too many values", "write the values out")
		}

		leave()

		return nil, nil
	case len(w.open) > MaxDepth:
		w.fail(n, p, fmt.Sprintf("nested deeper than %d levels", MaxDepth), "")
		leave()

		return nil, nil
	}

	return n, leave
}

func (w *walk) leave() { w.open = w.open[:len(w.open)-1] }

func (w *walk) leaveAlias() {
	w.leave()
	w.aliases--
}

// value reads n into v and tells whether there was a value: null is none.
func (w *walk) value(n *yaml.Node, t *document.Type, v reflect.Value, p *path) bool {
	n, leave := w.enter(n, p)
	if n == nil {
		return false
	}
	defer leave()

	if document.IsNull(n) && !decodesNull(t, v) {
		return t.Optional || t.Shape == document.MapShape || t.Shape == document.ListShape || t.Shape == document.FreeShape
	}

	if t.Optional {
		if v.IsNil() {
			v.Set(reflect.New(t.Go))
		}

		v = v.Elem()
	}

	switch t.Shape {
	case document.SectionShape:
		if n.Kind != yaml.MappingNode {
			return w.wrong(n, p, "a mapping of keys to values")
		}

		w.section(n, t, v, p)
	case document.ListShape:
		return w.list(n, t, v, p)
	case document.MapShape:
		return w.mapping(n, t, v, p)
	case document.FreeShape:
		return w.free(n, v, p)
	case document.ScalarShape:
		if err := v.Addr().Interface().(document.Decoder).DecodeYAML(n); err != nil {
			return w.failed(n, p, err)
		}
	default:
		return w.scalar(n, t, v, p)
	}

	return true
}

func decodesNull(t *document.Type, v reflect.Value) bool {
	if t.Shape != document.ScalarShape || t.Optional {
		return false
	}

	d, ok := v.Addr().Interface().(document.NullDecoder)

	return ok && d.DecodesNull()
}

func (w *walk) wrong(n *yaml.Node, p *path, expected string) bool {
	w.fail(n, p, fmt.Sprintf("expected %s, got %s", expected, describe(n)), "")

	return false
}

func (w *walk) failed(n *yaml.Node, p *path, err error) bool {
	var remedy *Error
	if errors.As(err, &remedy) {
		w.fail(n, p, remedy.Message, remedy.Remedy)
	} else {
		w.fail(n, p, err.Error(), "")
	}

	return false
}

// pairs calls do for each key and value of a mapping, those taken over by "<<" after its own.
func (w *walk) pairs(n *yaml.Node, p *path, do func(key string, k, v *yaml.Node)) {
	seen := make(map[string]bool, len(n.Content)/2)

	var merges []*yaml.Node

	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := document.Resolve(n.Content[i]), n.Content[i+1]
		if k == nil || k.Kind != yaml.ScalarNode {
			w.fail(n.Content[i], p, "keys must be plain words", "")

			continue
		}

		if k.Value == "<<" && k.ShortTag() == "!!merge" {
			merges = append(merges, v)

			continue
		}

		if seen[k.Value] {
			w.fail(k, &path{above: p, key: k.Value}, "key stands twice", "join the two")

			continue
		}

		seen[k.Value] = true

		do(k.Value, k, v)
	}

	for _, m := range merges {
		w.merged(m, p, seen, do)
	}
}

func (w *walk) merged(n *yaml.Node, p *path, seen map[string]bool, do func(key string, k, v *yaml.Node)) {
	source, leave := w.enter(n, p)
	if source == nil {
		return
	}
	defer leave()

	switch source.Kind {
	case yaml.SequenceNode:
		for _, item := range source.Content {
			w.merged(item, p, seen, do)
		}
	case yaml.MappingNode:
		w.pairs(source, p, func(key string, k, v *yaml.Node) {
			if !seen[key] {
				seen[key] = true

				do(key, k, v)
			}
		})
	default:
		w.wrong(source, p, "a mapping to merge")
	}
}

func (w *walk) section(n *yaml.Node, t *document.Type, v reflect.Value, p *path) {
	top := p == nil && w.skipHead

	w.pairs(n, p, func(key string, k, value *yaml.Node) {
		if top && (key == "apiVersion" || key == "kind") {
			return
		}

		f := t.Field(key)
		if f == nil {
			w.fail(k, &path{above: p, key: key}, "unknown key", suggestKey(key, t))

			return
		}

		w.value(value, f.Type, f.Value(v), &path{above: p, key: key})
	})
}

func suggestKey(key string, t *document.Type) string {
	known := make([]string, len(t.Fields))
	for i, f := range t.Fields {
		known[i] = f.Key
	}

	if s := Suggest(key, known); s != "" {
		return fmt.Sprintf("did you mean %q?", s)
	}

	slices.Sort(known)

	if len(known) == 0 || len(known) > 8 {
		return ""
	}

	return "known here: " + strings.Join(known, ", ")
}

func (w *walk) list(n *yaml.Node, t *document.Type, v reflect.Value, p *path) bool {
	if n.Kind != yaml.SequenceNode {
		return w.wrong(n, p, "a list")
	}

	out := reflect.MakeSlice(t.Go, len(n.Content), len(n.Content))
	used := 0

	for i, item := range n.Content {
		slot := out.Index(used)

		if w.value(item, t.Elem, slot, &path{above: p, index: i}) {
			used++
		} else {
			slot.SetZero()
		}
	}

	v.Set(out.Slice(0, used))

	return true
}

func (w *walk) mapping(n *yaml.Node, t *document.Type, v reflect.Value, p *path) bool {
	if n.Kind != yaml.MappingNode {
		return w.wrong(n, p, "a mapping of keys to values")
	}

	out := reflect.MakeMapWithSize(t.Go, len(n.Content)/2)

	w.pairs(n, p, func(key string, k, value *yaml.Node) {
		if document.IsNull(k) {
			return // a null key names nothing
		}

		slot := reflect.New(t.Elem.Go).Elem()
		if t.Elem.Optional {
			slot = reflect.New(reflect.PointerTo(t.Elem.Go)).Elem()
		}

		w.value(value, t.Elem, slot, &path{above: p, key: key})
		out.SetMapIndex(reflect.ValueOf(key).Convert(t.Go.Key()), slot)
	})

	v.Set(out)

	return true
}

// free reads whatever YAML holds.
func (w *walk) free(n *yaml.Node, v reflect.Value, p *path) bool {
	if v.Kind() == reflect.Map && n.Kind != yaml.MappingNode {
		return w.wrong(n, p, "a mapping of keys to values")
	}

	x, ok := w.anything(n, p)
	if ok && x != nil {
		v.Set(reflect.ValueOf(x).Convert(v.Type()))
	}

	return ok
}

func (w *walk) anything(n *yaml.Node, p *path) (any, bool) {
	switch n.Kind {
	case yaml.MappingNode:
		out := make(map[string]any, len(n.Content)/2)

		w.pairs(n, p, func(key string, k, value *yaml.Node) {
			if document.IsNull(k) {
				return
			}

			below := &path{above: p, key: key}

			if target, leave := w.enter(value, below); target != nil {
				out[key], _ = w.anything(target, below)

				leave()
			}
		})

		return out, true
	case yaml.SequenceNode:
		out := make([]any, 0, len(n.Content))

		for i, item := range n.Content {
			below := &path{above: p, index: i}

			if target, leave := w.enter(item, below); target != nil {
				x, _ := w.anything(target, below)
				out = append(out, x)

				leave()
			}
		}

		return out, true
	}

	var x any

	untagged := withoutLocalTag(n)
	if err := untagged.Decode(&x); err != nil {
		return nil, w.failed(n, p, errors.New(strings.TrimPrefix(err.Error(), "yaml: ")))
	}

	return x, true
}

// withoutLocalTag drops a tag like !x, which means nothing here.
func withoutLocalTag(n *yaml.Node) *yaml.Node {
	if strings.HasPrefix(n.Tag, "!") && !strings.HasPrefix(n.Tag, "!!") {
		bare := *n
		bare.Tag = ""

		if !document.IsPlain(n) {
			bare.Tag = "!!str"
		}

		return &bare
	}

	return n
}

func (w *walk) scalar(n *yaml.Node, t *document.Type, v reflect.Value, p *path) bool {
	if n.Kind != yaml.ScalarNode {
		return w.wrong(n, p, noun(t.Shape))
	}

	n = withoutLocalTag(n)

	switch t.Shape {
	case document.TextShape:
		text, err := document.TextOf(n)
		if err != nil {
			return w.failed(n, p, err)
		}

		v.SetString(text)
	case document.BooleanShape:
		b, err := document.BooleanOf(n)
		if err != nil {
			return w.failed(n, p, err)
		}

		v.SetBool(b)
	case document.DurationShape:
		d, err := document.DurationOf(n)
		if err != nil {
			return w.failed(n, p, err)
		}

		v.SetInt(int64(d))
	case document.NumberShape:
		f, err := strconv.ParseFloat(n.Value, 64)
		if err != nil || !document.IsPlain(n) {
			return w.wrong(n, p, noun(t.Shape))
		}

		v.SetFloat(f)
	case document.IntegerShape:
		if err := document.SetInteger(n, v); err != nil {
			return w.failed(n, p, err)
		}
	}

	return true
}

func noun(s document.Shape) string {
	switch s {
	case document.TextShape:
		return "text"
	case document.BooleanShape:
		return "true or false"
	case document.DurationShape:
		return "a duration such as 30s or 1h"
	case document.NumberShape:
		return "a number"
	case document.IntegerShape:
		return "a whole number"
	}

	return "a value"
}
