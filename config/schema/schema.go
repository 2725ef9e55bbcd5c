// Package schema writes what the document types say of themselves for other
// programs and for readers: a JSON schema (draft 2020-12) that accepts what
// decoding accepts, and the reference pages.
package schema

import (
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/ichor-os/ichor/config/document"
)

// JSON is the JSON schema of all kinds, indented.
func JSON(kinds []*document.Kind) ([]byte, error) {
	raw, err := json.MarshalIndent(Of(kinds), "", "  ")
	if err != nil {
		return nil, fmt.Errorf("schema cannot be written: %w", err)
	}

	return append(raw, '\n'), nil
}

// Of is the JSON schema of one document of any of the kinds.
func Of(kinds []*document.Kind) map[string]any {
	defs := make(map[string]any, len(kinds))
	choices := make([]any, 0, len(kinds))

	for _, k := range kinds {
		defs[k.Kind] = OfKind(k)
		choices = append(choices, map[string]any{"$ref": "#/$defs/" + k.Kind})
	}

	return map[string]any{
		"$schema": "https://json-schema.org/draft/2020-12/schema",
		"title":   "machine config document",
		"$defs":   defs,
		"anyOf":   choices,
	}
}

// OfKind is the JSON schema of one kind.
func OfKind(k *document.Kind) map[string]any {
	s := section(document.SchemaOf(k.New()))
	s["description"] = k.Doc

	properties, _ := s["properties"].(map[string]any)

	if k.IsMain() {
		s["anyOf"] = []any{required("machine"), required("cluster"), required("debug"), required("persist")}

		return s
	}

	properties["apiVersion"] = map[string]any{"const": k.APIVersion}
	properties["kind"] = map[string]any{"const": k.Kind}
	s["required"] = []any{"apiVersion", "kind"}

	return s
}

func required(key string) map[string]any {
	return map[string]any{"required": []any{key}}
}

// section leaves null out: a document is never null.
func section(t *document.Type) map[string]any {
	properties := make(map[string]any, len(t.Fields))

	for _, f := range t.Fields {
		p := orNull(value(f.Type))
		if f.Doc != "" {
			p["description"] = f.Doc
		}

		properties[f.Key] = p
	}

	return map[string]any{"type": "object", "properties": properties, "additionalProperties": false}
}

func value(t *document.Type) map[string]any {
	switch t.Shape {
	case document.SectionShape:
		return section(t)
	case document.ListShape:
		return map[string]any{"type": "array", "items": orNull(value(t.Elem))}
	case document.MapShape:
		return map[string]any{"type": "object", "additionalProperties": orNull(value(t.Elem))}
	case document.FreeShape:
		if t.Go.Kind() == reflect.Map {
			return map[string]any{"type": "object"}
		}

		return map[string]any{}
	case document.ScalarShape:
		if s, ok := reflect.New(t.Go).Interface().(document.Schemer); ok {
			return s.JSONSchema()
		}

		return map[string]any{}
	}

	return primitive(t)
}

func primitive(t *document.Type) map[string]any {
	switch t.Shape {
	case document.BooleanShape:
		return map[string]any{"enum": []any{
			true, false,
			"y", "Y", "yes", "Yes", "YES", "on", "On", "ON",
			"n", "N", "no", "No", "NO", "off", "Off", "OFF",
		}}
	case document.DurationShape:
		return map[string]any{"anyOf": []any{
			map[string]any{"const": 0},
			map[string]any{"type": "string", "pattern": `^[+-]?(0|(([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h))+)$`},
		}}
	case document.NumberShape:
		return map[string]any{"type": "number"}
	case document.IntegerShape:
		low, high := bounds(t.Go)

		return map[string]any{"type": "integer", "minimum": low, "maximum": high}
	}

	return map[string]any{"type": []any{"string", "number", "boolean"}}
}

func bounds(t reflect.Type) (low, high json.Number) {
	bits := t.Bits()

	switch t.Kind() {
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return "0", json.Number(fmt.Sprint(^uint64(0) >> (64 - bits)))
	}

	top := int64(^uint64(0)>>1) >> (64 - bits)

	return json.Number(fmt.Sprint(-top - 1)), json.Number(fmt.Sprint(top))
}

// orNull accepts null besides: an absent value.
func orNull(s map[string]any) map[string]any {
	out := make(map[string]any, len(s)+1)
	for k, v := range s {
		out[k] = v
	}

	switch t := s["type"].(type) {
	case string:
		if s["enum"] == nil && s["const"] == nil {
			out["type"] = []any{t, "null"}

			return out
		}
	case []any:
		if s["enum"] == nil && s["const"] == nil {
			out["type"] = append(append([]any{}, t...), "null")

			return out
		}
	}

	if len(s) == 0 {
		return out
	}

	return map[string]any{"anyOf": []any{s, map[string]any{"type": "null"}}}
}
