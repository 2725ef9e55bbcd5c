package scalar

import (
	"strconv"

	"go.yaml.in/yaml/v3"

	"github.com/ichor-os/ichor/config/document"
)

// Switch is a boolean in a map: null is read as off, but does not replace
// another value, while a false that was written does.
type Switch struct {
	on, given bool
}

// On makes a switch that is on or off.
func On(on bool) Switch { return Switch{on: on, given: true} }

// IsOn tells whether the switch is on.
func (s Switch) IsOn() bool { return s.on }

// DecodeYAML reads a boolean or null.
func (s *Switch) DecodeYAML(n *yaml.Node) error {
	if document.IsNull(n) {
		*s = Switch{}

		return nil
	}

	on, err := document.BooleanOf(n)
	*s = On(on)

	return err
}

// DecodesNull says that null is a value of its own.
func (Switch) DecodesNull() bool { return true }

// EncodeYAML writes true or false.
func (s Switch) EncodeYAML() *yaml.Node { return document.Plain(strconv.FormatBool(s.on)) }

// IsZero tells whether neither true nor false was given.
func (s Switch) IsZero() bool { return !s.given }

// JSONSchema accepts booleans, their words and null.
func (Switch) JSONSchema() map[string]any {
	return map[string]any{"anyOf": []any{
		map[string]any{"type": []any{"boolean", "null"}},
		map[string]any{"enum": []any{
			"yes", "Yes", "YES", "no", "No", "NO", "on", "On", "ON", "off", "Off", "OFF", "y", "Y", "n", "N",
		}},
	}}
}

// Form names the form of the value for readers.
func (Switch) Form() string { return "true or false" }
