package block

import "github.com/ichor-os/ichor/config/document"

// Names of the volumes that the system itself uses.
const (
	StateVolume      = "STATE"
	EphemeralVolume  = "EPHEMERAL"
	ImageCacheVolume = "IMAGECACHE"
)

// VolumeKind is the kind VolumeConfig.
var VolumeKind = &document.Kind{
	APIVersion: document.V1Alpha1, Kind: "VolumeConfig", Named: true, Since: "1.13",
	New: func() document.Document { return new(VolumeConfig) },
	Doc: "Sets up one of the volumes that the system itself uses: STATE, EPHEMERAL or IMAGECACHE.",
	Example: `apiVersion: v1alpha1
kind: VolumeConfig
name: EPHEMERAL
provisioning:
  diskSelector:
    match: disk.transport == "nvme"
  minSize: 20GiB
  maxSize: 100GiB
encryption:
  provider: luks2
  keys:
    - slot: 0
      tpm: {}
`,
}

// VolumeConfig sets up a system volume.
type VolumeConfig struct {
	DocName      string           `yaml:"name" doc:"Name of the volume: STATE, EPHEMERAL or IMAGECACHE."`
	Provisioning Provisioning     `yaml:"provisioning,omitempty" change:"reboot" doc:"Where the volume is made and how large it is. Not for STATE."`
	Filesystem   SystemFilesystem `yaml:"filesystem,omitempty" since:"1.14" change:"reboot" doc:"How the file system of a new volume is made."`
	Encryption   Encryption       `yaml:"encryption,omitempty" change:"reboot" doc:"How the volume is encrypted."`
	Mount        Mount            `yaml:"mount,omitempty" change:"reboot" doc:"How the volume is mounted."`
	Trim         Trim             `yaml:"trim,omitempty" since:"1.14" doc:"Telling the disk which blocks are unused, for this volume."`
	Scrub        Scrub            `yaml:"scrub,omitempty" since:"1.14" doc:"Checks of the file system, for this volume."`
}

// Mount says how a system volume is mounted.
type Mount struct {
	Secure            *bool `yaml:"secure,omitempty" doc:"Whether device files and set-user-ID programs on the volume are ignored." default:"true"`
	DisableAccessTime *bool `yaml:"disableAccessTime,omitempty" since:"1.14" doc:"Whether the times of last access are not recorded." default:"false"`
}

// SystemFilesystem says how the file system of a system volume is made.
type SystemFilesystem struct {
	XFS XFS `yaml:"xfs,omitempty" doc:"Settings that only xfs has."`
}

// Kind returns VolumeKind.
func (c *VolumeConfig) Kind() *document.Kind { return VolumeKind }

// Name is the volume's name.
func (c *VolumeConfig) Name() string { return c.DocName }

// Validate checks the document.
func (c *VolumeConfig) Validate(v *document.Validation) {
	switch c.DocName {
	case EphemeralVolume, ImageCacheVolume:
		c.Provisioning.validate(v.At("provisioning"))
	case StateVolume:
		if !c.Provisioning.IsZero() {
			v.Errorf("provisioning", "the volume STATE cannot be provisioned").Fix("remove the section")
		}

		for i, k := range c.Encryption.Keys {
			if k.LockToState != nil && *k.LockToState {
				v.At("encryption").Item("keys", i).Errorf("lockToState", "a key of the volume STATE cannot depend on it").Fix("remove lockToState")
			}
		}
	default:
		v.Errorf("name", "there is no system volume of this name: %q", c.DocName).Fix("use STATE, EPHEMERAL or IMAGECACHE, or the kind UserVolumeConfig")

		return
	}

	c.Filesystem.XFS.advise(v.At("filesystem.xfs"))
	c.Encryption.validate(v.At("encryption"))
	validateUpkeep(v, c.Trim, c.Scrub)
}
