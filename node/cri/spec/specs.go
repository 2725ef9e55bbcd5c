package spec

import (
	"log/slog"

	"github.com/ichor-os/ichor/resource/value"
)

// RegistryConfigSpec is the spec of [RegistryConfigs].
type RegistryConfigSpec struct {
	Mirrors map[string]*RegistryMirrorConfig `yaml:"mirrors,omitempty" protobuf:"1"`
	Auths   map[string]*RegistryAuthConfig   `yaml:"auths,omitempty" protobuf:"2"`
	TLS     map[string]*RegistryTLSConfig    `yaml:"tls,omitempty" protobuf:"3"`
}

// LogValue keeps secrets out of logs.
func (RegistryConfigSpec) LogValue() slog.Value { return slog.StringValue("redacted") }

// RegistryMirrorConfig is a part of [RegistryConfigSpec].
type RegistryMirrorConfig struct {
	Endpoints    []RegistryEndpointConfig `yaml:"endpoints" protobuf:"1"`
	SkipFallback bool                     `yaml:"skipFallback,omitempty" protobuf:"3"`
}

// RegistryEndpointConfig is a part of [RegistryMirrorConfig].
type RegistryEndpointConfig struct {
	Endpoint     string `yaml:"endpoint" protobuf:"1"`
	OverridePath bool   `yaml:"overridePath" protobuf:"2"`
}

// RegistryAuthConfig is a part of [RegistryConfigSpec].
type RegistryAuthConfig struct {
	Username      string `yaml:"username,omitempty" protobuf:"1"`
	Password      string `yaml:"password,omitempty" protobuf:"2"`
	Auth          string `yaml:"auth,omitempty" protobuf:"3"`
	IdentityToken string `yaml:"identityToken,omitempty" protobuf:"4"`
}

// RegistryTLSConfig is a part of [RegistryConfigSpec].
type RegistryTLSConfig struct {
	ClientIdentity     *value.CertificateAndKey `yaml:"clientIdentity,omitempty" protobuf:"1"`
	CA                 value.Base64             `yaml:"ca,omitempty" protobuf:"2"`
	InsecureSkipVerify bool                     `yaml:"insecureSkipVerify,omitempty" protobuf:"3"`
}

// ImageCacheConfigSpec is the spec of [ImageCacheConfigs].
type ImageCacheConfigSpec struct {
	Status     ImageCacheStatus     `yaml:"status" protobuf:"1"`
	CopyStatus ImageCacheCopyStatus `yaml:"copyStatus" protobuf:"3"`
	Roots      []string             `yaml:"roots" protobuf:"2"`
}

// SeccompProfileSpec is the spec of [SeccompProfiles].
type SeccompProfileSpec struct {
	Name  string         `yaml:"name" protobuf:"1"`
	Value map[string]any `yaml:"value" protobuf:"2"`
}
