// Package spec holds the resources about mounts of the system.
package spec

import "github.com/ichor-os/ichor/resource"

// The kinds of this noun.
var (
	// MountStatuses: a file system that is mounted.
	MountStatuses = resource.Define[MountStatusSpec]("MountStatuses.runtime.talos.dev",
		resource.Namespace("runtime"), resource.DisplayType("MountStatus"), resource.OnlyAliases("mounts"), resource.Columns(
			resource.Column{Name: "Source", Path: "{.source}"},
			resource.Column{Name: "Target", Path: "{.target}"},
			resource.Column{Name: "Filesystem Type", Path: "{.filesystemType}"},
		))
)

// Kinds lists them.
func Kinds() []resource.AnyKind {
	return []resource.AnyKind{
		MountStatuses,
	}
}
