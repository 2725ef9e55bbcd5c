package block

import "github.com/ichor-os/ichor/config/document"

// RawVolumeKind is the kind RawVolumeConfig.
var RawVolumeKind = &document.Kind{
	APIVersion: document.V1Alpha1, Kind: "RawVolumeConfig", Named: true, Since: "1.13",
	New: func() document.Document { return new(RawVolumeConfig) },
	Doc: "Makes a partition without a file system, for programs that want a block device.",
	Example: `apiVersion: v1alpha1
kind: RawVolumeConfig
name: osd-1
provisioning:
  diskSelector:
    match: disk.serial == "S-4411"
  minSize: 10GiB
  grow: true
`,
}

// RawVolumeConfig makes a partition without a file system.
type RawVolumeConfig struct {
	DocName      string       `yaml:"name" doc:"Name of the volume: 1 to 34 letters, digits and dashes."`
	Provisioning Provisioning `yaml:"provisioning,omitempty" doc:"Where the volume is made and how large it is."`
	Encryption   Encryption   `yaml:"encryption,omitempty" doc:"How the volume is encrypted."`
}

// Kind returns RawVolumeKind.
func (c *RawVolumeConfig) Kind() *document.Kind { return RawVolumeKind }

// Name is the volume's name.
func (c *RawVolumeConfig) Name() string { return c.DocName }

// Validate checks the document.
func (c *RawVolumeConfig) Validate(v *document.Validation) {
	checkVolumeName(v, c.DocName)
	c.Provisioning.validateNeeded(v.At("provisioning"))
	c.Provisioning.validate(v.At("provisioning"))
	c.Encryption.validate(v.At("encryption"))
}
