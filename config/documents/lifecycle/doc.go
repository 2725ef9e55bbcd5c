// Package lifecycle holds the config documents about upgrades and boots: one
// file a kind.
package lifecycle

import "github.com/ichor-os/ichor/config/document"

// Kinds lists the kinds of this domain.
func Kinds() []*document.Kind { return []*document.Kind{BootHealthKind} }
