package spec

import (
	"io/fs"
	"log/slog"

	"github.com/ichor-os/ichor/resource"
	"github.com/ichor-os/ichor/resource/value"
)

// What is done with a file of the config.
const (
	OpCreate    = "create"    // only where there is none
	OpAppend    = "append"    // unless the file has the text already
	OpOverwrite = "overwrite" // whatever is there
)

// MachineFileSpec is a file that the config wants.
type MachineFileSpec struct {
	Content value.Text  `yaml:"content" protobuf:"1"`
	Mode    fs.FileMode `yaml:"mode" protobuf:"2"`
	Op      string      `yaml:"op" protobuf:"3"`
}

// LogValue keeps secrets out of logs.
func (MachineFileSpec) LogValue() slog.Value { return slog.StringValue("redacted") }

// MachineFileStatusSpec tells what became of it.
type MachineFileStatusSpec struct {
	Written bool `yaml:"written" protobuf:"1"`
	// Problem is why it was not written.
	Problem string `yaml:"problem,omitempty" protobuf:"2"`
}

// The kinds that clients of other systems do not know. Ids are paths.
var (
	// MachineFiles: a file that the config wants.
	MachineFiles = resource.Define[MachineFileSpec]("MachineFiles.ichor.dev",
		resource.Namespace("files"), resource.DisplayType("MachineFile"), resource.Sensitive())
	// MachineFileStatuses: whether it is there.
	MachineFileStatuses = resource.Define[MachineFileStatusSpec]("MachineFileStatuses.ichor.dev",
		resource.Namespace("files"), resource.DisplayType("MachineFileStatus"), resource.Columns(
			resource.Column{Name: "Written", Path: "{.written}"},
			resource.Column{Name: "Problem", Path: "{.problem}"},
		))
)

// Own lists them.
func Own() []resource.AnyKind { return []resource.AnyKind{MachineFiles, MachineFileStatuses} }
