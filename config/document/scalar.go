package document

import (
	"math"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Decoder is a scalar type (or one with a YAML shape of its own) that reads
// itself. It is implemented on the pointer. The node is never an alias and
// never null; positions are added by the caller, so errors say only what is
// wrong with the value.
type Decoder interface {
	DecodeYAML(n *yaml.Node) error
}

// Encoder is the other half of Decoder, implemented on the value. A nil node
// is written as null. Text, Plain and Null make the usual nodes.
type Encoder interface {
	EncodeYAML() *yaml.Node
}

// Zeroer tells whether a value counts as absent: it is left out where its
// field says omitempty, and does not replace anything when merged. A type
// without it counts as absent when it is the zero value of its Go type.
type Zeroer interface {
	IsZero() bool
}

// Merger is a type that knows how a patch value of the same type (passed as a
// pointer) goes into it. It is implemented on the pointer, for types where no merge tag fits.
type Merger interface {
	MergeFrom(patch any) error
}

// Schemer describes which JSON values DecodeYAML accepts, as a JSON schema
// (draft 2020-12). It is implemented on the value and called on the zero value.
type Schemer interface {
	JSONSchema() map[string]any
}

// NullDecoder marks a Decoder for which null is a value of its own, so that
// DecodeYAML is called with a null node.
type NullDecoder interface {
	DecodesNull() bool
}

// Text makes a node for text, quoted where a plain word would read as
// something else (also to YAML 1.1 readers).
func Text(s string) *yaml.Node {
	n := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: s}

	switch {
	case strings.Contains(s, "\n"):
		n.Style = multilineStyle(s)
	case readsAsOtherType(s):
		n.Style = yaml.DoubleQuotedStyle
	}

	return n
}

// Word makes a node for text of which only YAML 1.2 readers are expected: the
// old booleans (y, on, off …) and sexagesimal numbers stay bare.
func Word(s string) *yaml.Node {
	n := Text(s)
	if oldBool(s) || base60(s) {
		n.Style = 0
	}

	return n
}

// Plain makes a node for a bare word: a number, a boolean or a word that must not be quoted.
func Plain(s string) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Value: s}
}

// Null makes a null node.
func Null() *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null", Value: "null"}
}

// IsNull tells whether a node is null (or absent).
func IsNull(n *yaml.Node) bool {
	return n == nil || n.Kind == 0 || n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null"
}

// IsPlain tells whether a scalar node was written bare, neither quoted nor as a block.
func IsPlain(n *yaml.Node) bool {
	return n.Kind == yaml.ScalarNode &&
		n.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) == 0
}

// multilineStyle picks the literal block for text with line breaks; the
// emitter falls back to quotes where a block would not read back as the same
// text. It does not know that its indentation mark is wrong for text that
// starts with a blank or break, so that is quoted here.
func multilineStyle(s string) yaml.Style {
	if strings.ContainsRune(s, '\r') || strings.ContainsAny(s[:1], " \n\t") {
		return yaml.DoubleQuotedStyle
	}

	return yaml.LiteralStyle
}

// readsAsOtherType tells whether a bare word would be read as null, boolean,
// number or timestamp by YAML 1.2 or 1.1 readers.
func readsAsOtherType(s string) bool {
	if s == "" {
		return true
	}

	probe := yaml.Node{Kind: yaml.ScalarNode, Value: s}
	if t := probe.ShortTag(); t != "!!str" {
		return true
	}

	return oldBool(s) || base60(s) || oldNumber(s)
}

func oldBool(s string) bool {
	switch s {
	case "y", "Y", "yes", "Yes", "YES", "on", "On", "ON", "n", "N", "no", "No", "NO", "off", "Off", "OFF":
		return true
	}

	return false
}

// base60 matches the sexagesimal numbers of YAML 1.1: 12:30, 1:02:03.5.
func base60(s string) bool {
	head, rest, ok := strings.Cut(strings.TrimLeft(s, "+-"), ":")
	if !ok || len(s)-len(strings.TrimLeft(s, "+-")) > 1 || !digits(strings.ReplaceAll(head, "_", "")) || head[0] == '_' {
		return false
	}

	for {
		group, tail, more := strings.Cut(rest, ":")
		if !more {
			group, fraction, dotted := strings.Cut(group, ".")
			if dotted && fraction != "" && !digits(strings.ReplaceAll(fraction, "_", "")) {
				return false
			}

			return sixty(group)
		}

		if !sixty(group) {
			return false
		}

		rest = tail
	}
}

func sixty(s string) bool {
	return len(s) == 1 && digits(s) || len(s) == 2 && digits(s) && s[0] <= '5'
}

// oldNumber matches numbers that older readers know: 0o7 and leading zeros.
func oldNumber(s string) bool {
	return len(s) > 1 && s[0] == '0' && digits(s)
}

func digits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}

	return s != ""
}

// Float makes a node for a floating point number.
func Float(f float64) *yaml.Node {
	switch {
	case math.IsNaN(f):
		return Plain(".nan")
	case math.IsInf(f, 1):
		return Plain(".inf")
	case math.IsInf(f, -1):
		return Plain("-.inf")
	}

	n := new(yaml.Node)
	_ = n.Encode(f) // a finite float64 always encodes

	return n
}
