// Package cluster is what a node knows of the cluster that it belongs to: who it
// is itself, which other nodes there are, and which of them are members.
//
// Affiliates are nodes that share the cluster's secret; those that have a name
// in Kubernetes are members. How they find each other is in package discovery.
// It also tells whether all of the cluster works.
package cluster

import (
	"context"
	"fmt"
	"net/netip"
	"slices"

	"github.com/ichor-os/ichor/node/cluster/spec"
	configspec "github.com/ichor-os/ichor/node/config/spec"
	dnsspec "github.com/ichor-os/ichor/node/dns/spec"
	kubeletspec "github.com/ichor-os/ichor/node/kubelet/spec"
	linkspec "github.com/ichor-os/ichor/node/link/spec"
	"github.com/ichor-os/ichor/resource"
	"github.com/ichor-os/ichor/resource/value"
	"github.com/ichor-os/ichor/version"
)

// raw is where affiliates stand by where they are known from.
var raw = spec.Affiliates.In("cluster-raw")

// Prefixes of the ids of raw affiliates. Local ones go before found ones.
const (
	localPrefix = "local/"
	foundPrefix = "service/"
)

// Blocks are the reconcilers of the noun.
func Blocks(d *Discovery) []resource.Block {
	return []resource.Block{
		resource.Source("cluster-identity", spec.Identities, showIdentity),
		resource.Reconciler("cluster-info", reconcileInfo),
		resource.Reconciler("cluster-discovery-config", reconcileConfig),
		resource.Reconciler("cluster-local-affiliate", reconcileLocal),
		resource.Reconciler("cluster-affiliates", reconcileAffiliates),
		resource.Reconciler("cluster-members", reconcileMembers),
		resource.Source("cluster-discovery", raw, d.feed),
		resource.Mirror("cluster-discovery-announce", raw, nil, d.announce, d.withdraw),
	}
}

// showIdentity shows who the node is, once.
func showIdentity(ctx context.Context, f *resource.Feed[spec.IdentitySpec]) error {
	identity, err := Identity(IdentityFile)
	if err != nil {
		return err
	}
	if err := f.Replace(resource.Item[spec.IdentitySpec]{ID: "local", Spec: identity}); err != nil {
		return err
	}
	<-ctx.Done()
	return ctx.Err()
}

func reconcileInfo(_ context.Context, s *resource.Session) error {
	c, ok, err := configspec.Config(s)
	if err != nil || !ok || c.Main() == nil || c.Main().Cluster == nil {
		return err
	}
	who := identityOf(c)
	spec.Infos.Put(s, "current", spec.InfoSpec{ClusterID: who.id, ClusterName: c.Main().Cluster.ClusterName})
	return nil
}

func reconcileConfig(_ context.Context, s *resource.Session) error {
	c, ok, err := configspec.Config(s)
	if err != nil || !ok {
		return err
	}
	who := identityOf(c)
	spec.DiscoveryConfigs.Put(s, "cluster", spec.DiscoveryConfigSpec{
		DiscoveryEnabled: who.enabled, RegistryServiceEnabled: who.enabled,
		ServiceEncryptionKey: who.secret, ServiceClusterID: who.id,
	})
	return nil
}

// reconcileLocal says who this node is.
func reconcileLocal(_ context.Context, s *resource.Session) error {
	c, ok, err := configspec.Config(s)
	if err != nil || !ok || c.Main() == nil {
		return err
	}
	identity, ok := spec.Identities.Get(s, "local")
	if !ok {
		return resource.Hold("waiting for the node's identity")
	}
	addresses := addressesOf(s)
	if len(addresses) == 0 {
		return resource.Hold("waiting for the node's addresses")
	}
	hostname, ok := dnsspec.HostnameStatuses.Get(s, "hostname")
	if !ok {
		return resource.Hold("waiting for the node's name")
	}
	affiliate := spec.AffiliateSpec{
		NodeID: identity.NodeID, Hostname: fullName(hostname), Addresses: addresses,
		OperatingSystem: fmt.Sprintf("%s (%s)", version.Name, version.Tag),
		MachineType:     value.MachineTypeWorker,
	}
	if name, ok := kubeletspec.Nodenames.Get(s, "nodename"); ok {
		affiliate.Nodename = name.Nodename
	}
	if kind, ok := configspec.MachineTypes.Get(s, "machine-type"); ok {
		affiliate.MachineType = kind.Type
	}
	if affiliate.MachineType != value.MachineTypeWorker {
		affiliate.ControlPlane = &spec.ControlPlane{Port: portOf(c)}
	}
	raw.Put(s, localPrefix+identity.NodeID, affiliate)
	return nil
}

func fullName(h dnsspec.HostnameStatusSpec) string {
	if h.Domainname == "" {
		return h.Hostname
	}
	return h.Hostname + "." + h.Domainname
}

// addressesOf gives the addresses that others reach the node at: pods' are not.
func addressesOf(s *resource.Session) []netip.Addr {
	for _, id := range []string{"routed-no-k8s", "current-no-k8s", "routed", "current"} {
		found, ok := linkspec.NodeAddresses.Get(s, id)
		if !ok || len(found.Addresses) == 0 {
			continue
		}
		var all []netip.Addr
		for _, prefix := range found.Addresses {
			if a := prefix.Addr(); !a.IsLoopback() && !a.IsLinkLocalUnicast() && !slices.Contains(all, a) {
				all = append(all, a)
			}
		}
		return all
	}
	return nil
}

// reconcileAffiliates makes one of what is known of a node: what it says here
// goes before what others say of it.
func reconcileAffiliates(_ context.Context, s *resource.Session) error {
	seen := map[string]bool{}
	for _, prefix := range []string{localPrefix, foundPrefix} {
		for _, a := range raw.List(s) {
			if len(a.ID) > len(prefix) && a.ID[:len(prefix)] == prefix && !seen[a.Spec.NodeID] {
				seen[a.Spec.NodeID] = true
				spec.Affiliates.Put(s, a.Spec.NodeID, a.Spec)
			}
		}
	}
	return nil
}

// reconcileMembers lists the affiliates that are nodes in Kubernetes. Of two
// with one name the lower id counts: the other one is told of as a conflict.
func reconcileMembers(_ context.Context, s *resource.Session) error {
	seen := map[string]bool{}
	for _, a := range spec.Affiliates.List(s) {
		if a.Spec.Nodename == "" || seen[a.Spec.Nodename] {
			continue
		}
		seen[a.Spec.Nodename] = true
		spec.Members.Put(s, a.Spec.Nodename, spec.MemberSpec{
			NodeID: a.Spec.NodeID, Addresses: a.Spec.Addresses, Hostname: a.Spec.Hostname, MachineType: a.Spec.MachineType,
			OperatingSystem: a.Spec.OperatingSystem, ControlPlane: a.Spec.ControlPlane,
		})
	}
	return nil
}
