package scalar

import (
	"fmt"
	"math"
	"strconv"

	"go.yaml.in/yaml/v3"

	"github.com/ichor-os/ichor/config/document"
)

// FileMode is a file's permission bits. It is read from an integer in any
// notation (0o644, 0644, 420) and written in octal.
type FileMode uint32

// DecodeYAML reads an integer; text is refused.
func (m *FileMode) DecodeYAML(n *yaml.Node) error {
	text, err := word(n)
	if err != nil {
		return err
	}

	if !isNumber(n) {
		return fmt.Errorf("permissions %q: want a number such as 0o644, without quotes", text)
	}

	value, negative, err := document.IntegerOf(n)
	if err != nil || negative && value > 0 || value > math.MaxUint32 {
		return fmt.Errorf("permissions %s: want a number such as 0o644", text)
	}

	*m = FileMode(value)

	return nil
}

// EncodeYAML writes 0oNNN.
func (m FileMode) EncodeYAML() *yaml.Node { return document.Plain(m.String()) }

// String writes 0oNNN.
func (m FileMode) String() string { return "0o" + strconv.FormatUint(uint64(m), 8) }

// JSONSchema accepts a number.
func (m FileMode) JSONSchema() map[string]any {
	return map[string]any{"type": "integer", "minimum": 0, "maximum": math.MaxUint32}
}

// Form names the form of the value for readers.
func (FileMode) Form() string { return "permissions" }
