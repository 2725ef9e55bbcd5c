package spec

import (
	"log/slog"

	"go.yaml.in/yaml/v3"

	"github.com/ichor-os/ichor/resource/value"
)

// The ids of [MachineConfigs].
const (
	Active     = "v1alpha1"
	Persistent = "persistent"
)

// MachineConfigSpec is the spec of [MachineConfigs]: all documents as they
// were written. In YAML it is one string that holds them.
type MachineConfigSpec struct {
	Documents []byte `protobuf:"1"`
}

// LogValue keeps secrets out of logs.
func (MachineConfigSpec) LogValue() slog.Value { return slog.StringValue("redacted") }

// MarshalYAML gives the documents as a string.
func (s MachineConfigSpec) MarshalYAML() (any, error) { return string(s.Documents), nil }

// UnmarshalYAML reads the string.
func (s *MachineConfigSpec) UnmarshalYAML(node *yaml.Node) error {
	var text string
	if err := node.Decode(&text); err != nil {
		return err
	}
	s.Documents = []byte(text)
	return nil
}

// MachineTypeSpec is the spec of [MachineTypes]. In YAML it is the word alone.
type MachineTypeSpec struct {
	Type value.MachineType `protobuf:"1"`
}

// MarshalYAML gives the word.
func (s MachineTypeSpec) MarshalYAML() (any, error) { return s.Type, nil }

// UnmarshalYAML reads the word.
func (s *MachineTypeSpec) UnmarshalYAML(node *yaml.Node) error { return node.Decode(&s.Type) }
