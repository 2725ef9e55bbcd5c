// Package spec holds the resources about what the machine is made of.
package spec

import "github.com/ichor-os/ichor/resource"

// The kinds of this noun.
var (
	// SystemInformations: maker, model and serial number.
	SystemInformations = resource.Define[SystemInformationSpec]("SystemInformations.hardware.talos.dev",
		resource.Namespace("hardware"), resource.DisplayType("SystemInformation"), resource.Aliases("systeminformation"), resource.Columns(
			resource.Column{Name: "Manufacturer", Path: "{.manufacturer}"},
			resource.Column{Name: "ProductName", Path: "{.productName}"},
			resource.Column{Name: "Version", Path: "{.version}"},
			resource.Column{Name: "SerialNumber", Path: "{.serialnumber}"},
			resource.Column{Name: "UUID", Path: "{.uuid}"},
			resource.Column{Name: "WakeUpType", Path: "{.wakeUpType}"},
			resource.Column{Name: "SKUNumber", Path: "{.skuNumber}"},
		))
	// Processors: a processor.
	Processors = resource.Define[ProcessorSpec]("Processors.hardware.talos.dev",
		resource.Namespace("hardware"), resource.DisplayType("Processor"), resource.Aliases("cpus", "cpu"), resource.Columns(
			resource.Column{Name: "Manufacturer", Path: "{.manufacturer}"},
			resource.Column{Name: "Model", Path: "{.productName}"},
			resource.Column{Name: "Cores", Path: "{.coreCount}"},
			resource.Column{Name: "Threads", Path: "{.threadCount}"},
		))
	// MemoryModules: a memory module.
	MemoryModules = resource.Define[MemoryModuleSpec]("MemoryModules.hardware.talos.dev",
		resource.Namespace("hardware"), resource.DisplayType("MemoryModule"), resource.Aliases("memorymodules", "ram"), resource.Columns(
			resource.Column{Name: "Manufacturer", Path: "{.manufacturer}"},
			resource.Column{Name: "Model", Path: "{.productName}"},
			resource.Column{Name: "SizeMiB", Path: "{.sizeMiB}"},
		))
	// PCIDevices: a PCI device.
	PCIDevices = resource.Define[PCIDeviceSpec]("PCIDevices.hardware.talos.dev",
		resource.Namespace("hardware"), resource.DisplayType("PCIDevice"), resource.Aliases("devices", "device"), resource.Columns(
			resource.Column{Name: "Class", Path: "{.class}"},
			resource.Column{Name: "Subclass", Path: "{.subclass}"},
			resource.Column{Name: "Vendor", Path: "{.vendor}"},
			resource.Column{Name: "Product", Path: "{.product}"},
		))
	// PCIDriverRebindConfigs: a driver that a PCI device is to have.
	PCIDriverRebindConfigs = resource.Define[PCIDriverRebindConfigSpec]("PCIDriverRebindConfigs.runtime.talos.dev",
		resource.Namespace("hardware"), resource.DisplayType("PCIDriverRebindConfig"), resource.Columns(
			resource.Column{Name: "Name", Path: "{.name}"},
			resource.Column{Name: "PCI ID", Path: "{.pciID}"},
			resource.Column{Name: "TargetDriver", Path: "{.targetDriver}"},
		))
	// PCIDriverRebindStatuses: a driver that a PCI device was given.
	PCIDriverRebindStatuses = resource.Define[PCIDriverRebindStatusSpec]("PCIDriverRebindStatuses.runtime.talos.dev",
		resource.Namespace("hardware"), resource.DisplayType("PCIDriverRebindStatus"), resource.Aliases("pcidriverrebinds"), resource.Columns(
			resource.Column{Name: "Name", Path: "{.name}"},
			resource.Column{Name: "PCI ID", Path: "{.pciID}"},
			resource.Column{Name: "TargetDriver", Path: "{.targetDriver}"},
		))
	// PCRStatuses: a register of the TPM.
	PCRStatuses = resource.Define[PCRStatusSpec]("PCRStatuses.hardware.talos.dev",
		resource.Namespace("hardware"), resource.DisplayType("PCRStatus"))
	// DevicesStatuses: whether all devices have been seen.
	DevicesStatuses = resource.Define[DevicesStatusSpec]("DevicesStatuses.runtime.talos.dev",
		resource.Namespace("runtime"), resource.DisplayType("DevicesStatus"), resource.Columns(
			resource.Column{Name: "Ready", Path: "{.ready}"},
		))
	// CPUStats: how busy the processors are.
	CPUStats = resource.Define[CPUStatSpec]("CPUStats.perf.talos.dev",
		resource.Namespace("perf"), resource.DisplayType("CPUStat"), resource.Columns(
			resource.Column{Name: "User", Path: "{.cpuTotal.user}"},
			resource.Column{Name: "System", Path: "{.cpuTotal.system}"},
		))
	// MemoryStats: how memory is used.
	MemoryStats = resource.Define[MemoryStatSpec]("MemoryStats.perf.talos.dev",
		resource.Namespace("perf"), resource.DisplayType("MemoryStat"), resource.Columns(
			resource.Column{Name: "Used", Path: "{.used}"},
			resource.Column{Name: "Total", Path: "{.total}"},
		))
)

// Kinds lists them.
func Kinds() []resource.AnyKind {
	return []resource.AnyKind{
		SystemInformations,
		Processors,
		MemoryModules,
		PCIDevices,
		PCIDriverRebindConfigs,
		PCIDriverRebindStatuses,
		PCRStatuses,
		DevicesStatuses,
		CPUStats,
		MemoryStats,
	}
}
