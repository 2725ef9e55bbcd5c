package machined

import (
	"context"
	"errors"
	"io"

	machineconfig "github.com/ichor-os/ichor/config"
	configspec "github.com/ichor-os/ichor/node/config/spec"
	"github.com/ichor-os/ichor/node/etcd"
	"github.com/ichor-os/ichor/node/file"
	filespec "github.com/ichor-os/ichor/node/file/spec"
	"github.com/ichor-os/ichor/node/machined/blocks"
	"github.com/ichor-os/ichor/node/machined/trust"
	"github.com/ichor-os/ichor/resource"
)

func write(files []filespec.File) error {
	_, err := file.Write(files)
	return err
}

// newKubernetes makes the node's part in a cluster, which lives until ctx ends.
func (n *node) newKubernetes(ctx context.Context) *blocks.Kubernetes {
	return blocks.NewKubernetes(blocks.Outside{
		Log: n.log, Services: n.services, Engine: n.engine, Host: n.host, SharedKernel: true,
		Output: func(service string) io.Writer { return n.logs.Open(service) },
		Ending: n.ending.Load, ProcessesBelow: n.groups.ProcessesBelow,
		Discover: func(m *etcd.Membership) error {
			return n.engine.View(ctx, func(s *resource.Session) error {
				c, ok, err := configspec.Config(s)
				if err != nil || !ok {
					return errors.Join(err, errors.New("there is no config in force"))
				}
				return trust.Discover(ctx, n.discovery, c, m, n.platform.Hostname)
			})
		},
	})
}

// startCluster puts what a config says of trust in force. The rest follows the
// config by itself.
func (n *node) startCluster(ctx context.Context, config *machineconfig.Config) error {
	main := config.Main()
	if main.Cluster == nil || main.Cluster.ControlPlane == nil || main.Cluster.ControlPlane.Endpoint == nil {
		return errors.New("start cluster: cluster.controlPlane.endpoint is missing in the config")
	}
	if err := n.useConfig(ctx, main); err != nil || main.Machine.Type != "worker" {
		return err
	}
	// Others learn of a worker after it has its certificate: from then on its
	// names are its own.
	return trust.Discover(ctx, n.discovery, config, nil, n.platform.Hostname)
}

// leave takes this node out of its cluster: its member of etcd, if it has one,
// and what the others know of it.
func (n *node) leave(ctx context.Context) error {
	if n.kubernetes.Member.Membership() != nil {
		if err := n.kubernetes.Member.Leave(ctx); err != nil {
			return err
		}
	}
	if err := n.discovery.Leave(ctx); err != nil {
		n.log.Warn("other nodes do not know yet that this one goes", "error", err)
	}
	return nil
}
