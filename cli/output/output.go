// Package output writes what commands read: as a table for people, as JSON or
// YAML for programs.
package output

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// Format is a way to write a result.
type Format string

// The formats.
const (
	Table Format = "table"
	Text  Format = "text"
	JSON  Format = "json"
	YAML  Format = "yaml"
)

// Parse reads the value of an --output flag; it must be one of allowed.
func Parse(text string, allowed ...Format) (Format, error) {
	if format := Format(text); slices.Contains(allowed, format) {
		return format, nil
	}
	return "", fmt.Errorf("unknown output format %q: use one of %v", text, allowed)
}

// Write writes a value as JSON or YAML, each with 4 blanks of indentation. The
// keys are those of the value's json tags in both.
func Write(w io.Writer, format Format, value any) error {
	switch format {
	case JSON:
		encoder := json.NewEncoder(w)
		encoder.SetIndent("", "    ")
		encoder.SetEscapeHTML(false)
		return encoder.Encode(value)
	case YAML:
		return writeYAML(w, value)
	default:
		return fmt.Errorf("write: format %q needs a layout", format)
	}
}

func writeYAML(w io.Writer, value any) error {
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	// JSON is YAML, so reading it as such keeps the order of the keys.
	var node yaml.Node
	if err := yaml.Unmarshal(text, &node); err != nil {
		return err
	}
	dropStyle(&node)
	encoder := yaml.NewEncoder(w)
	encoder.SetIndent(4)
	return encoder.Encode(&node)
}

// dropStyle lets the encoder choose how to write each node.
func dropStyle(node *yaml.Node) {
	if len(node.Content) > 0 || node.Kind == yaml.ScalarNode {
		node.Style = 0
	}
	for _, child := range node.Content {
		dropStyle(child)
	}
}

// WriteTable writes rows below a header. Columns are as wide as their widest
// cell, three blanks apart; lines have no trailing blanks.
func WriteTable(w io.Writer, header []string, rows [][]string) error {
	const gap = 3
	all := append([][]string{header}, rows...)
	widths := make([]int, len(header))
	for _, row := range all {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	var text strings.Builder
	for _, row := range all {
		var line strings.Builder
		for i, cell := range row {
			line.WriteString(cell)
			line.WriteString(strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell)+gap))
		}
		text.WriteString(strings.TrimRight(line.String(), " "))
		text.WriteByte('\n')
	}
	_, err := io.WriteString(w, text.String())
	return err
}
