package spec

import (
	"log/slog"
	"net/netip"
	"net/url"

	"github.com/ichor-os/ichor/resource/value"
)

// OSRootSecretSpec is the spec of [OSRootSecrets].
type OSRootSecretSpec struct {
	IssuingCA       *value.CertificateAndKey `yaml:"issuingCA" protobuf:"1"`
	AcceptedCAs     []*value.Certificate     `yaml:"acceptedCAs" protobuf:"5"`
	CertSANIPs      []netip.Addr             `yaml:"certSANIPs" protobuf:"2"`
	CertSANDNSNames []string                 `yaml:"certSANDNSNames" protobuf:"3"`
	Token           string                   `yaml:"token" protobuf:"4"`
}

// LogValue keeps secrets out of logs.
func (OSRootSecretSpec) LogValue() slog.Value { return slog.StringValue("redacted") }

// EtcdRootSecretSpec is the spec of [EtcdRootSecrets].
type EtcdRootSecretSpec struct {
	EtcdCA *value.CertificateAndKey `yaml:"etcdCA" protobuf:"1"`
}

// LogValue keeps secrets out of logs.
func (EtcdRootSecretSpec) LogValue() slog.Value { return slog.StringValue("redacted") }

// KubernetesRootSecretSpec is the spec of [KubernetesRootSecrets].
type KubernetesRootSecretSpec struct {
	Name                      string                   `yaml:"name" protobuf:"1"`
	Endpoint                  *url.URL                 `yaml:"endpoint" protobuf:"2"`
	LocalEndpoint             *url.URL                 `yaml:"local_endpoint" protobuf:"3"`
	CertSANs                  []string                 `yaml:"certSANs" protobuf:"4"`
	APIServerIPs              []netip.Addr             `yaml:"apiServerIPs" protobuf:"14"`
	DNSDomain                 string                   `yaml:"dnsDomain" protobuf:"6"`
	IssuingCA                 *value.CertificateAndKey `yaml:"issuingCA" protobuf:"7"`
	AcceptedCAs               []*value.Certificate     `yaml:"acceptedCAs" protobuf:"15"`
	ServiceAccount            *value.Key               `yaml:"serviceAccount" protobuf:"8"`
	AggregatorCA              *value.CertificateAndKey `yaml:"aggregatorCA" protobuf:"9"`
	AesCBCEncryptionSecret    string                   `yaml:"aesCBCEncryptionSecret" protobuf:"10"`
	BootstrapTokenID          string                   `yaml:"bootstrapTokenID" protobuf:"11"`
	BootstrapTokenSecret      string                   `yaml:"bootstrapTokenSecret" protobuf:"12"`
	SecretboxEncryptionSecret string                   `yaml:"secretboxEncryptionSecret" protobuf:"13"`
}

// LogValue keeps secrets out of logs.
func (KubernetesRootSecretSpec) LogValue() slog.Value { return slog.StringValue("redacted") }

// MaintenanceRootSecretSpec is the spec of [MaintenanceRootSecrets].
type MaintenanceRootSecretSpec struct {
	CA *value.CertificateAndKey `yaml:"ca" protobuf:"1"`
}

// LogValue keeps secrets out of logs.
func (MaintenanceRootSecretSpec) LogValue() slog.Value { return slog.StringValue("redacted") }

// ApiCertificateSpec is the spec of [ApiCertificates].
type ApiCertificateSpec struct {
	AcceptedCAs             []*value.Certificate     `yaml:"acceptedCAs" protobuf:"4"`
	Client                  *value.CertificateAndKey `yaml:"client" protobuf:"2"`
	Server                  *value.CertificateAndKey `yaml:"server" protobuf:"3"`
	SkipVerifyingClientCert bool                     `yaml:"skipVerifyingClientCert" protobuf:"5"`
}

// LogValue keeps secrets out of logs.
func (ApiCertificateSpec) LogValue() slog.Value { return slog.StringValue("redacted") }

