package kubernetes

import (
	"github.com/ichor-os/ichor/config/document"
)

// APIServerCAKind is the kind KubeAPIServerCAConfig.
var APIServerCAKind = &document.Kind{
	APIVersion: document.V1Alpha1, Kind: "KubeAPIServerCAConfig", Since: "1.14",
	New: func() document.Document { return new(APIServerCAConfig) },
	Doc: "Authority that signs the certificates of the Kubernetes API.",
	Example: `apiVersion: v1alpha1
kind: KubeAPIServerCAConfig
acceptedCAs:
  - |
    -----BEGIN CERTIFICATE-----
    MIIBhjCCAS2gAwIBAgIUdewP6IDb+QHZVYTWek5A7MdfMPowCgYIKoZIzj0EAwIw
    GTEXMBUGA1UECgwOdmVjdG9yLXYtYWxwaGEwHhcNMjYxMTMwMTgxMzQ2WhcNNDYx
    MTI1MTgxMzQ2WjAZMRcwFQYDVQQKDA52ZWN0b3Itdi1hbHBoYTBZMBMGByqGSM49
    AgEGCCqGSM49AwEHA0IABAnZp0GRl1Ya7e/glqEYkivn8V/pI5yPtp60EBLulhX0
    7BJMH3fG2TTieBwZR0rnPJq0FEByPR8ZEddFx8dth4ejUzBRMB0GA1UdDgQWBBQD
    gYYSBNLC3CHNCYRae9rM3tQDyTAfBgNVHSMEGDAWgBQDgYYSBNLC3CHNCYRae9rM
    3tQDyTAPBgNVHRMBAf8EBTADAQH/MAoGCCqGSM49BAMCA0cAMEQCIHXZ1GnBYL79
    WfrwT8391rURoAvOScg0wnqOEq7vwV12AiBGls2nzXn7C8lSl3fv7/iXEGuY/JCo
    gkWRj/rf4gHnqA==
    -----END CERTIFICATE-----
`,
}

// APIServerCAConfig is the authority that signs the certificates of the Kubernetes API.
type APIServerCAConfig struct {
	IssuingCA   *CertificateAndKey `yaml:"issuingCA,omitempty" change:"restart=kube-apiserver,kubelet" doc:"Authority that signs new certificates; its key is needed on control plane nodes."`
	AcceptedCAs []string           `yaml:"acceptedCAs,omitempty" change:"restart=kube-apiserver,kubelet" doc:"Further authorities whose certificates are accepted, each in PEM."`
}

// Kind returns APIServerCAKind.
func (c *APIServerCAConfig) Kind() *document.Kind { return APIServerCAKind }

// Name is empty: there is one such document.
func (c *APIServerCAConfig) Name() string { return "" }

// Validate checks the document.
func (c *APIServerCAConfig) Validate(v *document.Validation) {
	validateAuthority(v, c.IssuingCA, c.AcceptedCAs)
}
