package spec

import (
	"log/slog"
	"net/netip"
)

// APIServerConfigSpec is the spec of [APIServerConfigs].
type APIServerConfigSpec struct {
	Image                string               `yaml:"image" protobuf:"1"`
	CloudProvider        string               `yaml:"cloudProvider" protobuf:"2"`
	ControlPlaneEndpoint string               `yaml:"controlPlaneEndpoint" protobuf:"3"`
	EtcdServers          []string             `yaml:"etcdServers" protobuf:"4"`
	LocalPort            int                  `yaml:"localPort" protobuf:"5"`
	ServiceCIDR          []string             `yaml:"serviceCIDR" protobuf:"6"`
	ExtraArgs            map[string]ArgValues `yaml:"extraArgs" protobuf:"13"`
	ExtraVolumes         []ExtraVolume        `yaml:"extraVolumes" protobuf:"8"`
	EnvironmentVariables map[string]string    `yaml:"environmentVariables" protobuf:"9"`
	AdvertisedAddress    string               `yaml:"advertisedAddress" protobuf:"11"`
	Resources            Resources            `yaml:"resources" protobuf:"12"`
}

// LogValue keeps secrets out of logs.
func (APIServerConfigSpec) LogValue() slog.Value { return slog.StringValue("redacted") }

// ArgValues is a part of [APIServerConfigSpec].
type ArgValues struct {
	Values []string `yaml:"values" protobuf:"1"`
}

// ExtraVolume is a part of [APIServerConfigSpec].
type ExtraVolume struct {
	Name      string `yaml:"name" protobuf:"1"`
	HostPath  string `yaml:"hostPath" protobuf:"2"`
	MountPath string `yaml:"mountPath" protobuf:"3"`
	Readonly  bool   `yaml:"readonly" protobuf:"4"`
}

// Resources is a part of [APIServerConfigSpec].
type Resources struct {
	Requests map[string]string `yaml:"requests" protobuf:"1"`
	Limits   map[string]string `yaml:"limits" protobuf:"2"`
}

// ControllerManagerConfigSpec is the spec of [ControllerManagerConfigs].
type ControllerManagerConfigSpec struct {
	Enabled              bool                 `yaml:"enabled" protobuf:"1"`
	Image                string               `yaml:"image" protobuf:"2"`
	CloudProvider        string               `yaml:"cloudProvider" protobuf:"3"`
	PodCIDRs             []string             `yaml:"podCIDRs" protobuf:"4"`
	ServiceCIDRs         []string             `yaml:"serviceCIDRs" protobuf:"5"`
	ExtraArgs            map[string]ArgValues `yaml:"extraArgs" protobuf:"10"`
	ExtraVolumes         []ExtraVolume        `yaml:"extraVolumes" protobuf:"7"`
	EnvironmentVariables map[string]string    `yaml:"environmentVariables" protobuf:"8"`
	Resources            Resources            `yaml:"resources" protobuf:"9"`
}

// SchedulerConfigSpec is the spec of [SchedulerConfigs].
type SchedulerConfigSpec struct {
	Enabled              bool                 `yaml:"enabled" protobuf:"1"`
	Image                string               `yaml:"image" protobuf:"2"`
	ExtraArgs            map[string]ArgValues `yaml:"extraArgs" protobuf:"8"`
	ExtraVolumes         []ExtraVolume        `yaml:"extraVolumes" protobuf:"4"`
	EnvironmentVariables map[string]string    `yaml:"environmentVariables" protobuf:"5"`
	Resources            Resources            `yaml:"resources" protobuf:"6"`
	Config               map[string]any       `yaml:"config" protobuf:"7"`
}

// AdmissionControlConfigSpec is the spec of [AdmissionControlConfigs].
type AdmissionControlConfigSpec struct {
	Config []AdmissionPluginSpec `yaml:"config" protobuf:"1"`
}

// AdmissionPluginSpec is a part of [AdmissionControlConfigSpec].
type AdmissionPluginSpec struct {
	Name          string         `yaml:"name" protobuf:"1"`
	Configuration map[string]any `yaml:"configuration" protobuf:"2"`
}

// AuditPolicyConfigSpec is the spec of [AuditPolicyConfigs].
type AuditPolicyConfigSpec struct {
	Config map[string]any `yaml:"config" protobuf:"1"`
}

// LogValue keeps secrets out of logs.
func (AuditPolicyConfigSpec) LogValue() slog.Value { return slog.StringValue("redacted") }

// AuthorizationConfigSpec is the spec of [AuthorizationConfigs].
type AuthorizationConfigSpec struct {
	Image  string                         `yaml:"image" protobuf:"1"`
	Config []AuthorizationAuthorizersSpec `yaml:"config" protobuf:"2"`
}

