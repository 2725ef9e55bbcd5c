// Package spec holds the resources about the etcd member on a node.
package spec

import "github.com/ichor-os/ichor/resource"

// The kinds of this noun.
var (
	// EtcdConfigs: what the config says of the member.
	EtcdConfigs = resource.Define[EtcdConfigSpec]("EtcdConfigs.etcd.talos.dev",
		resource.Namespace("etcd"), resource.DisplayType("EtcdConfig"), resource.Columns(
			resource.Column{Name: "Image", Path: "{.image}"},
		))
	// EtcdSpecs: how the member is to be started.
	EtcdSpecs = resource.Define[EtcdSpecSpec]("EtcdSpecs.etcd.talos.dev",
		resource.Namespace("etcd"), resource.DisplayType("EtcdSpec"), resource.Columns(
			resource.Column{Name: "Name", Path: "{.name}"},
			resource.Column{Name: "AdvertisedAddresses", Path: "{.advertisedAddresses}"},
			resource.Column{Name: "ListenPeerAddresses", Path: "{.listenPeerAddresses}"},
			resource.Column{Name: "ListenClientAddresses", Path: "{.listenClientAddresses}"},
		))
	// EtcdMembers: the member as etcd knows it.
	EtcdMembers = resource.Define[EtcdMemberSpec]("EtcdMembers.etcd.talos.dev",
		resource.Namespace("etcd"), resource.DisplayType("EtcdMember"), resource.Columns(
			resource.Column{Name: "Member ID", Path: "{.memberID}"},
		))
	// PKIStatuses: whether the member's certificates are in place.
	PKIStatuses = resource.Define[PKIStatusSpec]("PKIStatuses.etcd.talos.dev",
		resource.Namespace("etcd"), resource.DisplayType("PKIStatus"), resource.Columns(
			resource.Column{Name: "Ready", Path: "{.ready}"},
			resource.Column{Name: "Secrets Version", Path: "{.version}"},
		))
)

// Kinds lists them.
func Kinds() []resource.AnyKind {
	return []resource.AnyKind{
		EtcdConfigs,
		EtcdSpecs,
		EtcdMembers,
		PKIStatuses,
	}
}
