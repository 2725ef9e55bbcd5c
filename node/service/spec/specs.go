package spec

import (
	"log/slog"
)

// ServiceSpec is the spec of [Services].
type ServiceSpec struct {
	Running bool `yaml:"running" protobuf:"1"`
	Healthy bool `yaml:"healthy" protobuf:"2"`
	Unknown bool `yaml:"unknown" protobuf:"3"`
}

// ServicePIDSpec is the spec of [ServicePIDs].
type ServicePIDSpec struct {
	PID            int32  `yaml:"pid" protobuf:"1"`
	MountNamespace string `yaml:"mountNamespace" protobuf:"2"`
}

// ExtensionServiceConfigSpec is the spec of [ExtensionServiceConfigs].
type ExtensionServiceConfigSpec struct {
	Files       []ExtensionServiceConfigFile `yaml:"files,omitempty" protobuf:"1"`
	Environment []string                     `yaml:"environment,omitempty" protobuf:"2"`
}

// LogValue keeps secrets out of logs.
func (ExtensionServiceConfigSpec) LogValue() slog.Value { return slog.StringValue("redacted") }

// ExtensionServiceConfigFile is a part of [ExtensionServiceConfigSpec].
type ExtensionServiceConfigFile struct {
	Content   string `yaml:"content" protobuf:"1"`
	MountPath string `yaml:"mountPath" protobuf:"2"`
}

// ExtensionServiceConfigStatusSpec is the spec of [ExtensionServiceConfigStatuses].
type ExtensionServiceConfigStatusSpec struct {
	SpecVersion string `yaml:"specVersion" protobuf:"1"`
}
