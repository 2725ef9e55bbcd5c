package machined

import (
	"context"
	"fmt"
	"net/netip"
	"slices"
	"time"

	"github.com/ichor-os/ichor/node/etcd"
	"github.com/ichor-os/ichor/node/kube"
	"github.com/ichor-os/ichor/node/service"
	"github.com/ichor-os/ichor/node/service/container"
	servicespec "github.com/ichor-os/ichor/node/service/spec"
)

func (c *cluster) etcdService(s *clusterSettings) service.Service {
	return service.Service{
		ID:    "etcd",
		Needs: []string{"containerd"},
		Conditions: []service.Condition{{
			Name: "bootstrap, a cluster to join, or etcd data of an earlier start",
			Wait: func(ctx context.Context) error { return c.awaitEtcd(ctx, s) },
		}},
		Pre: func(context.Context) error { return etcd.MakeDataFolder() },
		Runner: &container.Runner{
			Spec:   func() (servicespec.Container, error) { return etcd.Container(c.member(s)), nil },
			Output: c.node.logs.Open("etcd"),
		},
		Health: &service.Health{Check: etcd.Healthy},
	}
}

// member is what the member starts with. The list of members counts for a new
// one only; etcd keeps its own.
func (c *cluster) member(s *clusterSettings) etcd.Settings {
	c.mu.Lock()
	defer c.mu.Unlock()
	settings := s.etcd
	settings.Initial = []string{settings.Name + "=" + settings.PeerURL()}
	if len(c.initial) > 0 {
		settings.Initial, settings.Existing = c.initial, true
	}
	return settings
}

// awaitEtcd returns when this node has etcd data, was told to bootstrap, or has
// been taken into the etcd of a cluster that is there.
func (c *cluster) awaitEtcd(ctx context.Context, s *clusterSettings) error {
	last := ""
	for {
		has, err := etcd.HasData()
		if has || err != nil {
			return err
		}
		select {
		case <-c.bootstrap:
			return nil
		case <-time.After(time.Second):
		case <-ctx.Done():
			return ctx.Err()
		}
		joined, err := c.join(ctx, s)
		if joined {
			return nil
		}
		if err != nil && err.Error() != last {
			last = err.Error()
			c.node.log.Warn("etcd is not joined yet", "error", err)
		}
	}
}

// otherControlPlanes asks the cluster's endpoint who its control planes are.
func (c *cluster) otherControlPlanes(ctx context.Context, s *clusterSettings) ([]netip.Addr, error) {
	client, err := kube.NewClient(kube.AdminKubeconfig)
	if err != nil {
		return nil, err
	}
	all, err := client.At(s.kube.Endpoint).ControlPlanes(ctx)
	return slices.DeleteFunc(all, func(a netip.Addr) bool { return a == s.kube.Address }), err
}

// join asks the control planes that the endpoint shows to take this node in.
// An endpoint that does not answer is no cluster yet, and no error.
func (c *cluster) join(ctx context.Context, s *clusterSettings) (bool, error) {
	bounded, cancel := context.WithTimeout(ctx, guardTimeout)
	defer cancel()
	others, err := c.otherControlPlanes(bounded, s)
	if err != nil || len(others) == 0 {
		return false, nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.asked {
		return false, nil // bootstrap was first
	}
	initial, err := etcd.Client{Addresses: others}.Join(ctx, s.etcd)
	if err != nil {
		return false, err
	}
	c.initial, c.peers = initial, others
	c.node.log.Info("etcd is joined as a learner", "members", fmt.Sprint(others))
	return true, nil
}

// promote makes the learner that this node joined as a voter; a node that did
// not join now has nothing to do.
func (c *cluster) promote(ctx context.Context, s *clusterSettings) error {
	running := func(status service.Status) bool { return status.State == service.Running }
	if err := c.node.services.Await(ctx, "etcd", running); err != nil {
		return err
	}
	c.mu.Lock()
	peers := c.peers
	c.mu.Unlock()
	if len(peers) == 0 {
		// A learner that was cut short before promotion cannot list members.
		return nil
	}
	return etcd.Client{Addresses: peers}.Promote(ctx, s.etcd)
}

// runsEtcd reports whether this node is a control plane node with a config.
func (c *cluster) runsEtcd() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.settings != nil && c.settings.controlPlane
}
