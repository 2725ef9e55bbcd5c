package registry

import (
	"crypto/x509"
	"encoding/pem"
	"errors"
	"strings"

	"github.com/ichor-os/ichor/config/document"
	"github.com/ichor-os/ichor/config/documents/rules"
)

// TLSKind is the kind RegistryTLSConfig.
var TLSKind = &document.Kind{
	APIVersion: document.V1Alpha1, Kind: "RegistryTLSConfig", Named: true, Since: "1.13",
	New: func() document.Document { return new(TLSConfig) },
	Doc: "Sets up TLS towards an image registry.",
	Example: `apiVersion: v1alpha1
kind: RegistryTLSConfig
name: registry.example.com:5000
insecureSkipVerify: true
`,
}

// TLSConfig sets up TLS towards a registry.
type TLSConfig struct {
	DocName            string          `yaml:"name" doc:"Registry: the host, with its port if it has one, as in image references."`
	ClientIdentity     *ClientIdentity `yaml:"clientIdentity,omitempty" doc:"Certificate that the node shows to the registry."`
	CA                 string          `yaml:"ca,omitempty" doc:"Certificates, in PEM, that the registry's certificate may be signed by besides the usual ones."`
	InsecureSkipVerify *bool           `yaml:"insecureSkipVerify,omitempty" doc:"Whether the registry's certificate is not checked." default:"false"`
}

// ClientIdentity is a certificate with its key, in PEM.
type ClientIdentity struct {
	Cert string `yaml:"cert,omitempty" doc:"Certificate, in PEM."`
	Key  string `yaml:"key,omitempty" secret:"true" doc:"Private key, in PEM."`
}

// Kind returns TLSKind.
func (c *TLSConfig) Kind() *document.Kind { return TLSKind }

// Name is the registry.
func (c *TLSConfig) Name() string { return c.DocName }

// Validate checks the document.
func (c *TLSConfig) Validate(v *document.Validation) {
	if rules.NameGiven(v, c.DocName) {
		adviseRegistry(v, c.DocName)
	}

	if c.CA != "" {
		if _, err := rules.Certificates(c.CA); err != nil {
			v.Errorf("ca", "certificate cannot be read: %s", err).Fix("put the certificate here in PEM form")
		}

		rules.AdviseLifetimes(v, "ca", c.CA)
	}

	if c.ClientIdentity != nil {
		c.ClientIdentity.validate(v.At("clientIdentity"))
	}
}

func (i *ClientIdentity) validate(v *document.Validation) {
	_, certErr := rules.Certificates(i.Cert)
	if certErr != nil {
		v.Errorf("cert", "certificate cannot be read: %s", certErr).Fix("put the certificate here in PEM form")
	}

	keyErr := checkKey(i.Key)
	if keyErr != nil {
		v.Errorf("key", "private key cannot be read: %s", keyErr).Fix("put the private key here in PEM form")
	}

	rules.AdviseLifetimes(v, "cert", i.Cert)

	if certErr == nil && keyErr == nil {
		rules.AdviseKeyPair(v, "key", i.Cert, i.Key)
	}
}

var (
	errNoKey      = errors.New("no PEM private key found")
	errKeyUnknown = errors.New("kind of key is not known")
)

// checkKey reads a private key in any of the usual PEM forms.
func checkKey(text string) error {
	for rest := []byte(text); ; {
		var block *pem.Block

		block, rest = pem.Decode(rest)
		if block == nil {
			return errNoKey
		}

		if strings.HasSuffix(block.Type, "PRIVATE KEY") {
			return checkKeyBytes(block.Bytes)
		}
	}
}

func checkKeyBytes(der []byte) error {
	if _, err := x509.ParsePKCS8PrivateKey(der); err == nil {
		return nil
	}

	if _, err := x509.ParseECPrivateKey(der); err == nil {
		return nil
	}

	if _, err := x509.ParsePKCS1PrivateKey(der); err == nil {
		return nil
	}

	return errKeyUnknown
}
