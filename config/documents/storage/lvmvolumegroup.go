package storage

import (
	"github.com/ichor-os/ichor/config/document"
)

// LVMVolumeGroupKind is the kind LVMVolumeGroupConfig.
var LVMVolumeGroupKind = &document.Kind{
	APIVersion: document.V1Alpha1, Kind: "LVMVolumeGroupConfig", Named: true, Since: "1.14",
	New: func() document.Document { return new(LVMVolumeGroupConfig) },
	Doc: "Joins volumes to an LVM volume group.",
	Example: `apiVersion: v1alpha1
kind: LVMVolumeGroupConfig
name: data
provisioning:
  volumeSelector:
    match: disk.transport == "sata" && volume.size > 100u * GiB
`,
}

// LVMVolumeGroupConfig makes a volume group.
type LVMVolumeGroupConfig struct {
	DocName      string               `yaml:"name" doc:"Name of the volume group: letters, digits and dashes."`
	Provisioning VolumeGroupProvision `yaml:"provisioning,omitempty" doc:"What the group is made of."`
}

// VolumeGroupProvision chooses the members of a volume group.
type VolumeGroupProvision struct {
	VolumeSelector VolumeSelector `yaml:"volumeSelector,omitempty" doc:"Volumes that become members."`
}

// Kind returns LVMVolumeGroupKind.
func (c *LVMVolumeGroupConfig) Kind() *document.Kind { return LVMVolumeGroupKind }

// Name is the group's name.
func (c *LVMVolumeGroupConfig) Name() string { return c.DocName }

// Validate checks the document.
func (c *LVMVolumeGroupConfig) Validate(v *document.Validation) {
	checkName(v, c.DocName)
	c.Provisioning.VolumeSelector.validate(v.At("provisioning.volumeSelector"))
}
