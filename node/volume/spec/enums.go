package spec

import "github.com/ichor-os/ichor/resource/enum"

// VolumeType is what a volume is made of.
type VolumeType int32

// The values of VolumeType.
const (
	VolumeTypePartition VolumeType = 0
	VolumeTypeDisk      VolumeType = 1
	VolumeTypeTmpfs     VolumeType = 2
	VolumeTypeDirectory VolumeType = 3
	VolumeTypeSymlink   VolumeType = 4
	VolumeTypeOverlay   VolumeType = 5
	VolumeTypeExternal  VolumeType = 6
)

var volumeTypeNames = enum.New(map[VolumeType]string{
	VolumeTypePartition: "partition",
	VolumeTypeDisk:      "disk",
	VolumeTypeTmpfs:     "tmpfs",
	VolumeTypeDirectory: "directory",
	VolumeTypeSymlink:   "symlink",
	VolumeTypeOverlay:   "overlay",
	VolumeTypeExternal:  "external",
})

// String gives the word.
func (v VolumeType) String() string { return volumeTypeNames.Text(v) }

// MarshalText gives the word.
func (v VolumeType) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText reads a word, or a number that has none.
func (v *VolumeType) UnmarshalText(text []byte) error { return volumeTypeNames.Parse(text, v) }

// FilesystemType is what a volume is formatted with.
type FilesystemType int32

// The values of FilesystemType.
const (
	FilesystemTypeNone     FilesystemType = 0
	FilesystemTypeXfs      FilesystemType = 1
	FilesystemTypeVfat     FilesystemType = 2
	FilesystemTypeExt4     FilesystemType = 3
	FilesystemTypeIso9660  FilesystemType = 4
	FilesystemTypeSwap     FilesystemType = 5
	FilesystemTypeVirtiofs FilesystemType = 6
	FilesystemTypeBtrfs    FilesystemType = 7
)

var filesystemTypeNames = enum.New(map[FilesystemType]string{
	FilesystemTypeNone:     "none",
	FilesystemTypeXfs:      "xfs",
	FilesystemTypeVfat:     "vfat",
	FilesystemTypeExt4:     "ext4",
	FilesystemTypeIso9660:  "iso9660",
	FilesystemTypeSwap:     "swap",
	FilesystemTypeVirtiofs: "virtiofs",
	FilesystemTypeBtrfs:    "btrfs",
})

// String gives the word.
func (v FilesystemType) String() string { return filesystemTypeNames.Text(v) }

// MarshalText gives the word.
func (v FilesystemType) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText reads a word, or a number that has none.
func (v *FilesystemType) UnmarshalText(text []byte) error { return filesystemTypeNames.Parse(text, v) }

// EncryptionProviderType is how a volume is encrypted.
type EncryptionProviderType int32

// The values of EncryptionProviderType.
const (
	EncryptionProviderTypeNone  EncryptionProviderType = 0
	EncryptionProviderTypeLuks2 EncryptionProviderType = 1
)

var encryptionProviderTypeNames = enum.New(map[EncryptionProviderType]string{
	EncryptionProviderTypeNone:  "none",
	EncryptionProviderTypeLuks2: "luks2",
})

// String gives the word.
func (v EncryptionProviderType) String() string { return encryptionProviderTypeNames.Text(v) }

// MarshalText gives the word.
func (v EncryptionProviderType) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText reads a word, or a number that has none.
func (v *EncryptionProviderType) UnmarshalText(text []byte) error {
	return encryptionProviderTypeNames.Parse(text, v)
}

// EncryptionKeyType is where the key of a volume comes from.
type EncryptionKeyType int32

// The values of EncryptionKeyType.
const (
	EncryptionKeyTypeStatic EncryptionKeyType = 0
	EncryptionKeyTypeNodeID EncryptionKeyType = 1
	EncryptionKeyTypeKMS    EncryptionKeyType = 2
	EncryptionKeyTypeTPM    EncryptionKeyType = 3
)

var encryptionKeyTypeNames = enum.New(map[EncryptionKeyType]string{
	EncryptionKeyTypeStatic: "static",
	EncryptionKeyTypeNodeID: "nodeID",
	EncryptionKeyTypeKMS:    "kms",
	EncryptionKeyTypeTPM:    "tpm",
})

// String gives the word.
func (v EncryptionKeyType) String() string { return encryptionKeyTypeNames.Text(v) }

// MarshalText gives the word.
func (v EncryptionKeyType) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText reads a word, or a number that has none.
func (v *EncryptionKeyType) UnmarshalText(text []byte) error {
	return encryptionKeyTypeNames.Parse(text, v)
}

// FSParameterType is how a mount parameter is passed (fsconfig).
type FSParameterType int32

// The values of FSParameterType.
const (
	FSParameterTypeString  FSParameterType = 0
	FSParameterTypeBoolean FSParameterType = 1
	FSParameterTypeBinary  FSParameterType = 2
)

var fsParameterTypeNames = enum.New(map[FSParameterType]string{
	FSParameterTypeString:  "string",
	FSParameterTypeBoolean: "boolean",
	FSParameterTypeBinary:  "binary",
})

// String gives the word.
func (v FSParameterType) String() string { return fsParameterTypeNames.Text(v) }

// MarshalText gives the word.
func (v FSParameterType) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText reads a word, or a number that has none.
func (v *FSParameterType) UnmarshalText(text []byte) error {
	return fsParameterTypeNames.Parse(text, v)
}

// VolumePhase is where a volume is in its life.
type VolumePhase int32

// The values of VolumePhase.
const (
	VolumePhaseWaiting     VolumePhase = 0
	VolumePhaseFailed      VolumePhase = 1
	VolumePhaseMissing     VolumePhase = 2
	VolumePhaseLocated     VolumePhase = 3
	VolumePhaseProvisioned VolumePhase = 4
	VolumePhasePrepared    VolumePhase = 5
	VolumePhaseReady       VolumePhase = 6
	VolumePhaseClosed      VolumePhase = 7
)

var volumePhaseNames = enum.New(map[VolumePhase]string{
	VolumePhaseWaiting:     "waiting",
	VolumePhaseFailed:      "failed",
	VolumePhaseMissing:     "missing",
	VolumePhaseLocated:     "located",
	VolumePhaseProvisioned: "provisioned",
	VolumePhasePrepared:    "prepared",
	VolumePhaseReady:       "ready",
	VolumePhaseClosed:      "closed",
})

// String gives the word.
func (v VolumePhase) String() string { return volumePhaseNames.Text(v) }

// MarshalText gives the word.
func (v VolumePhase) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText reads a word, or a number that has none.
func (v *VolumePhase) UnmarshalText(text []byte) error { return volumePhaseNames.Parse(text, v) }
