// Package cri holds the config documents about the container runtime: one file
// a kind.
package cri

import "github.com/ichor-os/ichor/config/document"

// Kinds lists the kinds of this domain.
func Kinds() []*document.Kind {
	return []*document.Kind{BaseRuntimeSpecKind, CustomizationKind, ImageCacheKind}
}
