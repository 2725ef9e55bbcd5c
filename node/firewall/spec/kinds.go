// Package spec holds the resources about the packet filter.
package spec

import "github.com/ichor-os/ichor/resource"

// The kinds of this noun.
var (
	// NfTablesChains: a chain of the packet filter.
	NfTablesChains = resource.Define[NfTablesChainSpec]("NfTablesChains.net.talos.dev",
		resource.Namespace("network"), resource.DisplayType("NfTablesChain"), resource.Aliases("chain", "chains"), resource.Columns(
			resource.Column{Name: "Type", Path: "{.type}"},
			resource.Column{Name: "Hook", Path: "{.hook}"},
			resource.Column{Name: "Priority", Path: "{.priority}"},
			resource.Column{Name: "Policy", Path: "{.policy}"},
		))
)

// Kinds lists them.
func Kinds() []resource.AnyKind {
	return []resource.AnyKind{
		NfTablesChains,
	}
}