// LogValue keeps secrets out of logs.
func (AuthorizationConfigSpec) LogValue() slog.Value { return slog.StringValue("redacted") }

// AuthorizationAuthorizersSpec is a part of [AuthorizationConfigSpec].
type AuthorizationAuthorizersSpec struct {
	Type    string         `yaml:"type" protobuf:"1"`
	Name    string         `yaml:"name" protobuf:"2"`
	Webhook map[string]any `yaml:"webhook" protobuf:"3"`
}

// BootstrapManifestsConfigSpec is the spec of [BootstrapManifestsConfigs].
type BootstrapManifestsConfigSpec struct {
	Server                            string   `yaml:"string" protobuf:"1"`
	ClusterDomain                     string   `yaml:"clusterDomain" protobuf:"2"`
	PodCIDRs                          []string `yaml:"podCIDRs" protobuf:"3"`
	ProxyEnabled                      bool     `yaml:"proxyEnabled" protobuf:"4"`
	ProxyImage                        string   `yaml:"proxyImage" protobuf:"5"`
	ProxyArgs                         []string `yaml:"proxyArgs" protobuf:"6"`
	CoreDNSEnabled                    bool     `yaml:"coreDNSEnabled" protobuf:"7"`
	CoreDNSImage                      string   `yaml:"coreDNSImage" protobuf:"8"`
	DNSServiceIP                      string   `yaml:"dnsServiceIP" protobuf:"9"`
	DNSServiceIPv6                    string   `yaml:"dnsServiceIPv6" protobuf:"10"`
	FlannelEnabled                    bool     `yaml:"flannelEnabled" protobuf:"11"`
	FlannelImage                      string   `yaml:"flannelImage" protobuf:"12"`
	FlannelExtraArgs                  []string `yaml:"flannelExtraArgs" protobuf:"16"`
	FlannelKubeServiceHost            string   `yaml:"flannelKubeServiceHost" protobuf:"17"`
	FlannelKubeServicePort            string   `yaml:"flannelKubeServicePort" protobuf:"18"`
	FlannelKubeNetworkPoliciesEnabled bool     `yaml:"flannelKubeNetworkPoliciesEnabled" protobuf:"19"`
	FlannelKubeNetworkPoliciesImage   string   `yaml:"flannelKubeNetworkPoliciesImage" protobuf:"20"`
	PodSecurityPolicyEnabled          bool     `yaml:"podSecurityPolicyEnabled" protobuf:"14"`
	TalosAPIServiceEnabled            bool     `yaml:"talosAPIServiceEnabled" protobuf:"15"`
	CNIName                           string   `yaml:"cniName" protobuf:"21"`
}

// ExtraManifestsConfigSpec is the spec of [ExtraManifestsConfigs].
type ExtraManifestsConfigSpec struct {
	ExtraManifests []ExtraManifest `yaml:"extraManifests" protobuf:"1"`
}

// ExtraManifest is a part of [ExtraManifestsConfigSpec].
type ExtraManifest struct {
	Name           string            `yaml:"name" protobuf:"1"`
	URL            string            `yaml:"url" protobuf:"2"`
	Priority       string            `yaml:"priority" protobuf:"3"`
	ExtraHeaders   map[string]string `yaml:"extraHeaders" protobuf:"4"`
	InlineManifest string            `yaml:"inlineManifest" protobuf:"5"`
}

// ManifestSpec is the spec of [Manifests].
type ManifestSpec struct {
	Items []SingleManifest `yaml:"items" protobuf:"1"`
}

// SingleManifest is a part of [ManifestSpec].
type SingleManifest struct {
	Object map[string]any `yaml:",inline" protobuf:"1"`
}

// ManifestStatusSpec is the spec of [ManifestStatuses].
type ManifestStatusSpec struct {
	ManifestsApplied []string `yaml:"manifestsApplied" protobuf:"1"`
}

// ConfigStatusSpec is the spec of [ConfigStatuses].
type ConfigStatusSpec struct {
	Ready   bool   `yaml:"ready" protobuf:"1"`
	Version string `yaml:"version" protobuf:"2"`
}

// SecretStatusSpec is the spec of [SecretStatuses].
type SecretStatusSpec struct {
	Ready   bool   `yaml:"ready" protobuf:"1"`
	Version string `yaml:"version" protobuf:"2"`
}

// EndpointSpec is the spec of [Endpoints].
type EndpointSpec struct {
	Addresses []netip.Addr `yaml:"addresses" protobuf:"1"`
	Hosts     []string     `yaml:"hosts" protobuf:"2"`
}

// StaticPodServerStatusSpec is the spec of [StaticPodServerStatuses].
type StaticPodServerStatusSpec struct {
	URL string `yaml:"url" protobuf:"1"`
}
