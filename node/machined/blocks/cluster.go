package blocks

import (
	"github.com/ichor-os/ichor/node/cluster"
	"github.com/ichor-os/ichor/resource"
)

// members are the blocks that know the nodes of the cluster.
func members(n Needs) []resource.Block { return cluster.Blocks(n.Discovery) }
