// Package spec holds the resources about the clock.
package spec

import "github.com/ichor-os/ichor/resource"

// The kinds of this noun.
var (
	// TimeStatuses: whether the clock is in step.
	TimeStatuses = resource.Define[TimeStatusSpec]("TimeStatuses.v1alpha1.talos.dev",
		resource.Namespace("runtime"), resource.DisplayType("TimeStatus"), resource.Columns(
			resource.Column{Name: "Synced", Path: "{.synced}"},
		))
	// AdjtimeStatuses: how the kernel steers the clock.
	AdjtimeStatuses = resource.Define[AdjtimeStatusSpec]("AdjtimeStatuses.v1alpha1.talos.dev",
		resource.Namespace("runtime"), resource.DisplayType("AdjtimeStatus"), resource.Columns(
			resource.Column{Name: "Offset", Path: "{.offset}"},
			resource.Column{Name: "EstError", Path: "{.estError}"},
			resource.Column{Name: "MaxError", Path: "{.maxError}"},
			resource.Column{Name: "Status", Path: "{.status}"},
			resource.Column{Name: "Sync", Path: "{.syncStatus}"},
		))
	// TimeServerSpecs: the time servers that a layer wants.
	TimeServerSpecs = resource.Define[TimeServerSpecSpec]("TimeServerSpecs.net.talos.dev",
		resource.Namespace("network"), resource.DisplayType("TimeServerSpec"))
	// TimeServerStatuses: the time servers in use.
	TimeServerStatuses = resource.Define[TimeServerStatusSpec]("TimeServerStatuses.net.talos.dev",
		resource.Namespace("network"), resource.DisplayType("TimeServerStatus"), resource.Aliases("timeserver", "timeservers"), resource.Columns(
			resource.Column{Name: "Timeservers", Path: "{.timeServers}"},
		))
)

// Kinds lists them.
func Kinds() []resource.AnyKind {
	return []resource.AnyKind{
		TimeStatuses,
		AdjtimeStatuses,
		TimeServerSpecs,
		TimeServerStatuses,
	}
}
