package spec

import (
	"net/netip"
	"time"

	"github.com/ichor-os/ichor/resource"
)

// SettledAddresses are the node's addresses after they have stood for a while:
// what is started with an address reads them here, so that an address that goes
// and comes back restarts nothing. Clients do not see the kind.
var SettledAddresses = resource.Define[SettledAddressSpec]("SettledAddresses.kubernetes.ichor.dev",
	resource.Namespace("k8s"), resource.Singleton("node"))

// SettledAddressSpec is the spec of [SettledAddresses].
type SettledAddressSpec struct {
	Addresses []netip.Addr `yaml:"addresses" protobuf:"1"`
	// Next are addresses that were seen since Since and do not count yet.
	Next  []netip.Addr `yaml:"next,omitempty" protobuf:"2"`
	Since time.Time    `yaml:"since,omitempty" protobuf:"3"`
}
