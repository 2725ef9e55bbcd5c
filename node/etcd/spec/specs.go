package spec

import (
	"net/netip"
)

// EtcdConfigSpec is the spec of [EtcdConfigs].
type EtcdConfigSpec struct {
	AdvertiseValidSubnets   []string             `yaml:"advertiseValidSubnets,omitempty" protobuf:"1"`
	AdvertiseExcludeSubnets []string             `yaml:"advertiseExcludeSubnets" protobuf:"2"`
	ListenValidSubnets      []string             `yaml:"listenValidSubnets,omitempty" protobuf:"5"`
	ListenExcludeSubnets    []string             `yaml:"listenExcludeSubnets" protobuf:"6"`
	Image                   string               `yaml:"image" protobuf:"3"`
	ExtraArgs               map[string]ArgValues `yaml:"extraArgs" protobuf:"7"`
}

// ArgValues is a part of [EtcdConfigSpec].
type ArgValues struct {
	Values []string `yaml:"values" protobuf:"1"`
}

// EtcdSpecSpec is the spec of [EtcdSpecs].
type EtcdSpecSpec struct {
	Name                  string               `yaml:"name" protobuf:"1"`
	AdvertisedAddresses   []netip.Addr         `yaml:"advertisedAddresses" protobuf:"2"`
	ListenPeerAddresses   []netip.Addr         `yaml:"listenPeerAddresses" protobuf:"5"`
	ListenClientAddresses []netip.Addr         `yaml:"listenClientAddresses" protobuf:"6"`
	Image                 string               `yaml:"image" protobuf:"3"`
	ExtraArgs             map[string]ArgValues `yaml:"extraArgs" protobuf:"7"`
}

// EtcdMemberSpec is the spec of [EtcdMembers].
type EtcdMemberSpec struct {
	MemberID string `yaml:"memberID" protobuf:"1"`
}

// PKIStatusSpec is the spec of [PKIStatuses].
type PKIStatusSpec struct {
	Ready   bool   `yaml:"ready" protobuf:"1"`
	Version string `yaml:"version" protobuf:"2"`
}
