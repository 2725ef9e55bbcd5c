package validate

import (
	"bytes"
	"crypto"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"net/netip"
	"strings"

	"github.com/ichor-os/ichor/config/document"
	"github.com/ichor-os/ichor/config/documents/rules"
	"github.com/ichor-os/ichor/config/documents/v1alpha1"
	"github.com/ichor-os/ichor/config/scalar"
)

// adviseKeys checks that certificates are in time and match their keys.
func adviseKeys(v *document.Validation, c *v1alpha1.Config) {
	adviseNames(v, "machine.certSANs", c.Machine.CertSANs)

	if a := c.Cluster.APIServer; a != nil {
		adviseNames(v, "cluster.apiServer.certSANs", a.CertSANs)
	}

	authority(v, "machine.ca", c.Machine.CA)
	authority(v, "cluster.ca", c.Cluster.CA)
	authority(v, "cluster.aggregatorCA", c.Cluster.AggregatorCA)

	if c.Cluster.Etcd != nil {
		authority(v, "cluster.etcd.ca", c.Cluster.Etcd.CA)
	}

	for i, a := range c.Machine.AcceptedCAs {
		if a != nil {
			certificate(v.Item("machine.acceptedCAs", i), "crt", a.Crt)
		}
	}

	for i, a := range c.Cluster.AcceptedCAs {
		if a != nil {
			certificate(v.Item("cluster.acceptedCAs", i), "crt", a.Crt)
		}
	}

	if k := c.Cluster.ServiceAccount; k != nil && len(k.Key) > 0 {
		if block, _ := pem.Decode(k.Key); block == nil {
			v.Advisef("cluster.serviceAccount.key", "key is no PEM").Fix("write base64 of PEM")
		}
	}

	if s := c.Cluster.SecretboxEncryptionSecret; s != "" {
		if raw, err := base64.StdEncoding.DecodeString(s); err != nil || len(raw) != 32 {
			v.Advisef("cluster.secretboxEncryptionSecret", "Kubernetes needs 32 bytes, as base64").Fix("make one with: head -c 32 /dev/urandom | base64")
		}
	}
}

// adviseNames names what no certificate can hold.
func adviseNames(v *document.Validation, path string, names []string) {
	for i, name := range names {
		_, err := netip.ParseAddr(name)
		if err != nil && !rules.IsHostname(strings.TrimPrefix(name, "*.")) {
			v.Item(path, i).Advisef("", "neither an address nor a host name: %q", name)
		}
	}
}

func authority(v *document.Validation, path string, pair *scalar.CertificateAndKey) {
	if pair == nil || len(pair.Crt) == 0 {
		return
	}

	cert := certificate(v, path+".crt", pair.Crt)
	if cert == nil {
		return
	}

	if !cert.IsCA {
		v.Advisef(path+".crt", "certificate is not one of an authority").Fix("basic constraints must say CA:TRUE")
	}

	if len(pair.Key) == 0 {
		return
	}

	key := privateKey(pair)
	if key == nil {
		v.Advisef(path+".key", "key cannot be read, or does not belong to the certificate").Fix("give the key that the certificate was made with")
	}
}

// privateKey returns the key if it belongs to the certificate.
func privateKey(pair *scalar.CertificateAndKey) crypto.PrivateKey {
	key := pair.Key

	// Other tools label PKCS#8 keys by their algorithm.
	if block, _ := pem.Decode(key); block != nil && block.Type == "ED25519 PRIVATE KEY" {
		block.Type = "PRIVATE KEY"
		key = pem.EncodeToMemory(block)
	}

	both, err := tls.X509KeyPair(pair.Crt, bytes.Clone(key))
	if err != nil {
		return nil
	}

	return both.PrivateKey
}

func certificate(v *document.Validation, path string, raw scalar.Base64) *x509.Certificate {
	if len(raw) == 0 {
		return nil
	}

	block, _ := pem.Decode(raw)
	if block == nil || block.Type != "CERTIFICATE" {
		v.Advisef(path, "certificate is no PEM").Fix("write base64 of PEM")

		return nil
	}

	cert, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		v.Advisef(path, "certificate cannot be read: %v", err).Fix("write base64 of PEM")

		return nil
	}

	switch {
	case v.Now.Before(cert.NotBefore):
		v.Advisef(path, "certificate is not valid before %s", cert.NotBefore.UTC().Format("2006-01-02 15:04")).Fix("check the clock here, or make a new certificate")
	case v.Now.After(cert.NotAfter):
		v.Advisef(path, "certificate has expired on %s", cert.NotAfter.UTC().Format("2006-01-02 15:04")).Fix("replace the authority with rotate-ca")
	}

	return cert
}
