package spec

import (
	"log/slog"

	"github.com/ichor-os/ichor/resource"
	"github.com/ichor-os/ichor/resource/value"
)

// KubeletCertificates are the certificates of kubelet on a node that can sign
// them itself. Clients do not see the kind.
var KubeletCertificates = resource.Define[KubeletCertificateSpec]("KubeletCertificates.secrets.ichor.dev",
	resource.Namespace("secrets"), resource.Singleton("kubelet"), resource.Sensitive())

// KubeletCertificateSpec is the spec of [KubeletCertificates].
type KubeletCertificateSpec struct {
	Client  *value.CertificateAndKey `yaml:"client" protobuf:"1"`
	Serving *value.CertificateAndKey `yaml:"serving" protobuf:"2"`
}

// LogValue keeps secrets out of logs.
func (KubeletCertificateSpec) LogValue() slog.Value { return slog.StringValue("redacted") }
