package spec

import (
	"io/fs"
	"log/slog"

	"github.com/ichor-os/ichor/resource/value"
)

// VolumeConfigSpec is the spec of [VolumeConfigs].
type VolumeConfigSpec struct {
	ParentID     string                  `yaml:"parentId,omitempty" protobuf:"1"`
	Type         VolumeType              `yaml:"type" protobuf:"2"`
	Provisioning ProvisioningSpec        `yaml:"provisioning" protobuf:"3"`
	Encryption   EncryptionSpec          `yaml:"encryption,omitempty" protobuf:"6"`
	Locator      LocatorSpec             `yaml:"locator" protobuf:"4"`
	Mount        MountSpec               `yaml:"mount,omitempty" protobuf:"5"`
	Symlink      SymlinkProvisioningSpec `yaml:"symlink,omitempty" protobuf:"7"`
}

// LogValue keeps secrets out of logs.
func (VolumeConfigSpec) LogValue() slog.Value { return slog.StringValue("redacted") }

// ProvisioningSpec is a part of [VolumeConfigSpec].
type ProvisioningSpec struct {
	Wave           int            `yaml:"wave,omitempty" protobuf:"3"`
	DiskSelector   DiskSelector   `yaml:"diskSelector,omitempty" protobuf:"1"`
	PartitionSpec  PartitionSpec  `yaml:"partitionSpec,omitempty" protobuf:"2"`
	FilesystemSpec FilesystemSpec `yaml:"filesystemSpec,omitempty" protobuf:"4"`
}

// DiskSelector is a part of [ProvisioningSpec].
type DiskSelector struct {
	Match    string `yaml:"match,omitempty"`
	External string `yaml:"external,omitempty" protobuf:"2"`
}

// PartitionSpec is a part of [ProvisioningSpec].
type PartitionSpec struct {
	MinSize         uint64 `yaml:"minSize" protobuf:"1"`
	MaxSize         uint64 `yaml:"maxSize,omitempty" protobuf:"2"`
	RelativeMaxSize uint64 `yaml:"relativeMaxSize" protobuf:"6"`
	NegativeMaxSize bool   `yaml:"negativeMaxSize" protobuf:"7"`
	Grow            bool   `yaml:"grow" protobuf:"3"`
	Label           string `yaml:"label,omitempty" protobuf:"4"`
	TypeUUID        string `yaml:"typeUUID,omitempty" protobuf:"5"`
}

// FilesystemSpec is a part of [ProvisioningSpec].
type FilesystemSpec struct {
	Type  FilesystemType `yaml:"type" protobuf:"1"`
	Label string         `yaml:"label,omitempty" protobuf:"2"`
}

// EncryptionSpec is a part of [VolumeConfigSpec].
type EncryptionSpec struct {
	Provider    EncryptionProviderType `yaml:"provider" protobuf:"1"`
	Keys        []EncryptionKey        `yaml:"keys" protobuf:"2"`
	Cipher      string                 `yaml:"cipher,omitempty" protobuf:"3"`
	KeySize     uint                   `yaml:"keySize,omitempty" protobuf:"4"`
	BlockSize   uint64                 `yaml:"blockSize,omitempty" protobuf:"5"`
	PerfOptions []string               `yaml:"perfOptions,omitempty" protobuf:"6"`
}

// EncryptionKey is a part of [EncryptionSpec].
type EncryptionKey struct {
	Slot                             int               `yaml:"slot" protobuf:"1"`
	Type                             EncryptionKeyType `yaml:"type" protobuf:"2"`
	LockToState                      bool              `yaml:"lockToState,omitempty" protobuf:"6"`
	StaticPassphrase                 value.Text        `yaml:"staticPassphrase,omitempty" protobuf:"3"`
	KMSEndpoint                      string            `yaml:"kmsEndpoint,omitempty" protobuf:"4"`
	TPMCheckSecurebootStatusOnEnroll bool              `yaml:"tpmCheckSecurebootStatusOnEnroll,omitempty" protobuf:"5"`
	PCRs                             []int             `yaml:"pcrs,omitempty" protobuf:"7"`
	PubKeyPCRs                       []int             `yaml:"pubKeyPcrs,omitempty" protobuf:"8"`
}

// LocatorSpec is a part of [VolumeConfigSpec].
type LocatorSpec struct {
	Match     string `yaml:"match,omitempty"`
	DiskMatch string `yaml:"diskMatch,omitempty"`
}

