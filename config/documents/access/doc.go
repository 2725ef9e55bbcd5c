// Package access holds the config documents about who may call a node: one
// file a kind.
package access

import "github.com/ichor-os/ichor/config/document"

// Kinds lists the kinds of this domain.
func Kinds() []*document.Kind { return []*document.Kind{APISourceKind} }
