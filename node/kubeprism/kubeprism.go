// Package kubeprism is a balancer on each node in front of the API servers of
// the cluster: what runs on the node reaches one of them whatever becomes of the
// cluster's endpoint. It knows them by discovery.
package kubeprism

import (
	"cmp"
	"context"
	"net"
	"net/netip"
	"slices"
	"strconv"

	clusterspec "github.com/ichor-os/ichor/node/cluster/spec"
	configspec "github.com/ichor-os/ichor/node/config/spec"
	"github.com/ichor-os/ichor/node/kubeprism/spec"
	"github.com/ichor-os/ichor/resource"
	"github.com/ichor-os/ichor/resource/value"
)

// Ids of the resources.
const (
	configID   = "k8s-loadbalancer"
	endpointID = "k8s-cluster"
)

// defaultAPIPort is the port of API servers.
const defaultAPIPort = 6443

// Blocks are the reconcilers of the noun.
func Blocks(b *Balancer) []resource.Block {
	changed := make(chan struct{}, 1)
	b.Changed = func() {
		select {
		case changed <- struct{}{}:
		default:
		}
	}
	return []resource.Block{
		resource.Reconciler("kubeprism-endpoints", reconcileEndpoints),
		resource.Reconciler("kubeprism-config", reconcileConfig),
		resource.Mirror("kubeprism-balancer", spec.KubePrismConfigs, nil,
			func(ctx context.Context, _ *resource.Session, r resource.Resource[spec.KubePrismConfigSpec]) error {
				defer b.Changed()
				return b.Use(ctx, net.JoinHostPort(r.Spec.Host, strconv.Itoa(r.Spec.Port)), upstreamsOf(r.Spec))
			},
			func(context.Context, *resource.Session, resource.Resource[spec.KubePrismConfigSpec]) error {
				defer b.Changed()
				b.Close()
				return nil
			}),
		resource.Source("kubeprism-status", spec.KubePrismStatuses, func(ctx context.Context, f *resource.Feed[spec.KubePrismStatusSpec]) error {
			return show(ctx, b, f, changed)
		}),
	}
}

func show(ctx context.Context, b *Balancer, f *resource.Feed[spec.KubePrismStatusSpec], changed <-chan struct{}) error {
	for {
		var items []resource.Item[spec.KubePrismStatusSpec]
		if address := b.Listening(); address != "" {
			items = append(items, resource.Item[spec.KubePrismStatusSpec]{
				ID: configID, Spec: spec.KubePrismStatusSpec{Host: address, Healthy: b.Healthy()},
			})
		}
		if err := f.Replace(items...); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-changed:
		}
	}
}

func upstreamsOf(c spec.KubePrismConfigSpec) []string {
	var all []string
	for _, e := range c.Endpoints {
		all = append(all, net.JoinHostPort(e.Host, strconv.Itoa(int(e.Port))))
	}
	return all
}

// reconcileEndpoints lists the API servers: the node's own first, by the
// loopback address, then those of members in the order of their names.
func reconcileEndpoints(_ context.Context, s *resource.Session) error {
	c, ok, err := configspec.Config(s)
	if err != nil || !ok || c.Main() == nil || c.Main().Cluster == nil {
		return err
	}
	var out spec.KubePrismEndpointSpec
	kind, ok := configspec.MachineTypes.Get(s, "machine-type")
	if ok && kind.Type != value.MachineTypeWorker {
		port := defaultAPIPort
		if control := c.Main().Cluster.ControlPlane; control != nil {
			port = cmp.Or(control.LocalAPIServerPort, port)
		}
		out.Endpoints = append(out.Endpoints, spec.KubePrismEndpoint{Host: "127.0.0.1", Port: uint32(port)})
	}
	self, _ := clusterspec.Identities.Get(s, "local")
	for _, m := range clusterspec.Members.List(s) {
		if m.Spec.ControlPlane == nil || m.Spec.NodeID == self.NodeID || len(m.Spec.Addresses) == 0 {
			continue
		}
		endpoint := spec.KubePrismEndpoint{Host: preferred(m.Spec.Addresses).String(), Port: uint32(m.Spec.ControlPlane.Port)}
		if !slices.Contains(out.Endpoints, endpoint) {
			out.Endpoints = append(out.Endpoints, endpoint)
		}
	}
	spec.KubePrismEndpoints.Put(s, endpointID, out)
	return nil
}

// preferred is the first address, which the node itself puts first.
func preferred(addresses []netip.Addr) netip.Addr { return addresses[0] }

func reconcileConfig(_ context.Context, s *resource.Session) error {
	c, ok, err := configspec.Config(s)
	if err != nil || !ok {
		return err
	}
	if c.Main() == nil || c.Main().KubePrismPort() == 0 {
		return nil
	}
	port := c.Main().KubePrismPort()
	out := spec.KubePrismConfigSpec{Host: "127.0.0.1", Port: port}
	if known, ok := spec.KubePrismEndpoints.Get(s, endpointID); ok {
		out.Endpoints = append(out.Endpoints, known.Endpoints...)
	}
	// The endpoint comes last: it is all that a worker knows at first.
	if control := c.Main().Cluster.ControlPlane; control != nil && control.Endpoint != nil {
		host, port := control.Endpoint.Hostname(), control.Endpoint.Port()
		number, err := strconv.ParseUint(cmp.Or(port, "443"), 10, 16)
		endpoint := spec.KubePrismEndpoint{Host: host, Port: uint32(number)}
		if err == nil && host != "" && !slices.Contains(out.Endpoints, endpoint) {
			out.Endpoints = append(out.Endpoints, endpoint)
		}
	}
	spec.KubePrismConfigs.Put(s, configID, out)
	return nil
}
