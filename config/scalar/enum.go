package scalar

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/ichor-os/ichor/config/document"
)

// Words is the list of words that an enumeration knows, as they are written.
// It is implemented by an empty struct for each enumeration.
type Words interface {
	Words() []string
}

// Defaulter is implemented by Words whose enumeration is written as a word even
// when nothing was given.
type Defaulter interface {
	// Default is the word to write for the zero value.
	Default() string
}

// Absenter is implemented by Words with a word that means the same as leaving
// the key out.
type Absenter interface {
	// Absent is the word that is read as the zero value.
	Absent() string
}

// Enum is one of a fixed set of words. It is read in any case and held as the
// Words spell it; "" means not given. Numbers and empty text are refused.
type Enum[W Words] string

// ParseEnum reads a word.
func ParseEnum[W Words](text string) (Enum[W], error) {
	var set W

	words := set.Words()

	i := slices.IndexFunc(words, func(word string) bool { return strings.EqualFold(word, text) })
	if i < 0 {
		return "", fmt.Errorf("value %q: want one of %s", text, strings.Join(words, ", "))
	}

	if a, ok := any(set).(Absenter); ok && words[i] == a.Absent() {
		return "", nil
	}

	return Enum[W](words[i]), nil
}

// DecodeYAML reads a word.
func (e *Enum[W]) DecodeYAML(n *yaml.Node) error {
	text, err := word(n)
	if err != nil {
		return err
	}

	*e, err = ParseEnum[W](text)

	return err
}

// EncodeYAML writes the word.
func (e Enum[W]) EncodeYAML() *yaml.Node { return document.Text(e.String()) }

// String is the word, or the default word when none was given.
func (e Enum[W]) String() string {
	var set W

	if d, ok := any(set).(Defaulter); ok && e == "" {
		return d.Default()
	}

	return string(e)
}

// IsZero tells whether no word was given.
func (e Enum[W]) IsZero() bool { return e == "" }

// JSONSchema lists the words, and accepts them in any case.
func (e Enum[W]) JSONSchema() map[string]any {
	var (
		set      W
		words    []any
		patterns []string
	)

	for _, w := range set.Words() {
		words = append(words, w)
		patterns = append(patterns, anyCase(w))
	}

	return map[string]any{"anyOf": []any{
		map[string]any{"enum": words},
		map[string]any{"type": "string", "pattern": "^(" + strings.Join(patterns, "|") + ")$"},
	}}
}

// anyCase is a regular expression for a word in any case, in the dialect of
// JSON schema, which has no flag for that.
func anyCase(w string) string {
	var b strings.Builder

	for _, r := range w {
		lower, upper := strings.ToLower(string(r)), strings.ToUpper(string(r))

		switch {
		case lower != upper:
			b.WriteString("[" + lower + upper + "]")
		case strings.ContainsRune(`.+*?()[]{}|^$\`, r):
			b.WriteString(`\` + string(r))
		default:
			b.WriteRune(r)
		}
	}

	return b.String()
}

// AllWords lists the words that are read.
func (e Enum[W]) AllWords() []string {
	var set W

	return set.Words()
}

// Form names the form of the value for readers.
func (Enum[W]) Form() string { return "word" }
