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
	if main.Machine.Type == "worker" {
		if err := trust.Discover(ctx, n.discovery, config, nil, n.platform.Hostname); err != nil {
			return err
		}
	}
	return n.useConfig(ctx, main)
}

// leaveEtcd takes this node's member out of its cluster, if it has one, and
// stops it.
func (n *node) leaveEtcd(ctx context.Context) error {
	if n.kubernetes.Member.Membership() == nil {
		return nil
	}
	if err := n.discovery.Leave(ctx); err != nil {
		n.log.Warn("other nodes do not know yet that this one goes", "error", err)
	}
	return n.kubernetes.Member.Leave(ctx)
}
