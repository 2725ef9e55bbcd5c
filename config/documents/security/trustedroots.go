package security

import (
	"github.com/ichor-os/ichor/config/document"
	"github.com/ichor-os/ichor/config/documents/rules"
)

// TrustedRootsKind is the kind TrustedRootsConfig.
var TrustedRootsKind = &document.Kind{
	APIVersion: document.V1Alpha1, Kind: "TrustedRootsConfig", Named: true, Since: "1.13",
	New: func() document.Document { return new(TrustedRootsConfig) },
	Doc: "Adds certificate authorities that the node trusts.",
	Example: `apiVersion: v1alpha1
kind: TrustedRootsConfig
name: corporate
certificates: |
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

// TrustedRootsConfig adds certificate authorities.
type TrustedRootsConfig struct {
	DocName      string `yaml:"name" effect:"yes" doc:"Name of the set."`
	Certificates string `yaml:"certificates" effect:"yes" doc:"Certificates of the authorities, in PEM."`
}

// Kind returns TrustedRootsKind.
func (c *TrustedRootsConfig) Kind() *document.Kind { return TrustedRootsKind }

// Name is the name of the set.
func (c *TrustedRootsConfig) Name() string { return c.DocName }

// Validate accepts every text; text that holds no certificate is named as advice.
func (c *TrustedRootsConfig) Validate(v *document.Validation) {
	if _, err := rules.Certificates(c.Certificates); err != nil {
		v.Advisef("certificates", "certificates cannot be read: %s", err).Fix("put the certificates here in PEM form")
	}

	rules.AdviseLifetimes(v, "certificates", c.Certificates)
}
