package block

import "github.com/ichor-os/ichor/config/document"

// SwapVolumeKind is the kind SwapVolumeConfig.
var SwapVolumeKind = &document.Kind{
	APIVersion: document.V1Alpha1, Kind: "SwapVolumeConfig", Named: true, Since: "1.13",
	New: func() document.Document { return new(SwapVolumeConfig) },
	Doc: "Makes a partition and swaps memory to it.",
	Example: `apiVersion: v1alpha1
kind: SwapVolumeConfig
name: swap1
provisioning:
  diskSelector:
    match: disk.transport == "nvme"
  minSize: 4GiB
  maxSize: 8GiB
`,
}

// SwapVolumeConfig makes a partition for swapping.
type SwapVolumeConfig struct {
	DocName      string       `yaml:"name" doc:"Name of the volume: 1 to 34 letters, digits and dashes."`
	Provisioning Provisioning `yaml:"provisioning,omitempty" doc:"Where the volume is made and how large it is."`
	Encryption   Encryption   `yaml:"encryption,omitempty" doc:"How the volume is encrypted."`
}

// Kind returns SwapVolumeKind.
func (c *SwapVolumeConfig) Kind() *document.Kind { return SwapVolumeKind }

// Name is the volume's name.
func (c *SwapVolumeConfig) Name() string { return c.DocName }

// Validate checks the document.
func (c *SwapVolumeConfig) Validate(v *document.Validation) {
	checkVolumeName(v, c.DocName)
	c.Provisioning.validateNeeded(v.At("provisioning"))
	c.Provisioning.validate(v.At("provisioning"))
	c.Encryption.validate(v.At("encryption"))
}