// TrustdCertificateSpec is the spec of [TrustdCertificates].
type TrustdCertificateSpec struct {
	AcceptedCAs []*value.Certificate     `yaml:"acceptedCAs" protobuf:"3"`
	Server      *value.CertificateAndKey `yaml:"server" protobuf:"2"`
}

// LogValue keeps secrets out of logs.
func (TrustdCertificateSpec) LogValue() slog.Value { return slog.StringValue("redacted") }

// EtcdSecretSpec is the spec of [EtcdSecrets].
type EtcdSecretSpec struct {
	Etcd          *value.CertificateAndKey `yaml:"etcd" protobuf:"1"`
	EtcdPeer      *value.CertificateAndKey `yaml:"etcdPeer" protobuf:"2"`
	EtcdAdmin     *value.CertificateAndKey `yaml:"etcdAdmin" protobuf:"3"`
	EtcdAPIServer *value.CertificateAndKey `yaml:"etcdAPIServer" protobuf:"4"`
}

// LogValue keeps secrets out of logs.
func (EtcdSecretSpec) LogValue() slog.Value { return slog.StringValue("redacted") }

// KubernetesSecretSpec is the spec of [KubernetesSecrets].
type KubernetesSecretSpec struct {
	SchedulerKubeconfig         string `yaml:"schedulerKubeconfig" protobuf:"4"`
	ControllerManagerKubeconfig string `yaml:"controllerManagerKubeconfig" protobuf:"5"`
	LocalhostAdminKubeconfig    string `yaml:"localhostAdminKubeconfig" protobuf:"6"`
	AdminKubeconfig             string `yaml:"adminKubeconfig" protobuf:"7"`
}

// LogValue keeps secrets out of logs.
func (KubernetesSecretSpec) LogValue() slog.Value { return slog.StringValue("redacted") }

// KubernetesDynamicCertSpec is the spec of [KubernetesDynamicCerts].
type KubernetesDynamicCertSpec struct {
	APIServer              *value.CertificateAndKey `yaml:"apiServer" protobuf:"1"`
	APIServerKubeletClient *value.CertificateAndKey `yaml:"apiServerKubeletClient" protobuf:"2"`
	FrontProxy             *value.CertificateAndKey `yaml:"frontProxy" protobuf:"3"`
}

// LogValue keeps secrets out of logs.
func (KubernetesDynamicCertSpec) LogValue() slog.Value { return slog.StringValue("redacted") }

// KubeletSecretSpec is the spec of [KubeletSecrets].
type KubeletSecretSpec struct {
	Endpoint             *url.URL             `yaml:"endpoint" protobuf:"1"`
	AcceptedCAs          []*value.Certificate `yaml:"acceptedCAs" protobuf:"5"`
	BootstrapTokenID     string               `yaml:"bootstrapTokenID" protobuf:"3"`
	BootstrapTokenSecret string               `yaml:"bootstrapTokenSecret" protobuf:"4"`
}

// LogValue keeps secrets out of logs.
func (KubeletSecretSpec) LogValue() slog.Value { return slog.StringValue("redacted") }

// CertSANSpec is the spec of [CertSANs].
type CertSANSpec struct {
	IPs      []netip.Addr `yaml:"ips" protobuf:"1"`
	DNSNames []string     `yaml:"dnsNames" protobuf:"2"`
	FQDN     string       `yaml:"fqdn" protobuf:"3"`
}

// LogValue keeps secrets out of logs.
func (CertSANSpec) LogValue() slog.Value { return slog.StringValue("redacted") }

// EncryptionSaltSpec is the spec of [EncryptionSalts].
type EncryptionSaltSpec struct {
	DiskSalt []byte `yaml:"diskSalt" protobuf:"1"`
}

// LogValue keeps secrets out of logs.
func (EncryptionSaltSpec) LogValue() slog.Value { return slog.StringValue("redacted") }
