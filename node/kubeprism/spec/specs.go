package spec

// KubePrismConfigSpec is the spec of [KubePrismConfigs].
type KubePrismConfigSpec struct {
	Host      string              `yaml:"host" protobuf:"1"`
	Port      int                 `yaml:"port" protobuf:"2"`
	Endpoints []KubePrismEndpoint `yaml:"endpoints" protobuf:"3"`
}

// KubePrismEndpoint is a part of [KubePrismConfigSpec].
type KubePrismEndpoint struct {
	Host string `yaml:"host" protobuf:"1"`
	Port uint32 `yaml:"port" protobuf:"2"`
}

// KubePrismEndpointSpec is the spec of [KubePrismEndpoints].
type KubePrismEndpointSpec struct {
	Endpoints []KubePrismEndpoint `yaml:"endpoints" protobuf:"1"`
}

// KubePrismStatusSpec is the spec of [KubePrismStatuses].
type KubePrismStatusSpec struct {
	Host    string `yaml:"host" protobuf:"1"`
	Healthy bool   `yaml:"healthy" protobuf:"2"`
}
