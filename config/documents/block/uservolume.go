package block

import (
	"reflect"

	"github.com/ichor-os/ichor/config/document"
	"github.com/ichor-os/ichor/config/scalar"
)

type (
	// VolumeType is what a volume is made of. Only partition, disk and
	// directory may be asked for.
	VolumeType = scalar.Enum[volumeTypes]
	// Filesystem is a file system. Only ext4, xfs and virtiofs may be asked for.
	Filesystem = scalar.Enum[filesystems]

	volumeTypes struct{}
	filesystems struct{}
)

// Values that rules and nodes ask for.
const (
	VolumeTypePartition VolumeType = "partition"
	VolumeTypeDisk      VolumeType = "disk"
	VolumeTypeDirectory VolumeType = "directory"

	FilesystemExt4     Filesystem = "ext4"
	FilesystemXFS      Filesystem = "xfs"
	FilesystemVirtiofs Filesystem = "virtiofs"
)

func (volumeTypes) Words() []string {
	return []string{"partition", "disk", "tmpfs", "directory", "symlink", "overlay", "external"}
}

func (filesystems) Words() []string {
	return []string{"none", "xfs", "vfat", "ext4", "iso9660", "swap", "virtiofs", "btrfs"}
}

// Absent is the file system that means: not given.
func (filesystems) Absent() string { return "none" }

// UserVolumeKind is the kind UserVolumeConfig.
var UserVolumeKind = &document.Kind{
	APIVersion: document.V1Alpha1, Kind: "UserVolumeConfig", Named: true, Since: "1.13",
	New:           func() document.Document { return new(UserVolumeConfig) },
	ConflictsWith: []string{"ExistingVolumeConfig"},
	Doc:           "Makes a volume for workloads, mounted at /var/mnt/NAME.",
	Example: `apiVersion: v1alpha1
kind: UserVolumeConfig
name: ledger
provisioning:
  diskSelector:
    match: '!system_disk && disk.size > 20u * GiB'
  minSize: 10GiB
  maxSize: 50%
filesystem:
  type: xfs
`,
}

// UserVolumeConfig makes a volume for workloads.
type UserVolumeConfig struct {
	DocName      string         `yaml:"name" doc:"Name of the volume: 1 to 34 letters, digits and dashes."`
	VolumeType   *VolumeType    `yaml:"volumeType,omitempty" doc:"What the volume is made of: a partition, a whole disk, or a directory of the EPHEMERAL volume." enum:"directory,disk,partition" default:"partition"`
	Provisioning Provisioning   `yaml:"provisioning,omitempty" doc:"Where the volume is made and how large it is."`
	Filesystem   FilesystemSpec `yaml:"filesystem,omitempty" doc:"File system of the volume."`
	Encryption   Encryption     `yaml:"encryption,omitempty" doc:"How the volume is encrypted."`
	Mount        UserMount      `yaml:"mount,omitempty" doc:"How the volume is mounted."`
	Trim         Trim           `yaml:"trim,omitempty" since:"1.14" doc:"Telling the disk which blocks are unused, for this volume."`
	Scrub        Scrub          `yaml:"scrub,omitempty" since:"1.14" doc:"Checks of the file system, for this volume."`
}

// FilesystemSpec chooses a file system.
type FilesystemSpec struct {
	Type                Filesystem `yaml:"type,omitempty" doc:"File system to format a new volume with." enum:"ext4,xfs" default:"xfs"`
	ProjectQuotaSupport *bool      `yaml:"projectQuotaSupport,omitempty" doc:"Whether quotas can be kept for directories; xfs only." default:"false"`
	XFS                 XFS        `yaml:"xfs,omitempty" since:"1.14" doc:"Settings that only xfs has."`
}

// UserMount says how a volume for workloads is mounted.
type UserMount struct {
	DisableAccessTime *bool `yaml:"disableAccessTime,omitempty" doc:"Whether the times of last access are not recorded." default:"false"`
	Secure            *bool `yaml:"secure,omitempty" doc:"Whether device files and set-user-ID programs on the volume are ignored." default:"true"`
}