// MountSpec is a part of [VolumeConfigSpec].
type MountSpec struct {
	TargetPath          string          `yaml:"targetPath" protobuf:"1"`
	SELinuxLabel        string          `yaml:"selinuxLabel" protobuf:"2"`
	ProjectQuotaSupport bool            `yaml:"projectQuotaSupport" protobuf:"3"`
	ParentID            string          `yaml:"parentId,omitempty" protobuf:"4"`
	FileMode            fs.FileMode     `yaml:"fileMode,omitempty" protobuf:"5"`
	UID                 int             `yaml:"uid,omitempty" protobuf:"6"`
	GID                 int             `yaml:"gid,omitempty" protobuf:"7"`
	RecursiveRelabel    bool            `yaml:"recursiveRelabel,omitempty" protobuf:"8"`
	BindTarget          *string         `yaml:"bindTarget,omitempty" protobuf:"9"`
	Parameters          []ParameterSpec `yaml:"parameters,omitempty" protobuf:"10"`
}

// ParameterSpec is a part of [MountSpec].
type ParameterSpec struct {
	Type   FSParameterType `yaml:"type" protobuf:"1"`
	Name   string          `yaml:"name" protobuf:"2"`
	String *string         `yaml:"string,omitempty" protobuf:"3"`
	Binary []byte          `yaml:"binary,omitempty" protobuf:"5"`
}

// SymlinkProvisioningSpec is a part of [VolumeConfigSpec].
type SymlinkProvisioningSpec struct {
	SymlinkTargetPath string `yaml:"symlinkTargetPath" protobuf:"1"`
	Force             bool   `yaml:"force" protobuf:"2"`
}

// VolumeStatusSpec is the spec of [VolumeStatuses].
type VolumeStatusSpec struct {
	Phase                    VolumePhase              `yaml:"phase" protobuf:"1"`
	PreFailPhase             VolumePhase              `yaml:"preFailPhase,omitempty" protobuf:"6"`
	Type                     VolumeType               `yaml:"type" protobuf:"16"`
	ParentID                 string                   `yaml:"parentID,omitempty" protobuf:"19"`
	Location                 string                   `yaml:"location,omitempty" protobuf:"2"`
	MountLocation            string                   `yaml:"mountLocation,omitempty" protobuf:"11"`
	PartitionIndex           int                      `yaml:"partitionIndex,omitempty" protobuf:"8"`
	ParentLocation           string                   `yaml:"parentLocation,omitempty" protobuf:"7"`
	UUID                     string                   `yaml:"uuid,omitempty" protobuf:"4"`
	PartitionUUID            string                   `yaml:"partitionUUID,omitempty" protobuf:"5"`
	Size                     uint64                   `yaml:"size,omitempty" protobuf:"9"`
	PrettySize               string                   `yaml:"prettySize,omitempty" protobuf:"13"`
	Filesystem               FilesystemType           `yaml:"filesystem,omitempty" protobuf:"10"`
	EncryptionProvider       EncryptionProviderType   `yaml:"encryptionProvider,omitempty" protobuf:"12"`
	EncryptionFailedSyncs    []string                 `yaml:"encryptionFailedSyncs,omitempty" protobuf:"14"`
	ConfiguredEncryptionKeys []string                 `yaml:"configuredEncryptionKeys,omitempty" protobuf:"17"`
	EncryptionLockedToState  bool                     `yaml:"encryptionLockedToState,omitempty" protobuf:"20"`
	EncryptionSlot           *int                     `yaml:"encryptionSlot,omitempty" protobuf:"21"`
	TPMEncryptionOptions     TPMEncryptionOptionsInfo `yaml:"tpmEncryptionOptions,omitempty" protobuf:"22"`
	MountSpec                MountSpec                `yaml:"mountSpec,omitempty" protobuf:"15"`
	Symlink                  SymlinkProvisioningSpec  `yaml:"symlink,omitempty" protobuf:"18"`
	ErrorMessage             string                   `yaml:"errorMessage,omitempty" protobuf:"3"`
}

// TPMEncryptionOptionsInfo is a part of [VolumeStatusSpec].
type TPMEncryptionOptionsInfo struct {
	PCRs       []int `yaml:"pcrs,omitempty" protobuf:"1"`
	PubKeyPCRs []int `yaml:"pubKeyPcrs,omitempty" protobuf:"2"`
}

// VolumeLifecycleSpec is the spec of [VolumeLifecycles].
type VolumeLifecycleSpec struct{}

