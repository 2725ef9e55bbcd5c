package spec

// DiskSpec is the spec of [Disks].
type DiskSpec struct {
	DevPath        string   `yaml:"dev_path" protobuf:"14"`
	Size           uint64   `yaml:"size" protobuf:"1"`
	PrettySize     string   `yaml:"pretty_size" protobuf:"15"`
	IOSize         uint     `yaml:"io_size" protobuf:"2"`
	SectorSize     uint     `yaml:"sector_size" protobuf:"3"`
	Readonly       bool     `yaml:"readonly" protobuf:"4"`
	Cdrom          bool     `yaml:"cdrom" protobuf:"13"`
	Model          string   `yaml:"model,omitempty" protobuf:"5"`
	Serial         string   `yaml:"serial,omitempty" protobuf:"6"`
	Modalias       string   `yaml:"modalias,omitempty" protobuf:"7"`
	WWID           string   `yaml:"wwid,omitempty" protobuf:"8"`
	UUID           string   `yaml:"uuid,omitempty" protobuf:"17"`
	BusPath        string   `yaml:"bus_path,omitempty" protobuf:"9"`
	SubSystem      string   `yaml:"sub_system,omitempty" protobuf:"10"`
	Transport      string   `yaml:"transport,omitempty" protobuf:"11"`
	Rotational     bool     `yaml:"rotational,omitempty" protobuf:"12"`
	SecondaryDisks []string `yaml:"secondary_disks,omitempty" protobuf:"16"`
	Symlinks       []string `yaml:"symlinks,omitempty" protobuf:"18"`
}

// SystemDiskSpec is the spec of [SystemDisks].
type SystemDiskSpec struct {
	DiskID  string `yaml:"diskID" protobuf:"1"`
	DevPath string `yaml:"devPath" protobuf:"2"`
}

// BlockDeviceSpec is the spec of [BlockDevices].
type BlockDeviceSpec struct {
	Type            string   `yaml:"type" protobuf:"1"`
	Major           int      `yaml:"major" protobuf:"2"`
	Minor           int      `yaml:"minor" protobuf:"3"`
	PartitionName   string   `yaml:"partitionName,omitempty" protobuf:"4"`
	PartitionNumber int      `yaml:"partitionNumber,omitempty" protobuf:"5"`
	DevicePath      string   `yaml:"devicePath" protobuf:"7"`
	Generation      int      `yaml:"generation" protobuf:"6"`
	Parent          string   `yaml:"parent,omitempty" protobuf:"8"`
	Secondaries     []string `yaml:"secondaries,omitempty" protobuf:"9"`
}

// BlockSymlinkSpec is the spec of [BlockSymlinks].
type BlockSymlinkSpec struct {
	Paths []string `yaml:"paths" protobuf:"1"`
}

// DiscoveredVolumeSpec is the spec of [DiscoveredVolumes].
type DiscoveredVolumeSpec struct {
	DevPath             string `yaml:"dev_path" protobuf:"17"`
	Type                string `yaml:"type" protobuf:"14"`
	DevicePath          string `yaml:"device_path" protobuf:"15"`
	Parent              string `yaml:"parent,omitempty" protobuf:"16"`
	ParentDevPath       string `yaml:"parent_dev_path,omitempty" protobuf:"18"`
	Offset              uint64 `yaml:"offset" protobuf:"20"`
	Size                uint64 `yaml:"size" protobuf:"1"`
	PrettySize          string `yaml:"pretty_size" protobuf:"19"`
	SectorSize          uint   `yaml:"sector_size,omitempty" protobuf:"2"`
	IOSize              uint   `yaml:"io_size,omitempty" protobuf:"3"`
	Name                string `yaml:"name" protobuf:"4"`
	UUID                string `yaml:"uuid,omitempty" protobuf:"5"`
	Label               string `yaml:"label,omitempty" protobuf:"6"`
	BlockSize           uint32 `yaml:"block_size,omitempty" protobuf:"7"`
	FilesystemBlockSize uint32 `yaml:"filesystem_block_size,omitempty" protobuf:"8"`
	ProbedSize          uint64 `yaml:"probed_size,omitempty" protobuf:"9"`
	PartitionUUID       string `yaml:"partition_uuid,omitempty" protobuf:"10"`
	PartitionType       string `yaml:"partition_type,omitempty" protobuf:"11"`
	PartitionLabel      string `yaml:"partition_label,omitempty" protobuf:"12"`
	PartitionIndex      uint   `yaml:"partition_index,omitempty" protobuf:"13"`
}

// DiscoveryRefreshRequestSpec is the spec of [DiscoveryRefreshRequests].
type DiscoveryRefreshRequestSpec struct {
	Request int `yaml:"request" protobuf:"1"`
}

// DiscoveryRefreshStatusSpec is the spec of [DiscoveryRefreshStatuses].
type DiscoveryRefreshStatusSpec struct {
	Request int `yaml:"request" protobuf:"1"`
}
