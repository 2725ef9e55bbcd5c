package spec

import (
	"io/fs"
	"log/slog"

	"github.com/ichor-os/ichor/resource/value"
)

// EtcFileSpecSpec is the spec of [EtcFileSpecs].
type EtcFileSpecSpec struct {
	Contents     value.Text  `yaml:"contents" protobuf:"1"`
	Mode         fs.FileMode `yaml:"mode" protobuf:"2"`
	SELinuxLabel string      `yaml:"selinux_label" protobuf:"3"`
}

// LogValue keeps secrets out of logs.
func (EtcFileSpecSpec) LogValue() slog.Value { return slog.StringValue("redacted") }

// EtcFileStatusSpec is the spec of [EtcFileStatuses].
type EtcFileStatusSpec struct {
	SpecVersion string `yaml:"specVersion" protobuf:"1"`
}
