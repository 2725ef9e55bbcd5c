package spec

import (
	"net/netip"
)

// APIServiceConfigSpec is the spec of [APIServiceConfigs].
type APIServiceConfigSpec struct {
	ListenAddress           string `yaml:"listenAddress" protobuf:"1"`
	NodeRoutingDisabled     bool   `yaml:"nodeRoutingDisabled" protobuf:"2"`
	ReadonlyRoleMode        bool   `yaml:"readonlyRoleMode" protobuf:"3"`
	SkipVerifyingClientCert bool   `yaml:"skipVerifyingClientCert" protobuf:"4"`
}

// MaintenanceServiceConfigSpec is the spec of [MaintenanceServiceConfigs].
type MaintenanceServiceConfigSpec struct {
	ListenAddress      string       `yaml:"listenAddress" protobuf:"1"`
	ReachableAddresses []netip.Addr `yaml:"reachableAddresses" protobuf:"2"`
}

// MaintenanceServiceRequestSpec is the spec of [MaintenanceServiceRequests].
type MaintenanceServiceRequestSpec struct{}
