// Package spec holds the resources about the cluster and its members.
package spec

import "github.com/ichor-os/ichor/resource"

// The kinds of this noun.
var (
	// Identities: who this node is.
	Identities = resource.Define[IdentitySpec]("Identities.cluster.talos.dev",
		resource.Namespace("cluster"), resource.DisplayType("Identity"), resource.Columns(
			resource.Column{Name: "ID", Path: "{.nodeId}"},
		))
	// Infos: which cluster this node belongs to.
	Infos = resource.Define[InfoSpec]("Infos.cluster.talos.dev",
		resource.Namespace("cluster"), resource.DisplayType("Info"), resource.Columns(
			resource.Column{Name: "Cluster ID", Path: "{.clusterId}"},
			resource.Column{Name: "Cluster Name", Path: "{.clusterName}"},
		))
	// Affiliates: a node that discovery has found.
	Affiliates = resource.Define[AffiliateSpec]("Affiliates.cluster.talos.dev",
		resource.Namespace("cluster"), resource.DisplayType("Affiliate"), resource.Columns(
			resource.Column{Name: "Hostname", Path: "{.hostname}"},
			resource.Column{Name: "Machine Type", Path: "{.machineType}"},
			resource.Column{Name: "Addresses", Path: "{.addresses}"},
		))
	// Members: a node of the cluster.
	Members = resource.Define[MemberSpec]("Members.cluster.talos.dev",
		resource.Namespace("cluster"), resource.DisplayType("Member"), resource.Columns(
			resource.Column{Name: "Hostname", Path: "{.hostname}"},
			resource.Column{Name: "Machine Type", Path: "{.machineType}"},
			resource.Column{Name: "OS", Path: "{.operatingSystem}"},
			resource.Column{Name: "Addresses", Path: "{.addresses}"},
		))
	// DiscoveryConfigs: how members find each other.
	DiscoveryConfigs = resource.Define[DiscoveryConfigSpec]("DiscoveryConfigs.cluster.talos.dev",
		resource.Namespace("config"), resource.DisplayType("DiscoveryConfig"), resource.Sensitive())
	// KubernetesAccessConfigs: what pods may ask of the node's API.
	KubernetesAccessConfigs = resource.Define[KubernetesAccessConfigSpec]("KubernetesAccessConfigs.cluster.talos.dev",
		resource.Namespace("config"), resource.DisplayType("KubernetesAccessConfig"))
)

// Kinds lists them.
func Kinds() []resource.AnyKind {
	return []resource.AnyKind{
		Identities,
		Infos,
		Affiliates,
		Members,
		DiscoveryConfigs,
		KubernetesAccessConfigs,
	}
}
