package storage

import (
	"github.com/ichor-os/ichor/config/cel"
	"github.com/ichor-os/ichor/config/document"
	"github.com/ichor-os/ichor/config/documents/rules"
	"github.com/ichor-os/ichor/config/scalar"
)

// RAIDArrayKind is the kind RAIDArrayConfig.
var RAIDArrayKind = &document.Kind{
	APIVersion: document.V1Alpha1, Kind: "RAIDArrayConfig", Named: true, Since: "1.14",
	New: func() document.Document { return new(RAIDArrayConfig) },
	Doc: "Joins disks or partitions to a software RAID array.",
	Example: `apiVersion: v1alpha1
kind: RAIDArrayConfig
name: mirror0
level: raid1
metadata: "1.2"
provisioning:
  volumeSelector:
    match: volume.partition_label == "raid" && disk.transport == "nvme"
`,
}

// RAIDArrayConfig makes a software RAID array.
type RAIDArrayConfig struct {
	DocName      string           `yaml:"name" doc:"Name of the array: letters, digits and dashes."`
	Level        RAIDLevel        `yaml:"level,omitempty" change:"reboot" doc:"How data is spread over the members." enum:"raid1" default:"raid1"`
	Metadata     RAIDMetadata     `yaml:"metadata,omitempty" change:"reboot" doc:"Format of the array's own data on its members." enum:"1.0,1.2" default:"1.2"`
	Provisioning RAIDProvisioning `yaml:"provisioning,omitempty" doc:"What the array is made of."`
}

// RAIDProvisioning chooses the members of an array.
type RAIDProvisioning struct {
	VolumeSelector VolumeSelector `yaml:"volumeSelector,omitempty" doc:"Volumes that become members."`
}

// VolumeSelector chooses volumes.
type VolumeSelector struct {
	Match scalar.Expression `yaml:"match,omitempty" doc:"CEL expression over volume and disk that is true for the volumes to choose."`
}

type (
	// RAIDLevel is how an array spreads data.
	RAIDLevel = scalar.Enum[raidLevels]
	// RAIDMetadata is the format of an array's own data.
	RAIDMetadata = scalar.Enum[raidMetadata]

	raidLevels   struct{}
	raidMetadata struct{}
)

func (raidLevels) Words() []string   { return []string{"raid1"} }
func (raidMetadata) Words() []string { return []string{"1.0", "1.2"} }

// Kind returns RAIDArrayKind.
func (c *RAIDArrayConfig) Kind() *document.Kind { return RAIDArrayKind }

// Name is the array's name.
func (c *RAIDArrayConfig) Name() string { return c.DocName }

// Validate checks the document.
func (c *RAIDArrayConfig) Validate(v *document.Validation) {
	checkName(v, c.DocName)
	c.Provisioning.VolumeSelector.validate(v.At("provisioning.volumeSelector"))
}

func (s *VolumeSelector) validate(v *document.Validation) {
	if rules.Given(v, "match", string(s.Match)) {
		rules.Expression(v, "match", cel.Volume, s.Match)
	}
}
