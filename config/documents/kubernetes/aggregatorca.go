package kubernetes

import (
	"github.com/ichor-os/ichor/config/document"
)

// AggregatorCAKind is the kind KubeAggregatorCAConfig.
var AggregatorCAKind = &document.Kind{
	APIVersion: document.V1Alpha1, Kind: "KubeAggregatorCAConfig", Since: "1.14",
	New: func() document.Document { return new(AggregatorCAConfig) },
	Doc: "Authority that signs the certificate with which the API server speaks to its extensions.",
	Example: `apiVersion: v1alpha1
kind: KubeAggregatorCAConfig
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

// AggregatorCAConfig is the authority that signs the certificate with which the API server speaks to its extensions.
type AggregatorCAConfig struct {
	IssuingCA   *CertificateAndKey `yaml:"issuingCA,omitempty" change:"restart=kube-apiserver" doc:"Authority that signs new certificates; its key is needed on control plane nodes."`
	AcceptedCAs []string           `yaml:"acceptedCAs,omitempty" change:"restart=kube-apiserver" doc:"Further authorities whose certificates are accepted, each in PEM."`
}

// Kind returns AggregatorCAKind.
func (c *AggregatorCAConfig) Kind() *document.Kind { return AggregatorCAKind }

// Name is empty: there is one such document.
func (c *AggregatorCAConfig) Name() string { return "" }

// Validate checks the document.
func (c *AggregatorCAConfig) Validate(v *document.Validation) {
	validateAuthority(v, c.IssuingCA, c.AcceptedCAs)
}
