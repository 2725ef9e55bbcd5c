// Package spec holds the resources about files below /etc.
package spec

import "github.com/ichor-os/ichor/resource"

// The kinds of this noun.
var (
	// EtcFileSpecs: a file that is wanted.
	EtcFileSpecs = resource.Define[EtcFileSpecSpec]("EtcFileSpecs.files.talos.dev",
		resource.Namespace("files"), resource.DisplayType("EtcFileSpec"), resource.Sensitive())
	// EtcFileStatuses: a file that is in place.
	EtcFileStatuses = resource.Define[EtcFileStatusSpec]("EtcFileStatuses.files.talos.dev",
		resource.Namespace("files"), resource.DisplayType("EtcFileStatus"))
)

// Kinds lists them.
func Kinds() []resource.AnyKind {
	return []resource.AnyKind{
		EtcFileSpecs,
		EtcFileStatuses,
	}
}
