// Package cluster holds the config documents about the cluster that a node
// belongs to: one file a kind.
package cluster

import "github.com/ichor-os/ichor/config/document"

// Kinds lists the kinds of this domain.
func Kinds() []*document.Kind {
	return []*document.Kind{DiscoveryIdentityKind, DiscoveryPeersKind, DiscoveryServiceKind}
}
