package kubernetes

import (
	"encoding/pem"
	"strings"

	"github.com/ichor-os/ichor/config/document"
	"github.com/ichor-os/ichor/config/documents/rules"
	"github.com/ichor-os/ichor/config/scalar"
)

// ServiceAccountKind is the kind KubeServiceAccountConfig.
var ServiceAccountKind = &document.Kind{
	APIVersion: document.V1Alpha1, Kind: "KubeServiceAccountConfig", Since: "1.14",
	New: func() document.Document { return new(ServiceAccountConfig) },
	Doc: "Says how tokens of service accounts are signed and checked.",
	Example: `apiVersion: v1alpha1
kind: KubeServiceAccountConfig
issuer:
  privateKey: |
    -----BEGIN EC PRIVATE KEY-----
    ZXhhbXBsZQ==
    -----END EC PRIVATE KEY-----
  issuerURL: https://api.example.com:6443
accepted:
  audiences:
    - https://api.example.com:6443
`,
}

// ServiceAccountConfig sets up the tokens of service accounts.
type ServiceAccountConfig struct {
	Issuer   TokenIssuer    `yaml:"issuer" change:"restart=kube-apiserver,kube-controller-manager" doc:"How new tokens are signed."`
	Accepted AcceptedTokens `yaml:"accepted,omitempty" change:"restart=kube-apiserver" doc:"Which further tokens are accepted."`
}

// TokenIssuer signs tokens.
type TokenIssuer struct {
	PrivateKey string            `yaml:"privateKey" secret:"true" doc:"Private key that signs tokens, in PEM."`
	IssuerURL  scalar.WrittenURL `yaml:"issuerURL" doc:"URL that tokens name as their issuer."`
}

// AcceptedTokens lists what is accepted besides the issuer's own tokens.
type AcceptedTokens struct {
	PublicKeys []string     `yaml:"publicKeys,omitempty" doc:"Further public keys, each in PEM."`
	Issuers    []scalar.URL `yaml:"issuers,omitempty" doc:"Further issuers."`
	Audiences  []string     `yaml:"audiences,omitempty" doc:"Audiences that tokens may be for." default:"the issuer"`
}

// Kind returns ServiceAccountKind.
func (c *ServiceAccountConfig) Kind() *document.Kind { return ServiceAccountKind }

// Name is empty: there is one such document.
func (c *ServiceAccountConfig) Name() string { return "" }

// Validate checks the document.
func (c *ServiceAccountConfig) Validate(v *document.Validation) {
	issuer := v.At("issuer")

	if rules.Given(issuer, "privateKey", c.Issuer.PrivateKey) {
		if block, _ := pem.Decode([]byte(c.Issuer.PrivateKey)); block == nil || !strings.HasSuffix(block.Type, "PRIVATE KEY") {
			issuer.Errorf("privateKey", "private key cannot be read").Fix("put the private key here in PEM form")
		}
	}

	rules.URL(issuer, "issuerURL", c.Issuer.IssuerURL.URL, "http", "https")

	for i, u := range c.Accepted.Issuers {
		rules.URL(v.At("accepted").Item("issuers", i), "", u, "http", "https")
	}

	for i, k := range c.Accepted.PublicKeys {
		if block, _ := pem.Decode([]byte(k)); block == nil {
			v.At("accepted").Item("publicKeys", i).Errorf("", "public key cannot be read").Fix("put the public key here in PEM form")
		}
	}
}
