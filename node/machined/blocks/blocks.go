// Package blocks lists the blocks of the engine, by noun: a file for each area,
// which says what it needs of the outside. What a block does is in its noun.
package blocks

import (
	"log/slog"
	"slices"

	"github.com/ichor-os/ichor/node/cluster"
	"github.com/ichor-os/ichor/node/etcfile"
	"github.com/ichor-os/ichor/node/lifecycle"
	"github.com/ichor-os/ichor/node/link"
	"github.com/ichor-os/ichor/node/log/export"
	"github.com/ichor-os/ichor/node/machined/host"
	"github.com/ichor-os/ichor/node/mount"
	"github.com/ichor-os/ichor/node/service"
	"github.com/ichor-os/ichor/resource"
)

// Needs are what blocks work on outside of the store.
type Needs struct {
	Log      *slog.Logger
	Services *service.Supervisor
	// Etc is where the files of /etc are written.
	Etc *etcfile.Folder
	// SharedKernel is true where the kernel is not the node's own: clock,
	// modules and most sysctls belong to somebody else then.
	SharedKernel bool
	// Host is the machine as services see it.
	Host *host.Host
	// Network is the node's network namespace.
	Network *link.Kernel
	// Discovery finds the other nodes.
	Discovery *cluster.Discovery
	// Kubernetes is the node's part in a cluster.
	Kubernetes *Kubernetes
	// Export sends logs and events to servers.
	Export *export.Exporter
}

// All lists the blocks that run from the start of a node.
func All(n Needs) []resource.Block {
	return slices.Concat(
		[]resource.Block{
			service.Source(n.Services),
			mount.Source("/proc/self/mounts"),
			resource.Reconciler("machine-status", lifecycle.ReconcileStatus),
		},
		network(n),
		ofHost(n),
		members(n),
		n.Kubernetes.blocks(),
		exports(n),
	)
}