// VolumeMountRequestSpec is the spec of [VolumeMountRequests].
type VolumeMountRequestSpec struct {
	VolumeID          string `yaml:"volumeID" protobuf:"1"`
	Requester         string `yaml:"requester" protobuf:"2"`
	ReadOnly          bool   `yaml:"readOnly" protobuf:"3"`
	Detached          bool   `yaml:"detached" protobuf:"4"`
	DisableAccessTime bool   `yaml:"disableAccessTime" protobuf:"5"`
	Secure            bool   `yaml:"secure" protobuf:"6"`
}

// VolumeMountStatusSpec is the spec of [VolumeMountStatuses].
type VolumeMountStatusSpec struct {
	VolumeID          string `yaml:"volumeID" protobuf:"1"`
	Requester         string `yaml:"requester" protobuf:"2"`
	Target            string `yaml:"target" protobuf:"3"`
	ReadOnly          bool   `yaml:"readOnly" protobuf:"4"`
	Detached          bool   `yaml:"detached" protobuf:"5"`
	DisableAccessTime bool   `yaml:"disableAccessTime" protobuf:"6"`
	Secure            bool   `yaml:"secure" protobuf:"7"`
}

// MountRequestSpec is the spec of [MountRequests].
type MountRequestSpec struct {
	VolumeID          string   `yaml:"volumeID" protobuf:"1"`
	ParentID          string   `yaml:"parentID" protobuf:"2"`
	ReadOnly          bool     `yaml:"readOnly" protobuf:"5"`
	Detached          bool     `yaml:"detached" protobuf:"6"`
	DisableAccessTime bool     `yaml:"disableAccessTime,omitempty" protobuf:"7"`
	Secure            bool     `yaml:"secure,omitempty" protobuf:"8"`
	Requesters        []string `yaml:"requesters" protobuf:"3"`
	RequesterIDs      []string `yaml:"requesterIDs" protobuf:"4"`
}

// MountStatusSpec is the spec of [MountStatuses].
type MountStatusSpec struct {
	Spec                MountRequestSpec       `yaml:"spec" protobuf:"1"`
	Source              string                 `yaml:"source" protobuf:"3"`
	Target              string                 `yaml:"target" protobuf:"2"`
	Filesystem          FilesystemType         `yaml:"filesystem" protobuf:"4"`
	EncryptionProvider  EncryptionProviderType `yaml:"encryptionProvider,omitempty" protobuf:"7"`
	ReadOnly            bool                   `yaml:"readOnly" protobuf:"5"`
	ProjectQuotaSupport bool                   `yaml:"projectQuotaSupport" protobuf:"6"`
	Detached            bool                   `yaml:"detached" protobuf:"8"`
}

// UserDiskConfigStatusSpec is the spec of [UserDiskConfigStatuses].
type UserDiskConfigStatusSpec struct {
	Ready    bool `yaml:"ready" protobuf:"1"`
	TornDown bool `yaml:"tornDown" protobuf:"2"`
}

// SwapStatusSpec is the spec of [SwapStatuses].
type SwapStatusSpec struct {
	Device    string `yaml:"device" protobuf:"1"`
	Type      string `yaml:"type" protobuf:"7"`
	Size      uint64 `yaml:"size" protobuf:"2"`
	SizeHuman string `yaml:"sizeHuman" protobuf:"3"`
	Used      uint64 `yaml:"used" protobuf:"4"`
	UsedHuman string `yaml:"usedHuman" protobuf:"5"`
	Priority  int32  `yaml:"priority" protobuf:"6"`
}

// ZswapStatusSpec is the spec of [ZswapStatuses].
type ZswapStatusSpec struct {
	TotalSize           uint64 `yaml:"totalSize" protobuf:"1"`
	TotalSizeHuman      string `yaml:"totalSizeHuman" protobuf:"2"`
	StoredPages         uint64 `yaml:"storedPages" protobuf:"3"`
	PoolLimitHit        uint64 `yaml:"poolLimitHit" protobuf:"4"`
	RejectReclaimFail   uint64 `yaml:"rejectReclaimFail" protobuf:"5"`
	RejectAllocFail     uint64 `yaml:"rejectAllocFail" protobuf:"6"`
	RejectKmemcacheFail uint64 `yaml:"rejectKmemcacheFail" protobuf:"7"`
	RejectCompressFail  uint64 `yaml:"rejectCompressFail" protobuf:"8"`
	RejectCompressPoor  uint64 `yaml:"rejectCompressPoor" protobuf:"9"`
	WrittenBackPages    uint64 `yaml:"writtenBackPages" protobuf:"10"`
}
