package spec

// SystemInformationSpec is the spec of [SystemInformations].
type SystemInformationSpec struct {
	Manufacturer string `yaml:"manufacturer,omitempty" protobuf:"1"`
	ProductName  string `yaml:"productName,omitempty" protobuf:"2"`
	Version      string `yaml:"version,omitempty" protobuf:"3"`
	Serialnumber string `yaml:"serialnumber,omitempty" protobuf:"4"`
	UUID         string `yaml:"uuid,omitempty" protobuf:"5"`
	WakeUpType   string `yaml:"wakeUpType,omitempty" protobuf:"6"`
	SKUNumber    string `yaml:"skuNumber,omitempty" protobuf:"7"`
}

// ProcessorSpec is the spec of [Processors].
type ProcessorSpec struct {
	Socket       string `yaml:"socket,omitempty" protobuf:"1"`
	Manufacturer string `yaml:"manufacturer,omitempty" protobuf:"2"`
	ProductName  string `yaml:"productName,omitempty" protobuf:"3"`
	MaxSpeedMhz  uint32 `yaml:"maxSpeedMhz,omitempty" protobuf:"4"`
	BootSpeedMhz uint32 `yaml:"bootSpeedMhz,omitempty" protobuf:"5"`
	Status       uint32 `yaml:"status,omitempty" protobuf:"6"`
	SerialNumber string `yaml:"serialNumber,omitempty" protobuf:"7"`
	AssetTag     string `yaml:"assetTag,omitempty" protobuf:"8"`
	PartNumber   string `yaml:"partNumber,omitempty" protobuf:"9"`
	CoreCount    uint32 `yaml:"coreCount,omitempty" protobuf:"10"`
	CoreEnabled  uint32 `yaml:"coreEnabled,omitempty" protobuf:"11"`
	ThreadCount  uint32 `yaml:"threadCount,omitempty" protobuf:"12"`
}

// MemoryModuleSpec is the spec of [MemoryModules].
type MemoryModuleSpec struct {
	SizeMiB       uint32 `yaml:"sizeMiB,omitempty" protobuf:"1"`
	DeviceLocator string `yaml:"deviceLocator,omitempty" protobuf:"2"`
	BankLocator   string `yaml:"bankLocator,omitempty" protobuf:"3"`
	Speed         uint32 `yaml:"speed,omitempty" protobuf:"4"`
	Manufacturer  string `yaml:"manufacturer,omitempty" protobuf:"5"`
	SerialNumber  string `yaml:"serialNumber,omitempty" protobuf:"6"`
	AssetTag      string `yaml:"assetTag,omitempty" protobuf:"7"`
	ProductName   string `yaml:"productName,omitempty" protobuf:"8"`
}

// PCIDeviceSpec is the spec of [PCIDevices].
type PCIDeviceSpec struct {
	Class      string `yaml:"class,omitempty" protobuf:"1"`
	Subclass   string `yaml:"subclass,omitempty" protobuf:"2"`
	Vendor     string `yaml:"vendor,omitempty" protobuf:"3"`
	Product    string `yaml:"product,omitempty" protobuf:"4"`
	ClassID    string `yaml:"class_id" protobuf:"5"`
	SubclassID string `yaml:"subclass_id" protobuf:"6"`
	VendorID   string `yaml:"vendor_id" protobuf:"7"`
	ProductID  string `yaml:"product_id" protobuf:"8"`
	Driver     string `yaml:"driver,omitempty" protobuf:"9"`
}

// PCIDriverRebindConfigSpec is the spec of [PCIDriverRebindConfigs].
type PCIDriverRebindConfigSpec struct {
	PCIID        string `yaml:"pciID" protobuf:"1"`
	TargetDriver string `yaml:"targetDriver" protobuf:"2"`
}

// PCIDriverRebindStatusSpec is the spec of [PCIDriverRebindStatuses].
type PCIDriverRebindStatusSpec struct {
	PCIID        string `yaml:"pciID" protobuf:"1"`
	TargetDriver string `yaml:"targetDriver" protobuf:"2"`
}

// PCRStatusSpec is the spec of [PCRStatuses].
type PCRStatusSpec struct{}

// DevicesStatusSpec is the spec of [DevicesStatuses].
type DevicesStatusSpec struct {
	Ready bool `yaml:"ready" protobuf:"1"`
}

// CPUStatSpec is the spec of [CPUStats].
type CPUStatSpec struct {
	CPU             []CPUStat `yaml:"cpu" protobuf:"1"`
	CPUTotal        CPUStat   `yaml:"cpuTotal" protobuf:"2"`
	IRQTotal        uint64    `yaml:"irqTotal" protobuf:"3"`
	ContextSwitches uint64    `yaml:"contextSwitches" protobuf:"4"`
	ProcessCreated  uint64    `yaml:"processCreated" protobuf:"5"`
	ProcessRunning  uint64    `yaml:"processRunning" protobuf:"6"`
	ProcessBlocked  uint64    `yaml:"processBlocked" protobuf:"7"`
	SoftIRQTotal    uint64    `yaml:"softIrqTotal" protobuf:"8"`
}

