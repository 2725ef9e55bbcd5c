// Package spec holds the resources about keys and certificates.
package spec

import "github.com/ichor-os/ichor/resource"

// The kinds of this noun.
var (
	// OSRootSecrets: the authority of the node's API.
	OSRootSecrets = resource.Define[OSRootSecretSpec]("OSRootSecrets.secrets.talos.dev",
		resource.Namespace("secrets"), resource.DisplayType("OSRootSecret"), resource.Sensitive())
	// EtcdRootSecrets: the authority of etcd.
	EtcdRootSecrets = resource.Define[EtcdRootSecretSpec]("EtcdRootSecrets.secrets.talos.dev",
		resource.Namespace("secrets"), resource.DisplayType("EtcdRootSecret"), resource.Sensitive())
	// KubernetesRootSecrets: the authorities and secrets of Kubernetes.
	KubernetesRootSecrets = resource.Define[KubernetesRootSecretSpec]("KubernetesRootSecrets.secrets.talos.dev",
		resource.Namespace("secrets"), resource.DisplayType("KubernetesRootSecret"), resource.Sensitive())
	// MaintenanceRootSecrets: the authority of maintenance mode.
	MaintenanceRootSecrets = resource.Define[MaintenanceRootSecretSpec]("MaintenanceRootSecrets.secrets.talos.dev",
		resource.Namespace("secrets"), resource.DisplayType("MaintenanceRootSecret"), resource.Sensitive())
	// ApiCertificates: the certificates of the node's API.
	ApiCertificates = resource.Define[ApiCertificateSpec]("ApiCertificates.secrets.talos.dev",
		resource.Namespace("secrets"), resource.DisplayType("ApiCertificate"), resource.Sensitive())
	// TrustdCertificates: the certificates of trustd.
	TrustdCertificates = resource.Define[TrustdCertificateSpec]("TrustdCertificates.secrets.talos.dev",
		resource.Namespace("secrets"), resource.DisplayType("TrustdCertificate"), resource.Sensitive())
	// EtcdSecrets: the certificates of etcd.
	EtcdSecrets = resource.Define[EtcdSecretSpec]("EtcdSecrets.secrets.talos.dev",
		resource.Namespace("secrets"), resource.DisplayType("EtcdSecret"), resource.Sensitive())
	// KubernetesSecrets: the kubeconfigs of the control plane.
	KubernetesSecrets = resource.Define[KubernetesSecretSpec]("KubernetesSecrets.secrets.talos.dev",
		resource.Namespace("secrets"), resource.DisplayType("KubernetesSecret"), resource.Sensitive())
	// KubernetesDynamicCerts: the certificates of the control plane that are renewed.
	KubernetesDynamicCerts = resource.Define[KubernetesDynamicCertSpec]("KubernetesDynamicCerts.secrets.talos.dev",
		resource.Namespace("secrets"), resource.DisplayType("KubernetesDynamicCert"), resource.Sensitive())
	// KubeletSecrets: what kubelet joins the cluster with.
	KubeletSecrets = resource.Define[KubeletSecretSpec]("KubeletSecrets.secrets.talos.dev",
		resource.Namespace("secrets"), resource.DisplayType("KubeletSecret"), resource.Sensitive())
	// CertSANs: the names in a certificate.
	CertSANs = resource.Define[CertSANSpec]("CertSANs.secrets.talos.dev",
		resource.Namespace("secrets"), resource.DisplayType("CertSAN"), resource.Sensitive())
	// EncryptionSalts: what disk keys are derived with.
	EncryptionSalts = resource.Define[EncryptionSaltSpec]("EncryptionSalts.secrets.talos.dev",
		resource.Namespace("secrets"), resource.DisplayType("EncryptionSalt"), resource.Sensitive())
)

// Kinds lists them.
func Kinds() []resource.AnyKind {
	return []resource.AnyKind{
		OSRootSecrets,
		EtcdRootSecrets,
		KubernetesRootSecrets,
		MaintenanceRootSecrets,
		ApiCertificates,
		TrustdCertificates,
		EtcdSecrets,
		KubernetesSecrets,
		KubernetesDynamicCerts,
		KubeletSecrets,
		CertSANs,
		EncryptionSalts,
	}
}
