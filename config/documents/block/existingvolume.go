package block

import (
	"github.com/ichor-os/ichor/config/cel"
	"github.com/ichor-os/ichor/config/document"
	"github.com/ichor-os/ichor/config/documents/rules"
	"github.com/ichor-os/ichor/config/scalar"
)

// ExistingVolumeKind is the kind ExistingVolumeConfig.
var ExistingVolumeKind = &document.Kind{
	APIVersion: document.V1Alpha1, Kind: "ExistingVolumeConfig", Named: true, Since: "1.13",
	New:           func() document.Document { return new(ExistingVolumeConfig) },
	ConflictsWith: []string{"UserVolumeConfig"},
	Doc:           "Mounts a volume that is there already, at /var/mnt/NAME. Nothing is formatted.",
	Example: `apiVersion: v1alpha1
kind: ExistingVolumeConfig
name: photos
discovery:
  volumeSelector:
    match: volume.label == "photos" && disk.transport != "usb"
mount:
  readOnly: true
`,
}

// ExistingVolumeConfig mounts a volume that is there already.
type ExistingVolumeConfig struct {
	DocName   string        `yaml:"name" doc:"Name of the volume: letters, digits and dashes."`
	Discovery Discovery     `yaml:"discovery,omitempty" doc:"How the volume is found."`
	Mount     ExistingMount `yaml:"mount,omitempty" doc:"How the volume is mounted."`
	Trim      Trim          `yaml:"trim,omitempty" since:"1.14" doc:"Telling the disk which blocks are unused, for this volume."`
	Scrub     Scrub         `yaml:"scrub,omitempty" since:"1.14" doc:"Checks of the file system, for this volume."`
}

// Discovery says how a volume is found.
type Discovery struct {
	VolumeSelector VolumeSelector `yaml:"volumeSelector,omitempty" doc:"Which volume is meant."`
}

// VolumeSelector chooses a volume.
type VolumeSelector struct {
	Match scalar.Expression `yaml:"match,omitempty" doc:"CEL expression over volume and disk that is true for the volume to choose."`
}

// ExistingMount says how a volume that was not made here is mounted.
type ExistingMount struct {
	ReadOnly          *bool `yaml:"readOnly,omitempty" doc:"Whether the volume is mounted read-only." default:"false"`
	DisableAccessTime *bool `yaml:"disableAccessTime,omitempty" doc:"Whether the times of last access are not recorded." default:"false"`
	Secure            *bool `yaml:"secure,omitempty" doc:"Whether device files and set-user-ID programs on the volume are ignored." default:"true"`
}

// Kind returns ExistingVolumeKind.
func (c *ExistingVolumeConfig) Kind() *document.Kind { return ExistingVolumeKind }

// Name is the volume's name.
func (c *ExistingVolumeConfig) Name() string { return c.DocName }

// Validate checks the document.
func (c *ExistingVolumeConfig) Validate(v *document.Validation) {
	checkVolumeCharacters(v, c.DocName)

	const path = "discovery.volumeSelector.match"

	if match := c.Discovery.VolumeSelector.Match; rules.Given(v, path, string(match)) {
		rules.Expression(v, path, cel.Volume, match)
	}

	validateUpkeep(v, c.Trim, c.Scrub)
}