// CPUStat is a part of [CPUStatSpec].
type CPUStat struct {
	User      float64 `yaml:"user" protobuf:"1"`
	Nice      float64 `yaml:"nice" protobuf:"2"`
	System    float64 `yaml:"system" protobuf:"3"`
	Idle      float64 `yaml:"idle" protobuf:"4"`
	Iowait    float64 `yaml:"iowait" protobuf:"5"`
	IRQ       float64 `yaml:"irq" protobuf:"6"`
	SoftIRQ   float64 `yaml:"softIrq" protobuf:"7"`
	Steal     float64 `yaml:"steal" protobuf:"8"`
	Guest     float64 `yaml:"guest" protobuf:"9"`
	GuestNice float64 `yaml:"guestNice" protobuf:"10"`
}

// MemoryStatSpec is the spec of [MemoryStats].
type MemoryStatSpec struct {
	Total             uint64 `yaml:"total" protobuf:"1"`
	Used              uint64 `yaml:"used" protobuf:"2"`
	Available         uint64 `yaml:"available" protobuf:"3"`
	Buffers           uint64 `yaml:"buffers" protobuf:"4"`
	Cached            uint64 `yaml:"cached" protobuf:"5"`
	SwapCached        uint64 `yaml:"swapCached" protobuf:"6"`
	Active            uint64 `yaml:"active" protobuf:"7"`
	Inactive          uint64 `yaml:"inactive" protobuf:"8"`
	ActiveAnon        uint64 `yaml:"activeAnon" protobuf:"9"`
	InactiveAnon      uint64 `yaml:"inactiveAnon" protobuf:"10"`
	ActiveFile        uint64 `yaml:"activeFile" protobuf:"11"`
	InactiveFile      uint64 `yaml:"inactiveFile" protobuf:"12"`
	Unevictable       uint64 `yaml:"unevictable" protobuf:"13"`
	Mlocked           uint64 `yaml:"mlocked" protobuf:"14"`
	SwapTotal         uint64 `yaml:"swapTotal" protobuf:"15"`
	SwapFree          uint64 `yaml:"swapFree" protobuf:"16"`
	Dirty             uint64 `yaml:"dirty" protobuf:"17"`
	Writeback         uint64 `yaml:"writeback" protobuf:"18"`
	AnonPages         uint64 `yaml:"anonPages" protobuf:"19"`
	Mapped            uint64 `yaml:"mapped" protobuf:"20"`
	Shmem             uint64 `yaml:"shmem" protobuf:"21"`
	Slab              uint64 `yaml:"slab" protobuf:"22"`
	Sreclaimable      uint64 `yaml:"sreclaimable" protobuf:"23"`
	Sunreclaim        uint64 `yaml:"sunreclaim" protobuf:"24"`
	KernelStack       uint64 `yaml:"kernelStack" protobuf:"25"`
	PageTables        uint64 `yaml:"pageTables" protobuf:"26"`
	Nfsunstable       uint64 `yaml:"nfsunstable" protobuf:"27"`
	Bounce            uint64 `yaml:"bounce" protobuf:"28"`
	WriteBacktmp      uint64 `yaml:"writeBacktmp" protobuf:"29"`
	CommitLimit       uint64 `yaml:"commitLimit" protobuf:"30"`
	CommitTedas       uint64 `yaml:"commitTedas" protobuf:"31"`
	VmallocTotal      uint64 `yaml:"vmallocTotal" protobuf:"32"`
	VmallocUsed       uint64 `yaml:"vmallocUsed" protobuf:"33"`
	VmallocChunk      uint64 `yaml:"vmallocChunk" protobuf:"34"`
	HardwareCorrupted uint64 `yaml:"hardwareCorrupted" protobuf:"35"`
	AnonHugePages     uint64 `yaml:"anonHugePages" protobuf:"36"`
	ShmemHugePages    uint64 `yaml:"shmemHugePages" protobuf:"37"`
	ShmemPmdMapped    uint64 `yaml:"shmemPmdMapped" protobuf:"38"`
	CMATotal          uint64 `yaml:"cmaTotal" protobuf:"39"`
	CMAFree           uint64 `yaml:"cmaFree" protobuf:"40"`
	HugePagesTotal    uint64 `yaml:"hugePagesTotal" protobuf:"41"`
	HugePagesFree     uint64 `yaml:"hugePagesFree" protobuf:"42"`
	HugePagesRsvd     uint64 `yaml:"hugePagesRsvd" protobuf:"43"`
	HugePagesSurp     uint64 `yaml:"hugePagesSurp" protobuf:"44"`
	Hugepagesize      uint64 `yaml:"hugepagesize" protobuf:"45"`
	DirectMap4k       uint64 `yaml:"directMap4k" protobuf:"46"`
	DirectMap2m       uint64 `yaml:"directMap2m" protobuf:"47"`
	DirectMap1g       uint64 `yaml:"directMap1g" protobuf:"48"`
}
