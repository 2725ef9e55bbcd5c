// Package security holds the config documents about whom and what a node
// trusts: one file a kind.
package security

import "github.com/ichor-os/ichor/config/document"

// Kinds lists the kinds of this domain.
func Kinds() []*document.Kind {
	return []*document.Kind{ImageVerificationKind, TrustedRootsKind}
}
