package blocks

import (
	"github.com/ichor-os/ichor/node/link"
	"github.com/ichor-os/ichor/node/platform"
	"github.com/ichor-os/ichor/resource"
)

// network are the blocks of links, addresses and routes.
func network(n Needs) []resource.Block {
	return append(link.Blocks(n.Network), resource.Reconciler("platform-network", platform.ReconcileNetwork))
}
