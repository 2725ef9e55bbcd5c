package etcd

import (
	"context"
	"fmt"
	"log/slog"
	"net/netip"
	"slices"
	"strings"

	"github.com/ichor-os/ichor/config/documents/v1alpha1"
	configspec "github.com/ichor-os/ichor/node/config/spec"
	"github.com/ichor-os/ichor/node/etcd/spec"
	kubeletspec "github.com/ichor-os/ichor/node/kubelet/spec"
	"github.com/ichor-os/ichor/resource"
	"github.com/ichor-os/ichor/version"
)

// refusedArgs are arguments that belong to the system: with others the member
// would not be the one that the cluster knows, or would open its data.
var refusedArgs = []string{
	"name", "data-dir", "wal-dir", "listen-peer-urls", "listen-client-urls", "advertise-client-urls", "initial-advertise-peer-urls",
	"initial-cluster", "initial-cluster-state", "initial-cluster-token", "force-new-cluster", "config-file",
	"cert-file", "key-file", "trusted-ca-file", "client-cert-auth", "auto-tls",
	"peer-cert-file", "peer-key-file", "peer-trusted-ca-file", "peer-client-cert-auth", "peer-auto-tls",
}

// reconcileConfig says what the config wants of the member.
func reconcileConfig(_ context.Context, s *resource.Session) error {
	c, ok, err := configspec.Config(s)
	if err != nil || !ok {
		return err
	}
	main := c.Main()
	if main == nil || main.Machine == nil || main.Cluster == nil || main.Machine.Type == "worker" || main.Cluster.Etcd == nil {
		return nil
	}
	out := configOf(main.Cluster.Etcd)
	// No member is reached at an address inside the cluster or one that wanders.
	if nodes, ok := kubeletspec.NodeIPConfigs.Get(s, "kubelet"); ok {
		never := nodes.ExcludeSubnets
		out.AdvertiseExcludeSubnets = append(out.AdvertiseExcludeSubnets, never...)
		out.ListenExcludeSubnets = append(out.ListenExcludeSubnets, never...)
	}
	spec.EtcdConfigs.Put(s, "etcd", out)
	return nil
}

func configOf(etcd *v1alpha1.EtcdConfig) spec.EtcdConfigSpec {
	out := spec.EtcdConfigSpec{Image: version.EtcdImage, ExtraArgs: map[string]spec.ArgValues{}}
	if etcd.Image != "" {
		out.Image = etcd.Image
	}
	advertised := etcd.AdvertisedSubnets
	if len(advertised) == 0 && etcd.Subnet != "" {
		advertised = []string{etcd.Subnet}
	}
	listen := etcd.ListenSubnets
	if len(listen) == 0 {
		listen = advertised
	}
	out.AdvertiseValidSubnets, out.AdvertiseExcludeSubnets = signs(advertised)
	out.ListenValidSubnets, out.ListenExcludeSubnets = signs(listen)
	for name, argument := range etcd.ExtraArgs {
		out.ExtraArgs[name] = spec.ArgValues{Values: argument.Values}
	}
	return out
}

// signs parts subnets from those with a leading "!", which exclude.
func signs(subnets []string) (valid, excluded []string) {
	for _, subnet := range subnets {
		if not, ok := strings.CutPrefix(subnet, "!"); ok {
			excluded = append(excluded, not)
		} else {
			valid = append(valid, subnet)
		}
	}
	return valid, excluded
}

// reconcileSpec says how the member is started.
func (m *Member) reconcileSpec(_ context.Context, s *resource.Session) error {
	config, ok := spec.EtcdConfigs.Get(s, "etcd")
	if !ok {
		return nil
	}
	node, ok := kubeletspec.Nodenames.Get(s, "nodename")
	if !ok {
		return resource.Hold("waiting for the node's name")
	}
	settled, ok := kubeletspec.SettledAddresses.Get(s)
	if !ok {
		return resource.Hold("waiting for the node's addresses")
	}
	out, err := specOf(config, node.Nodename, settled.Addresses)
	m.said.Tell(m.Log, slog.LevelError, "etcd goes on as it was", err)
	if err != nil {
		return err
	}
	if len(out.AdvertisedAddresses) == 0 {
		return resource.Hold("none of the node's addresses lies in cluster.etcd.advertisedSubnets")
	}
	spec.EtcdSpecs.Put(s, "etcd", out)
	return nil
}

func specOf(config spec.EtcdConfigSpec, name string, addresses []netip.Addr) (spec.EtcdSpecSpec, error) {
	out := spec.EtcdSpecSpec{Name: name, Image: config.Image, ExtraArgs: config.ExtraArgs}
	for arg := range config.ExtraArgs {
		if slices.Contains(refusedArgs, arg) {
			return out, fmt.Errorf("cluster.etcd.extraArgs: %s: the system sets this argument itself", arg)
		}
	}
	var err error
	if out.AdvertisedAddresses, err = choose(addresses, config.AdvertiseValidSubnets, config.AdvertiseExcludeSubnets); err != nil {
		return out, fmt.Errorf("read cluster.etcd.advertisedSubnets: %w", err)
	}
	if out.ListenPeerAddresses, err = choose(addresses, config.ListenValidSubnets, config.ListenExcludeSubnets); err != nil {
		return out, fmt.Errorf("read cluster.etcd.listenSubnets: %w", err)
	}
	out.ListenClientAddresses = append(slices.Clone(out.ListenPeerAddresses), netip.MustParseAddr("127.0.0.1"))
	return out, nil
}

// choose keeps the addresses in valid and not in excluded; without valid ones
// the first that is not excluded.
func choose(addresses []netip.Addr, valid, excluded []string) ([]netip.Addr, error) {
	out, err := kubeletspec.Choose(addresses, valid, excluded)
	if err == nil && len(valid) == 0 && len(out) > 1 {
		out = out[:1]
	}
	return out, err
}
