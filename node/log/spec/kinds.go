// Package spec holds the resources about where logs and events go.
package spec

import "github.com/ichor-os/ichor/resource"

// The kinds of this noun.
var (
	// KmsgLogConfigs: where kernel messages are sent.
	KmsgLogConfigs = resource.Define[KmsgLogConfigSpec]("KmsgLogConfigs.runtime.talos.dev",
		resource.Namespace("runtime"), resource.DisplayType("KmsgLogConfig"))
	// EventSinkConfigs: where events are sent.
	EventSinkConfigs = resource.Define[EventSinkConfigSpec]("EventSinkConfigs.runtime.talos.dev",
		resource.Namespace("runtime"), resource.DisplayType("EventSinkConfig"))
)

// Kinds lists them.
func Kinds() []resource.AnyKind {
	return []resource.AnyKind{
		KmsgLogConfigs,
		EventSinkConfigs,
	}
}
