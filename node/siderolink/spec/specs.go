package spec

import (
	"log/slog"
	"net/netip"
)

// SiderolinkConfigSpec is the spec of [SiderolinkConfigs].
type SiderolinkConfigSpec struct {
	APIEndpoint string `yaml:"apiEndpoint" protobuf:"1"`
	Host        string `yaml:"host" protobuf:"2"`
	JoinToken   string `yaml:"joinToken" protobuf:"3"`
	Insecure    bool   `yaml:"insecure" protobuf:"4"`
	Tunnel      bool   `yaml:"tunnel" protobuf:"5"`
}

// LogValue keeps secrets out of logs.
func (SiderolinkConfigSpec) LogValue() slog.Value { return slog.StringValue("redacted") }

// SiderolinkStatusSpec is the spec of [SiderolinkStatuses].
type SiderolinkStatusSpec struct {
	Host       string `yaml:"host" protobuf:"1"`
	Connected  bool   `yaml:"connected" protobuf:"2"`
	LinkName   string `yaml:"linkName" protobuf:"3"`
	GrpcTunnel bool   `yaml:"grpcTunnel" protobuf:"4"`
}

// SiderolinkTunnelSpec is the spec of [SiderolinkTunnels].
type SiderolinkTunnelSpec struct {
	APIEndpoint string         `yaml:"apiEndpoint" protobuf:"1"`
	LinkName    string         `yaml:"linkName" protobuf:"2"`
	MTU         int            `yaml:"mtu" protobuf:"3"`
	NodeAddress netip.AddrPort `yaml:"nodeAddress" protobuf:"4"`
}

// LogValue keeps secrets out of logs.
func (SiderolinkTunnelSpec) LogValue() slog.Value { return slog.StringValue("redacted") }
