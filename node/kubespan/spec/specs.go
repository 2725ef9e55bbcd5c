package spec

import (
	"log/slog"
	"net/netip"
	"time"
)

// KubeSpanConfigSpec is the spec of [KubeSpanConfigs].
type KubeSpanConfigSpec struct {
	Enabled                     bool             `yaml:"enabled" protobuf:"1"`
	ClusterID                   string           `yaml:"clusterId" protobuf:"2"`
	SharedSecret                string           `yaml:"sharedSecret" protobuf:"3"`
	ForceRouting                bool             `yaml:"forceRouting" protobuf:"4"`
	AdvertiseKubernetesNetworks bool             `yaml:"advertiseKubernetesNetworks" protobuf:"5"`
	MTU                         uint32           `yaml:"mtu,omitempty" protobuf:"6"`
	EndpointFilters             []string         `yaml:"endpointFilters,omitempty" protobuf:"7"`
	HarvestExtraEndpoints       bool             `yaml:"harvestExtraEndpoints" protobuf:"8"`
	ExtraEndpoints              []netip.AddrPort `yaml:"extraEndpoints,omitempty" protobuf:"9"`
	ExcludeAdvertisedNetworks   []netip.Prefix   `yaml:"excludeAdvertisedNetworks,omitempty" protobuf:"10"`
}

// LogValue keeps secrets out of logs.
func (KubeSpanConfigSpec) LogValue() slog.Value { return slog.StringValue("redacted") }

// KubeSpanIdentitySpec is the spec of [KubeSpanIdentities].
type KubeSpanIdentitySpec struct {
	Address    netip.Prefix `yaml:"address" protobuf:"1"`
	Subnet     netip.Prefix `yaml:"subnet" protobuf:"2"`
	PrivateKey string       `yaml:"privateKey" protobuf:"3"`
	PublicKey  string       `yaml:"publicKey" protobuf:"4"`
}

// LogValue keeps secrets out of logs.
func (KubeSpanIdentitySpec) LogValue() slog.Value { return slog.StringValue("redacted") }

// KubeSpanPeerSpecSpec is the spec of [KubeSpanPeerSpecs].
type KubeSpanPeerSpecSpec struct {
	Address    netip.Addr       `yaml:"address" protobuf:"1"`
	AllowedIPs []netip.Prefix   `yaml:"allowedIPs" protobuf:"2"`
	Endpoints  []netip.AddrPort `yaml:"endpoints" protobuf:"3"`
	Label      string           `yaml:"label" protobuf:"4"`
}

// KubeSpanPeerStatusSpec is the spec of [KubeSpanPeerStatuses].
type KubeSpanPeerStatusSpec struct {
	Endpoint           netip.AddrPort `yaml:"endpoint" protobuf:"1"`
	Label              string         `yaml:"label" protobuf:"2"`
	State              PeerState      `yaml:"state" protobuf:"3"`
	ReceiveBytes       int64          `yaml:"receiveBytes" protobuf:"4"`
	TransmitBytes      int64          `yaml:"transmitBytes" protobuf:"5"`
	LastHandshakeTime  time.Time      `yaml:"lastHandshakeTime" protobuf:"6"`
	LastUsedEndpoint   netip.AddrPort `yaml:"lastUsedEndpoint" protobuf:"7"`
	LastEndpointChange time.Time      `yaml:"lastEndpointChange" protobuf:"8"`
}

// KubeSpanEndpointSpec is the spec of [KubeSpanEndpoints].
type KubeSpanEndpointSpec struct {
	AffiliateID string         `yaml:"affiliateID" protobuf:"1"`
	Endpoint    netip.AddrPort `yaml:"endpoint" protobuf:"2"`
}
