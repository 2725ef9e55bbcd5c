package blocks

import (
	"slices"

	"github.com/ichor-os/ichor/node/cluster"
	"github.com/ichor-os/ichor/node/dns/cache"
	"github.com/ichor-os/ichor/node/kubeprism"
	"github.com/ichor-os/ichor/node/machined/trust"
	"github.com/ichor-os/ichor/resource"
)

// members are the blocks that know the nodes of the cluster, and what leads to
// them: the balancer and the name server.
func members(n Needs) []resource.Block {
	return slices.Concat(
		cluster.Blocks(n.Discovery),
		kubeprism.Blocks(&kubeprism.Balancer{Log: n.Log}),
		cache.Blocks(&cache.Server{Log: n.Log}),
		[]resource.Block{trust.Around()},
	)
}
