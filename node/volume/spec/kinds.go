// Package spec holds the resources about volumes: where data is kept, and where it is mounted.
package spec

import "github.com/ichor-os/ichor/resource"

// The kinds of this noun.
var (
	// VolumeConfigs: a volume that is wanted.
	VolumeConfigs = resource.Define[VolumeConfigSpec]("VolumeConfigs.block.talos.dev",
		resource.Namespace("runtime"), resource.DisplayType("VolumeConfig"), resource.Sensitive())
	// VolumeStatuses: a volume as it is.
	VolumeStatuses = resource.Define[VolumeStatusSpec]("VolumeStatuses.block.talos.dev",
		resource.Namespace("runtime"), resource.DisplayType("VolumeStatus"), resource.Columns(
			resource.Column{Name: "Type", Path: "{.type}"},
			resource.Column{Name: "Phase", Path: "{.phase}"},
			resource.Column{Name: "Location", Path: "{.location}"},
			resource.Column{Name: "Size", Path: "{.prettySize}"},
		))
	// VolumeLifecycles: exists while volumes may be in use.
	VolumeLifecycles = resource.Define[VolumeLifecycleSpec]("VolumeLifecycles.block.talos.dev",
		resource.Namespace("runtime"), resource.DisplayType("VolumeLifecycle"))
	// VolumeMountRequests: somebody wants a volume mounted.
	VolumeMountRequests = resource.Define[VolumeMountRequestSpec]("VolumeMountRequests.block.talos.dev",
		resource.Namespace("runtime"), resource.DisplayType("VolumeMountRequest"), resource.Columns(
			resource.Column{Name: "Volume ID", Path: "{.volumeID}"},
			resource.Column{Name: "Requester", Path: "{.requester}"},
		))
	// VolumeMountStatuses: a volume is mounted for somebody.
	VolumeMountStatuses = resource.Define[VolumeMountStatusSpec]("VolumeMountStatuses.block.talos.dev",
		resource.Namespace("runtime"), resource.DisplayType("VolumeMountStatus"), resource.Columns(
			resource.Column{Name: "Volume ID", Path: "{.volumeID}"},
			resource.Column{Name: "Requester", Path: "{.requester}"},
			resource.Column{Name: "Target", Path: "{.target}"},
		))
	// MountRequests: a volume is wanted mounted by somebody at all.
	MountRequests = resource.Define[MountRequestSpec]("MountRequests.block.talos.dev",
		resource.Namespace("runtime"), resource.DisplayType("MountRequest"), resource.Columns(
			resource.Column{Name: "Volume", Path: "{.volumeID}"},
			resource.Column{Name: "Parent", Path: "{.parentID}"},
			resource.Column{Name: "Requesters", Path: "{.requesters}"},
		))
	// MountStatuses: a volume that is mounted.
	MountStatuses = resource.Define[MountStatusSpec]("MountStatuses.block.talos.dev",
		resource.Namespace("runtime"), resource.DisplayType("MountStatus"), resource.Columns(
			resource.Column{Name: "Source", Path: "{.source}"},
			resource.Column{Name: "Target", Path: "{.target}"},
			resource.Column{Name: "Filesystem", Path: "{.filesystem}"},
			resource.Column{Name: "Volume", Path: "{.spec.volumeID}"},
		))
	// UserDiskConfigStatuses: whether user disks are ready.
	UserDiskConfigStatuses = resource.Define[UserDiskConfigStatusSpec]("UserDiskConfigStatuses.block.talos.dev",
		resource.Namespace("runtime"), resource.DisplayType("UserDiskConfigStatus"), resource.Columns(
			resource.Column{Name: "Ready", Path: "{.ready}"},
		))
	// SwapStatuses: a swap area in use.
	SwapStatuses = resource.Define[SwapStatusSpec]("SwapStatuses.block.talos.dev",
		resource.Namespace("runtime"), resource.DisplayType("SwapStatus"), resource.Aliases("swap", "swaps"), resource.Columns(
			resource.Column{Name: "Device", Path: "{.device}"},
			resource.Column{Name: "Size", Path: "{.sizeHuman}"},
			resource.Column{Name: "Used", Path: "{.usedHuman}"},
			resource.Column{Name: "Priority", Path: "{.priority}"},
		))
	// ZswapStatuses: how compressed swap is used.
	ZswapStatuses = resource.Define[ZswapStatusSpec]("ZswapStatuses.block.talos.dev",
		resource.Namespace("runtime"), resource.DisplayType("ZswapStatus"), resource.Columns(
			resource.Column{Name: "Total Size", Path: "{.totalSizeHuman}"},
			resource.Column{Name: "Stored Pages", Path: "{.storedPages}"},
			resource.Column{Name: "Written Back", Path: "{.writtenBackPages}"},
			resource.Column{Name: "Pool Limit Hit", Path: "{.poolLimitHit}"},
		))
)

// Kinds lists them.
func Kinds() []resource.AnyKind {
	return []resource.AnyKind{
		VolumeConfigs,
		VolumeStatuses,
		VolumeLifecycles,
		VolumeMountRequests,
		VolumeMountStatuses,
		MountRequests,
		MountStatuses,
		UserDiskConfigStatuses,
		SwapStatuses,
		ZswapStatuses,
	}
}
