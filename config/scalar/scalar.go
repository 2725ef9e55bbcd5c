// Package scalar holds the value types that several kinds of documents share:
// addresses, URLs, sizes, enumerations and the like. Each reads and writes its
// own YAML (document.Decoder, Encoder, Zeroer, Schemer) and is checked on
// reading, so that a decoded value is always well-formed.
package scalar

import (
	"encoding/base64"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/ichor-os/ichor/config/document"
)

// word returns the text of a scalar node.
func word(n *yaml.Node) (string, error) {
	if n.Kind != yaml.ScalarNode {
		return "", errors.New("expected a single value, not a list or mapping")
	}

	return n.Value, nil
}

// anyText is the schema of values that are taken as their source text.
func anyText() map[string]any {
	return map[string]any{"type": []any{"string", "number", "boolean"}}
}

// URL is a URL in any form that net/url parses. The zero URL is absent.
type URL struct{ *url.URL }

// ParseURL reads a URL.
func ParseURL(s string) (URL, error) {
	u, err := url.Parse(s)
	if err != nil {
		var fault *url.Error
		if errors.As(err, &fault) {
			err = fault.Err // the text itself may hold a password
		}

		return URL{}, fmt.Errorf("not a URL: %w", err)
	}

	return URL{u}, nil
}

// DecodeYAML reads a URL.
func (u *URL) DecodeYAML(n *yaml.Node) error {
	s, err := word(n)
	if err != nil {
		return err
	}

	*u, err = ParseURL(s)

	return err
}

// EncodeYAML writes the URL as net/url spells it.
func (u URL) EncodeYAML() *yaml.Node {
	if u.URL == nil {
		return nil
	}

	return document.Text(u.String())
}

// String is the URL's text, "" when absent.
func (u URL) String() string {
	if u.URL == nil {
		return ""
	}

	return u.URL.String()
}

// IsZero tells whether the URL is absent.
func (u URL) IsZero() bool { return u.URL == nil }

// JSONSchema accepts text.
func (u URL) JSONSchema() map[string]any { return anyText() }

// Base64 is binary data, written as strict standard base64.
type Base64 []byte

// DecodeYAML reads standard base64 without white space.
func (b *Base64) DecodeYAML(n *yaml.Node) error {
	s, err := word(n)
	if err != nil {
		return err
	}

	raw, err := base64.StdEncoding.Strict().DecodeString(s)
	if err == nil && strings.ContainsAny(s, "\r\n") {
		err = errors.New("line breaks")
	}

	if err != nil {
		return fmt.Errorf("not standard base64: %w", err)
	}

	*b = raw

	return nil
}

// EncodeYAML writes base64.
func (b Base64) EncodeYAML() *yaml.Node {
	return document.Text(base64.StdEncoding.EncodeToString(b))
}

// IsZero tells whether there is no data.
func (b Base64) IsZero() bool { return len(b) == 0 }

// JSONSchema accepts base64 text.
func (b Base64) JSONSchema() map[string]any {
	return map[string]any{"type": "string", "contentEncoding": "base64", "pattern": base64Pattern}
}

// LogValue keeps the data out of logs: keys are written in this form.
func (b Base64) LogValue() slog.Value { return slog.StringValue("[redacted]") }
