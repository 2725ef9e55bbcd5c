package spec

import (
	"log/slog"
	"net/netip"

	"github.com/ichor-os/ichor/resource/value"
)

// KubeletConfigSpec is the spec of [KubeletConfigs].
type KubeletConfigSpec struct {
	Image                         string               `yaml:"image" protobuf:"1"`
	ClusterDNS                    []string             `yaml:"clusterDNS" protobuf:"2"`
	ClusterDomain                 string               `yaml:"clusterDomain" protobuf:"3"`
	ExtraArgs                     map[string]ArgValues `yaml:"extraArgs,omitempty" protobuf:"15"`
	ExtraMounts                   []value.Mount        `yaml:"extraMounts,omitempty" protobuf:"5"`
	ExtraConfig                   map[string]any       `yaml:"extraConfig,omitempty" protobuf:"6"`
	CloudProviderExternal         bool                 `yaml:"cloudProviderExternal" protobuf:"7"`
	DefaultRuntimeSeccompEnabled  bool                 `yaml:"defaultRuntimeSeccompEnabled" protobuf:"8"`
	SkipNodeRegistration          bool                 `yaml:"skipNodeRegistration" protobuf:"9"`
	StaticPodListURL              string               `yaml:"staticPodListURL" protobuf:"10"`
	DisableManifestsDirectory     bool                 `yaml:"disableManifestsDirectory" protobuf:"11"`
	EnableFSQuotaMonitoring       bool                 `yaml:"enableFSQuotaMonitoring" protobuf:"12"`
	CredentialProviderConfig      map[string]any       `yaml:"credentialProviderConfig,omitempty" protobuf:"13"`
	AllowSchedulingOnControlPlane bool                 `yaml:"allowSchedulingOnControlPlane" protobuf:"14"`
}

// LogValue keeps secrets out of logs.
func (KubeletConfigSpec) LogValue() slog.Value { return slog.StringValue("redacted") }

// ArgValues is a part of [KubeletConfigSpec].
type ArgValues struct {
	Values []string `yaml:"values" protobuf:"1"`
}

// KubeletSpecSpec is the spec of [KubeletSpecs].
type KubeletSpecSpec struct {
	Image                    string         `yaml:"image" protobuf:"1"`
	Args                     []string       `yaml:"args,omitempty" protobuf:"2"`
	ExtraMounts              []value.Mount  `yaml:"extraMounts,omitempty" protobuf:"3"`
	ExpectedNodename         string         `yaml:"expectedNodename,omitempty" protobuf:"4"`
	Config                   map[string]any `yaml:"config" protobuf:"5"`
	CredentialProviderConfig map[string]any `yaml:"credentialProviderConfig,omitempty" protobuf:"6"`
}

// LogValue keeps secrets out of logs.
func (KubeletSpecSpec) LogValue() slog.Value { return slog.StringValue("redacted") }

// KubeletLifecycleSpec is the spec of [KubeletLifecycles].
type KubeletLifecycleSpec struct{}

// KubeletKubeconfigSpec is the spec of [KubeletKubeconfigs].
type KubeletKubeconfigSpec struct {
	Hash string `yaml:"hash" protobuf:"1"`
}

// NodenameSpec is the spec of [Nodenames].
type NodenameSpec struct {
	Nodename             string `yaml:"nodename" protobuf:"1"`
	HostnameVersion      string `yaml:"hostnameVersion" protobuf:"2"`
	SkipNodeRegistration bool   `yaml:"skipNodeRegistration" protobuf:"3"`
}

// NodeIPSpec is the spec of [NodeIPs].
type NodeIPSpec struct {
	Addresses []netip.Addr `yaml:"addresses" protobuf:"1"`
}

// NodeIPConfigSpec is the spec of [NodeIPConfigs].
type NodeIPConfigSpec struct {
	ValidSubnets   []string `yaml:"validSubnets,omitempty" protobuf:"1"`
	ExcludeSubnets []string `yaml:"excludeSubnets" protobuf:"2"`
}

// NodeLabelSpecSpec is the spec of [NodeLabelSpecs].
type NodeLabelSpecSpec struct {
	Key   string `yaml:"key" protobuf:"1"`
	Value string `yaml:"value" protobuf:"2"`
}

// LogValue keeps secrets out of logs.
func (NodeLabelSpecSpec) LogValue() slog.Value { return slog.StringValue("redacted") }

// NodeAnnotationSpecSpec is the spec of [NodeAnnotationSpecs].
type NodeAnnotationSpecSpec struct {
	Key   string `yaml:"key" protobuf:"1"`
	Value string `yaml:"value" protobuf:"2"`
}

// LogValue keeps secrets out of logs.
func (NodeAnnotationSpecSpec) LogValue() slog.Value { return slog.StringValue("redacted") }

// NodeTaintSpecSpec is the spec of [NodeTaintSpecs].
type NodeTaintSpecSpec struct {
	Key    string `yaml:"key" protobuf:"1"`
	Effect string `yaml:"effect" protobuf:"2"`
	Value  string `yaml:"value" protobuf:"3"`
}

// LogValue keeps secrets out of logs.
func (NodeTaintSpecSpec) LogValue() slog.Value { return slog.StringValue("redacted") }

// NodeCordonedSpecSpec is the spec of [NodeCordonedSpecs].
type NodeCordonedSpecSpec struct{}

// LogValue keeps secrets out of logs.
func (NodeCordonedSpecSpec) LogValue() slog.Value { return slog.StringValue("redacted") }

// NodeStatusSpec is the spec of [NodeStatuses].
type NodeStatusSpec struct {
	Nodename      string            `yaml:"nodename" protobuf:"1"`
	NodeReady     bool              `yaml:"nodeReady" protobuf:"2"`
	Unschedulable bool              `yaml:"unschedulable" protobuf:"3"`
	Labels        map[string]string `yaml:"labels" protobuf:"4"`
	Annotations   map[string]string `yaml:"annotations" protobuf:"5"`
	PodCIDRs      []netip.Prefix    `yaml:"podCIDRs" protobuf:"6"`
}
