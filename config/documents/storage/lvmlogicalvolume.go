package storage

import (
	"github.com/ichor-os/ichor/config/document"
	"github.com/ichor-os/ichor/config/documents/rules"
	"github.com/ichor-os/ichor/config/scalar"
)

// LVMLogicalVolumeKind is the kind LVMLogicalVolumeConfig.
var LVMLogicalVolumeKind = &document.Kind{
	APIVersion: document.V1Alpha1, Kind: "LVMLogicalVolumeConfig", Named: true, Since: "1.14",
	New: func() document.Document { return new(LVMLogicalVolumeConfig) },
	Doc: "Makes a logical volume in an LVM volume group.",
	Example: `apiVersion: v1alpha1
kind: LVMLogicalVolumeConfig
name: images
type: linear
provisioning:
  volumeGroup: data
  minSize: 10GiB
  maxSize: 50%
`,
}

// LVMLogicalVolumeConfig makes a logical volume.
type LVMLogicalVolumeConfig struct {
	DocName      string                 `yaml:"name" doc:"Name of the logical volume: letters, digits and dashes."`
	Type         LogicalVolumeType      `yaml:"type,omitempty" doc:"How data is spread over the members of the group." enum:"linear,raid0,raid1,raid10" default:"linear"`
	Mirrors      int                    `yaml:"mirrors,omitempty" doc:"Number of further copies of the data (raid1, raid10)."`
	Stripes      int                    `yaml:"stripes,omitempty" doc:"Number of members that data is striped over (raid0, raid10)."`
	Provisioning LogicalVolumeProvision `yaml:"provisioning,omitempty" doc:"Where the volume is made and how large it is."`
}

// LogicalVolumeProvision says where a logical volume is made.
type LogicalVolumeProvision struct {
	VolumeGroup string               `yaml:"volumeGroup,omitempty" doc:"Name of the volume group."`
	MinSize     scalar.Size          `yaml:"minSize,omitempty" doc:"Smallest size that the volume may have, such as 10GiB."`
	MaxSize     scalar.SizeOrPercent `yaml:"maxSize,omitempty" doc:"Largest size, such as 100GiB or 50% of the group."`
}

type (
	// LogicalVolumeType is how a logical volume spreads data.
	LogicalVolumeType = scalar.Enum[logicalVolumeTypes]

	logicalVolumeTypes struct{}
)

func (logicalVolumeTypes) Words() []string { return []string{"linear", "raid0", "raid1", "raid10"} }

// Kind returns LVMLogicalVolumeKind.
func (c *LVMLogicalVolumeConfig) Kind() *document.Kind { return LVMLogicalVolumeKind }

// Name is the volume's name.
func (c *LVMLogicalVolumeConfig) Name() string { return c.DocName }

// Validate checks the document.
func (c *LVMLogicalVolumeConfig) Validate(v *document.Validation) {
	checkName(v, c.DocName)

	for _, number := range []struct {
		key   string
		value int
	}{{"mirrors", c.Mirrors}, {"stripes", c.Stripes}} {
		if number.value < 0 {
			v.Errorf(number.key, "number is negative: %d", number.value).Fix("use 0 or more")
		}
	}

	if c.Mirrors > 0 && c.Type != "raid1" && c.Type != "raid10" {
		v.Errorf("mirrors", "mirrors need type raid1 or raid10")
	}

	if c.Stripes > 0 && c.Type != "raid0" && c.Type != "raid10" {
		v.Errorf("stripes", "stripes need type raid0 or raid10")
	}

	p, at := c.Provisioning, v.At("provisioning")

	rules.Given(at, "volumeGroup", p.VolumeGroup)

	if p.MinSize.IsZero() && p.MaxSize.IsZero() {
		at.Errorf("minSize", "neither minSize nor maxSize is given").Fix("add at least one of the two")
	}

	if p.MinSize.IsNegative() {
		at.Errorf("minSize", "size is negative: %s", p.MinSize).Fix("use 0 or more")
	}

	if !p.MinSize.IsZero() && !p.MaxSize.IsZero() && !p.MaxSize.IsPercent() && !p.MaxSize.IsNegative() && p.MinSize.Bytes() > p.MaxSize.Bytes() {
		at.Errorf("minSize", "smallest size is above the largest: %s, %s", p.MinSize, p.MaxSize).Fix("lower minSize or raise maxSize")
	}
}
