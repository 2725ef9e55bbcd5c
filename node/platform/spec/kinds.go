// Package spec holds the resources about what the platform tells of the machine.
package spec

import "github.com/ichor-os/ichor/resource"

// The kinds of this noun.
var (
	// PlatformMetadatas: where and as what the machine runs.
	PlatformMetadatas = resource.Define[PlatformMetadataSpec]("PlatformMetadatas.talos.dev",
		resource.Namespace("runtime"), resource.DisplayType("PlatformMetadata"), resource.Columns(
			resource.Column{Name: "Platform", Path: "{.platform}"},
			resource.Column{Name: "Type", Path: "{.instanceType}"},
			resource.Column{Name: "Region", Path: "{.region}"},
			resource.Column{Name: "Zone", Path: "{.zone}"},
		))
)

// Kinds lists them.
func Kinds() []resource.AnyKind {
	return []resource.AnyKind{
		PlatformMetadatas,
	}
}
