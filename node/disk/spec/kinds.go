// Package spec holds the resources about disks and what lies on them.
package spec

import "github.com/ichor-os/ichor/resource"

// The kinds of this noun.
var (
	// Disks: a disk of the machine.
	Disks = resource.Define[DiskSpec]("Disks.block.talos.dev",
		resource.Namespace("runtime"), resource.DisplayType("Disk"), resource.Columns(
			resource.Column{Name: "Size", Path: "{.pretty_size}"},
			resource.Column{Name: "Read Only", Path: "{.readonly}"},
			resource.Column{Name: "Transport", Path: "{.transport}"},
			resource.Column{Name: "Rotational", Path: "{.rotational}"},
			resource.Column{Name: "WWID", Path: "{.wwid}"},
			resource.Column{Name: "Model", Path: "{.model}"},
			resource.Column{Name: "Serial", Path: "{.serial}"},
		))
	// SystemDisks: the disk that the system is on.
	SystemDisks = resource.Define[SystemDiskSpec]("SystemDisks.block.talos.dev",
		resource.Namespace("runtime"), resource.DisplayType("SystemDisk"), resource.Columns(
			resource.Column{Name: "Disk", Path: "{.diskID}"},
		))
	// BlockDevices: a block device as the kernel has it.
	BlockDevices = resource.Define[BlockDeviceSpec]("BlockDevices.block.talos.dev",
		resource.Namespace("runtime"), resource.DisplayType("BlockDevice"), resource.Columns(
			resource.Column{Name: "Type", Path: "{.type}"},
			resource.Column{Name: "PartitionName", Path: "{.partitionName}"},
			resource.Column{Name: "Generation", Path: "{.generation}"},
		))
	// BlockSymlinks: names below /dev/disk of a block device.
	BlockSymlinks = resource.Define[BlockSymlinkSpec]("BlockSymlinks.block.talos.dev",
		resource.Namespace("runtime"), resource.DisplayType("BlockSymlink"))
	// DiscoveredVolumes: what was found on a block device.
	DiscoveredVolumes = resource.Define[DiscoveredVolumeSpec]("DiscoveredVolumes.block.talos.dev",
		resource.Namespace("runtime"), resource.DisplayType("DiscoveredVolume"), resource.Columns(
			resource.Column{Name: "Type", Path: "{.type}"},
			resource.Column{Name: "Size", Path: "{.pretty_size}"},
			resource.Column{Name: "Discovered", Path: "{.name}"},
			resource.Column{Name: "Label", Path: "{.label}"},
			resource.Column{Name: "PartitionLabel", Path: "{.partition_label}"},
		))
	// DiscoveryRefreshRequests: asks to look at the devices anew.
	DiscoveryRefreshRequests = resource.Define[DiscoveryRefreshRequestSpec]("DiscoveryRefreshRequests.block.talos.dev",
		resource.Namespace("runtime"), resource.DisplayType("DiscoveryRefreshRequest"), resource.Columns(
			resource.Column{Name: "Request", Path: "{.request}"},
		))
	// DiscoveryRefreshStatuses: the request that was done last.
	DiscoveryRefreshStatuses = resource.Define[DiscoveryRefreshStatusSpec]("DiscoveryRefreshStatuses.block.talos.dev",
		resource.Namespace("runtime"), resource.DisplayType("DiscoveryRefreshStatus"), resource.Columns(
			resource.Column{Name: "Request", Path: "{.request}"},
		))
)

// Kinds lists them.
func Kinds() []resource.AnyKind {
	return []resource.AnyKind{
		Disks,
		SystemDisks,
		BlockDevices,
		BlockSymlinks,
		DiscoveredVolumes,
		DiscoveryRefreshRequests,
		DiscoveryRefreshStatuses,
	}
}
