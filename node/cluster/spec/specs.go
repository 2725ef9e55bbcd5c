package spec

import (
	"log/slog"
	"net/netip"

	"github.com/ichor-os/ichor/resource/value"
)

// IdentitySpec is the spec of [Identities].
type IdentitySpec struct {
	NodeID string `yaml:"nodeId" protobuf:"1"`
}

// InfoSpec is the spec of [Infos].
type InfoSpec struct {
	ClusterID   string `yaml:"clusterId" protobuf:"1"`
	ClusterName string `yaml:"clusterName" protobuf:"2"`
}

// AffiliateSpec is the spec of [Affiliates].
type AffiliateSpec struct {
	NodeID          string                `yaml:"nodeId" protobuf:"1"`
	Addresses       []netip.Addr          `yaml:"addresses" protobuf:"2"`
	Hostname        string                `yaml:"hostname" protobuf:"3"`
	Nodename        string                `yaml:"nodename,omitempty" protobuf:"4"`
	OperatingSystem string                `yaml:"operatingSystem" protobuf:"5"`
	MachineType     value.MachineType     `yaml:"machineType" protobuf:"6"`
	Kubespan        KubeSpanAffiliateSpec `yaml:"kubespan,omitempty" protobuf:"7"`
	ControlPlane    *ControlPlane         `yaml:"controlPlane,omitempty" protobuf:"8"`
}

// KubeSpanAffiliateSpec is a part of [AffiliateSpec].
type KubeSpanAffiliateSpec struct {
	PublicKey                 string           `yaml:"publicKey" protobuf:"1"`
	Address                   netip.Addr       `yaml:"address" protobuf:"2"`
	AdditionalAddresses       []netip.Prefix   `yaml:"additionalAddresses" protobuf:"3"`
	Endpoints                 []netip.AddrPort `yaml:"endpoints" protobuf:"4"`
	ExcludeAdvertisedNetworks []netip.Prefix   `yaml:"excludeAdvertisedNetworks" protobuf:"5"`
}

// ControlPlane is a part of [AffiliateSpec].
type ControlPlane struct {
	Port int `yaml:"port" protobuf:"1"`
}

// MemberSpec is the spec of [Members].
type MemberSpec struct {
	NodeID          string            `yaml:"nodeId" protobuf:"1"`
	Addresses       []netip.Addr      `yaml:"addresses" protobuf:"2"`
	Hostname        string            `yaml:"hostname" protobuf:"3"`
	MachineType     value.MachineType `yaml:"machineType" protobuf:"4"`
	OperatingSystem string            `yaml:"operatingSystem" protobuf:"5"`
	ControlPlane    *ControlPlane     `yaml:"controlPlane,omitempty" protobuf:"6"`
}

// DiscoveryConfigSpec is the spec of [DiscoveryConfigs].
type DiscoveryConfigSpec struct {
	DiscoveryEnabled          bool   `yaml:"discoveryEnabled" protobuf:"1"`
	RegistryKubernetesEnabled bool   `yaml:"registryKubernetesEnabled" protobuf:"2"`
	RegistryServiceEnabled    bool   `yaml:"registryServiceEnabled" protobuf:"3"`
	ServiceEndpoint           string `yaml:"serviceEndpoint" protobuf:"4"`
	ServiceEndpointInsecure   bool   `yaml:"serviceEndpointInsecure,omitempty" protobuf:"5"`
	ServiceEncryptionKey      []byte `yaml:"serviceEncryptionKey" protobuf:"6"`
	ServiceClusterID          string `yaml:"serviceClusterID" protobuf:"7"`
}

// LogValue keeps secrets out of logs.
func (DiscoveryConfigSpec) LogValue() slog.Value { return slog.StringValue("redacted") }

// KubernetesAccessConfigSpec is the spec of [KubernetesAccessConfigs].
type KubernetesAccessConfigSpec struct {
	Enabled                     bool     `yaml:"enabled" protobuf:"1"`
	AllowedAPIRoles             []string `yaml:"allowedAPIRoles" protobuf:"2"`
	AllowedKubernetesNamespaces []string `yaml:"allowedKubernetesNamespaces" protobuf:"3"`
}
