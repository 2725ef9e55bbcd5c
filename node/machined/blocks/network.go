package blocks

import (
	"os"
	"slices"

	"github.com/ichor-os/ichor/node/dhcp"
	"github.com/ichor-os/ichor/node/link"
	"github.com/ichor-os/ichor/node/platform"
	"github.com/ichor-os/ichor/resource"
)

// network are the blocks of links, addresses and routes.
func network(n Needs) []resource.Block {
	clients := &dhcp.Clients{Log: n.Log, Hostname: hostname}
	return slices.Concat(
		link.Blocks(n.Network),
		clients.Blocks(),
		[]resource.Block{resource.Reconciler("platform-network", platform.ReconcileNetwork)},
	)
}

// hostname is the name that the node has at present.
func hostname() string {
	name, err := os.Hostname()
	if err != nil {
		return ""
	}
	return name
}
