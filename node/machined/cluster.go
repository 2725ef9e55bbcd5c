package machined

import (
	"context"

	machineconfig "github.com/ichor-os/ichor/config"
)

// cluster is the node's part in a Kubernetes cluster.
type cluster struct {
	node      *node
	bootstrap chan struct{}
}

// start puts a config in force and starts what it asks for.
func (c *cluster) start(_ context.Context, config *machineconfig.Config) error {
	return c.node.useConfig(config)
}

// clusterRPC serves the methods of MachineService about the cluster.
type clusterRPC struct{ cluster *cluster }