// Kind returns UserVolumeKind.
func (c *UserVolumeConfig) Kind() *document.Kind { return UserVolumeKind }

// Name is the volume's name.
func (c *UserVolumeConfig) Name() string { return c.DocName }

// Type is what the volume is made of: a partition unless said otherwise.
func (c *UserVolumeConfig) Type() VolumeType {
	if c.VolumeType == nil {
		return VolumeTypePartition
	}

	return *c.VolumeType
}

// FilesystemType is the file system of the volume: xfs unless said otherwise.
func (c *UserVolumeConfig) FilesystemType() Filesystem {
	if c.Filesystem.Type.IsZero() {
		return FilesystemXFS
	}

	return c.Filesystem.Type
}

// Validate checks the document.
func (c *UserVolumeConfig) Validate(v *document.Validation) {
	checkVolumeName(v, c.DocName)

	switch c.Type() {
	case VolumeTypeDirectory:
		c.validateDirectory(v)

		return
	case VolumeTypeDisk:
		c.validateDisk(v.At("provisioning"))
	case VolumeTypePartition:
		c.Provisioning.validateNeeded(v.At("provisioning"))
	default:
		v.Errorf("volumeType", "volume type is not supported: %s", c.Type()).Fix("use partition, disk or directory")

		return
	}

	c.Provisioning.validate(v.At("provisioning"))
	c.Filesystem.validate(v.At("filesystem"))
	c.Encryption.validate(v.At("encryption"))
	validateUpkeep(v, c.Trim, c.Scrub)
}

func (c *UserVolumeConfig) validateDirectory(v *document.Validation) {
	for _, section := range []struct {
		key   string
		given bool
	}{
		{"provisioning", !c.Provisioning.IsZero()},
		{"filesystem", !document.IsZero(reflect.ValueOf(c.Filesystem))},
		{"encryption", !c.Encryption.IsZero()},
		{"mount", c.Mount != UserMount{}},
		{"trim", c.Trim != Trim{}},
		{"scrub", c.Scrub != Scrub{}},
	} {
		if section.given {
			v.Errorf(section.key, "section is given for a volume of type directory").Fix("remove the section, or choose another volumeType")
		}
	}
}

func (c *UserVolumeConfig) validateDisk(v *document.Validation) {
	if c.Provisioning.DiskSelector.Match == "" {
		v.Errorf("diskSelector.match", "disk selector is missing").Fix("add an expression, such as %q", "!system_disk")
	}

	for _, size := range []struct {
		key   string
		given bool
	}{
		{"minSize", !c.Provisioning.MinSize.IsZero()},
		{"maxSize", !c.Provisioning.MaxSize.IsZero()},
		{"grow", c.Provisioning.Grow != nil},
	} {
		if size.given {
			v.Errorf(size.key, "a volume of type disk has no size of its own").Fix("remove the key")
		}
	}
}

func (f *FilesystemSpec) validate(v *document.Validation) {
	switch f.Type {
	case "", FilesystemExt4, FilesystemXFS:
	default:
		v.Errorf("type", "file system is not supported: %s", f.Type).Fix("use xfs or ext4")
	}

	if f.ProjectQuotaSupport != nil && *f.ProjectQuotaSupport && f.Type != "" && f.Type != FilesystemXFS {
		v.Errorf("projectQuotaSupport", "quotas for directories need xfs, not %s", f.Type).Fix("use type: xfs")
	}

	if !f.XFS.MinAllocationGroupSize.IsZero() {
		if f.Type != "" && f.Type != FilesystemXFS {
			v.Advisef("xfs", "the section has no meaning for %s", f.Type).Fix("remove it, or use type: xfs")
		}

		f.XFS.advise(v.At("xfs"))
	}
}
