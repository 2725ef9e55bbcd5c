package cel

// DiskFields is a disk as expressions see it.
type DiskFields struct {
	Size            uint64   `cel:"size"`
	IOSize          uint64   `cel:"io_size"`
	SectorSize      uint64   `cel:"sector_size"`
	ReadOnly        bool     `cel:"readonly"`
	Model           string   `cel:"model"`
	Serial          string   `cel:"serial"`
	Modalias        string   `cel:"modalias"`
	WWID            string   `cel:"wwid"`
	BusPath         string   `cel:"bus_path"`
	SubSystem       string   `cel:"sub_system"`
	Transport       string   `cel:"transport"`
	Rotational      bool     `cel:"rotational"`
	CDROM           bool     `cel:"cdrom"`
	DevPath         string   `cel:"dev_path"`
	PrettySize      string   `cel:"pretty_size"`
	SecondaryDisks  []string `cel:"secondary_disks"`
	UUID            string   `cel:"uuid"`
	Symlinks        []string `cel:"symlinks"`
	FirmwareVersion string   `cel:"firmware_version"`
}

// VolumeFields is a volume that was found on a disk, as expressions see it.
type VolumeFields struct {
	Size                uint64 `cel:"size"`
	SectorSize          uint64 `cel:"sector_size"`
	IOSize              uint64 `cel:"io_size"`
	Name                string `cel:"name"`
	UUID                string `cel:"uuid"`
	Label               string `cel:"label"`
	BlockSize           uint32 `cel:"block_size"`
	FilesystemBlockSize uint32 `cel:"filesystem_block_size"`
	ProbedSize          uint64 `cel:"probed_size"`
	PartitionUUID       string `cel:"partition_uuid"`
	PartitionType       string `cel:"partition_type"`
	PartitionLabel      string `cel:"partition_label"`
	PartitionIndex      uint64 `cel:"partition_index"`
	Type                string `cel:"type"`
	DevicePath          string `cel:"device_path"`
	Parent              string `cel:"parent"`
	DevPath             string `cel:"dev_path"`
	ParentDevPath       string `cel:"parent_dev_path"`
	PrettySize          string `cel:"pretty_size"`
	Offset              uint64 `cel:"offset"`
}

// LinkFields is a network link as expressions see it. Enumerations are the
// kernel's numbers; the sections of special links are maps.
type LinkFields struct {
	Index            uint32         `cel:"index"`
	Type             int64          `cel:"type"`
	LinkIndex        uint32         `cel:"link_index"`
	Flags            uint32         `cel:"flags"`
	HardwareAddr     []byte         `cel:"hardware_addr"`
	BroadcastAddr    []byte         `cel:"broadcast_addr"`
	MTU              uint32         `cel:"mtu"`
	QueueDisc        string         `cel:"queue_disc"`
	MasterIndex      uint32         `cel:"master_index"`
	OperationalState int64          `cel:"operational_state"`
	Kind             string         `cel:"kind"`
	SlaveKind        string         `cel:"slave_kind"`
	BusPath          string         `cel:"bus_path"`
	PCIID            string         `cel:"pciid"`
	Driver           string         `cel:"driver"`
	DriverVersion    string         `cel:"driver_version"`
	FirmwareVersion  string         `cel:"firmware_version"`
	ProductID        string         `cel:"product_id"`
	VendorID         string         `cel:"vendor_id"`
	Product          string         `cel:"product"`
	Vendor           string         `cel:"vendor"`
	LinkState        bool           `cel:"link_state"`
	SpeedMegabits    int64          `cel:"speed_megabits"`
	Port             int64          `cel:"port"`
	Duplex           int64          `cel:"duplex"`
	VLAN             map[string]any `cel:"vlan"`
	BridgeMaster     map[string]any `cel:"bridge_master"`
	BondMaster       map[string]any `cel:"bond_master"`
	Wireguard        map[string]any `cel:"wireguard"`
	PermanentAddr    []byte         `cel:"permanent_addr"`
	Alias            string         `cel:"alias"`
	AltNames         []string       `cel:"alt_names"`
	VRFMaster        map[string]any `cel:"vrf_master"`
	Veth             map[string]any `cel:"veth"`
}
