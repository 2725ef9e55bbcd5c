// Package spec holds the resources about the encrypted network between nodes.
package spec

import "github.com/ichor-os/ichor/resource"

// The kinds of this noun.
var (
	// KubeSpanConfigs: how the network is set up.
	KubeSpanConfigs = resource.Define[KubeSpanConfigSpec]("KubeSpanConfigs.kubespan.talos.dev",
		resource.Namespace("config"), resource.DisplayType("KubeSpanConfig"), resource.Sensitive())
	// KubeSpanIdentities: this node's key and address.
	KubeSpanIdentities = resource.Define[KubeSpanIdentitySpec]("KubeSpanIdentities.kubespan.talos.dev",
		resource.Namespace("kubespan"), resource.DisplayType("KubeSpanIdentity"), resource.Sensitive(), resource.Columns(
			resource.Column{Name: "Address", Path: "{.address}"},
			resource.Column{Name: "PublicKey", Path: "{.publicKey}"},
		))
	// KubeSpanPeerSpecs: a peer that is wanted.
	KubeSpanPeerSpecs = resource.Define[KubeSpanPeerSpecSpec]("KubeSpanPeerSpecs.kubespan.talos.dev",
		resource.Namespace("kubespan"), resource.DisplayType("KubeSpanPeerSpec"), resource.Columns(
			resource.Column{Name: "Label", Path: "{.label}"},
			resource.Column{Name: "Endpoints", Path: "{.endpoints}"},
		))
	// KubeSpanPeerStatuses: a peer as it is.
	KubeSpanPeerStatuses = resource.Define[KubeSpanPeerStatusSpec]("KubeSpanPeerStatuses.kubespan.talos.dev",
		resource.Namespace("kubespan"), resource.DisplayType("KubeSpanPeerStatus"), resource.Columns(
			resource.Column{Name: "Label", Path: "{.label}"},
			resource.Column{Name: "Endpoint", Path: "{.endpoint}"},
			resource.Column{Name: "State", Path: "{.state}"},
			resource.Column{Name: "Rx", Path: "{.receiveBytes}"},
			resource.Column{Name: "Tx", Path: "{.transmitBytes}"},
		))
	// KubeSpanEndpoints: an endpoint at which a peer was reached.
	KubeSpanEndpoints = resource.Define[KubeSpanEndpointSpec]("KubeSpanEndpoints.kubespan.talos.dev",
		resource.Namespace("kubespan"), resource.DisplayType("KubeSpanEndpoint"), resource.Columns(
			resource.Column{Name: "Endpoint", Path: "{.endpoint}"},
			resource.Column{Name: "Affiliate ID", Path: "{.affiliateID}"},
		))
)

// Kinds lists them.
func Kinds() []resource.AnyKind {
	return []resource.AnyKind{
		KubeSpanConfigs,
		KubeSpanIdentities,
		KubeSpanPeerSpecs,
		KubeSpanPeerStatuses,
		KubeSpanEndpoints,
	}
}
