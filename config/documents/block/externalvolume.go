package block

import "github.com/ichor-os/ichor/config/document"

// ExternalVolumeKind is the kind ExternalVolumeConfig.
var ExternalVolumeKind = &document.Kind{
	APIVersion: document.V1Alpha1, Kind: "ExternalVolumeConfig", Named: true, Since: "1.13",
	New: func() document.Document { return new(ExternalVolumeConfig) },
	Doc: "Mounts a folder that a hypervisor shares with the machine, at /var/mnt/NAME.",
	Example: `apiVersion: v1alpha1
kind: ExternalVolumeConfig
name: share
filesystemType: virtiofs
mount:
  virtiofs:
    tag: media
`,
}

// ExternalVolumeConfig mounts a shared folder.
type ExternalVolumeConfig struct {
	DocName        string        `yaml:"name" doc:"Name of the volume: 1 to 34 letters, digits and dashes."`
	FilesystemType Filesystem    `yaml:"filesystemType,omitempty" doc:"How the folder is shared." enum:"virtiofs"`
	Mount          ExternalMount `yaml:"mount,omitempty" doc:"How the folder is mounted."`
}

// ExternalMount says how a shared folder is mounted.
type ExternalMount struct {
	ReadOnly          *bool          `yaml:"readOnly,omitempty" doc:"Whether the folder is mounted read-only." default:"false"`
	DisableAccessTime *bool          `yaml:"disableAccessTime,omitempty" doc:"Whether the times of last access are not recorded." default:"false"`
	Secure            *bool          `yaml:"secure,omitempty" doc:"Whether device files and set-user-ID programs in the folder are ignored." default:"true"`
	Virtiofs          *VirtiofsMount `yaml:"virtiofs,omitempty" doc:"Keys for filesystemType virtiofs."`
}

// VirtiofsMount names a virtiofs share.
type VirtiofsMount struct {
	Tag string `yaml:"tag,omitempty" doc:"Tag that the hypervisor gave the folder."`
}

// Kind returns ExternalVolumeKind.
func (c *ExternalVolumeConfig) Kind() *document.Kind { return ExternalVolumeKind }

// Name is the volume's name.
func (c *ExternalVolumeConfig) Name() string { return c.DocName }

// Validate checks the document.
func (c *ExternalVolumeConfig) Validate(v *document.Validation) {
	checkVolumeName(v, c.DocName)

	if c.FilesystemType != FilesystemVirtiofs {
		v.Errorf("filesystemType", "file system is not supported: %q", c.FilesystemType).Fix("use virtiofs")
	}

	if c.Mount.Virtiofs == nil || c.Mount.Virtiofs.Tag == "" {
		v.Errorf("mount.virtiofs.tag", "tag is missing").Fix("add the tag that the hypervisor gave the folder")
	}
}
