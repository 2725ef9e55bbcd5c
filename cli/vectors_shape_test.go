package cli_test

import (
	"crypto/ecdsa"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"github.com/ichor-os/ichor/pki"
)

// certificateShape is how a vector records a certificate.
type certificateShape struct {
	Subject           string  `json:"subject"`
	Issuer            string  `json:"issuer"`
	Signature         string  `json:"signature_algorithm"`
	PublicKey         string  `json:"public_key_algorithm"`
	ValidityHours     float64 `json:"validity_hours"`
	SerialBitsAtMost  int     `json:"serial_bits_at_most"`
	BasicConstraints  string  `json:"basic_constraints"`
	KeyUsage          string  `json:"key_usage"`
	ExtendedKeyUsage  string  `json:"ext_key_usage"`
	SubjectKeyID      bool    `json:"subject_key_id"`
	AuthorityKeyID    bool    `json:"authority_key_id"`
	SubjectAltName    any     `json:"san"`
	KeyUsageCritical  bool    `json:"key_usage_critical"`
	BasicCritical     bool    `json:"basic_constraints_critical"`
	ExtendedCritical  bool    `json:"ext_key_usage_critical"`
	serialIsTooLong   bool
	hasAlternateNames bool
}

func shapeOf(t *testing.T, text string) certificateShape {
	t.Helper()
	certificate, err := pki.ParseCertificate(decode(t, text))
	if err != nil {
		t.Fatal(err)
	}
	usages := map[x509.ExtKeyUsage]string{
		x509.ExtKeyUsageServerAuth: "TLS Web Server Authentication", x509.ExtKeyUsageClientAuth: "TLS Web Client Authentication",
	}
	var extended, plain []string
	for _, usage := range certificate.ExtKeyUsage {
		extended = append(extended, usages[usage])
	}
	for _, usage := range []struct {
		bit  x509.KeyUsage
		name string
	}{{x509.KeyUsageDigitalSignature, "Digital Signature"}, {x509.KeyUsageCertSign, "Certificate Sign"}} {
		if certificate.KeyUsage&usage.bit != 0 {
			plain = append(plain, usage.name)
		}
	}
	openSSL := func(name string) string { return strings.Replace(name, "O=", "O = ", 1) }
	shape := certificateShape{
		Subject:           openSSL(certificate.Subject.String()),
		Issuer:            openSSL(certificate.Issuer.String()),
		Signature:         map[x509.SignatureAlgorithm]string{x509.PureEd25519: "ED25519", x509.ECDSAWithSHA256: "ecdsa-with-SHA256"}[certificate.SignatureAlgorithm],
		PublicKey:         map[x509.PublicKeyAlgorithm]string{x509.Ed25519: "ED25519", x509.ECDSA: "id-ecPublicKey"}[certificate.PublicKeyAlgorithm],
		ValidityHours:     certificate.NotAfter.Sub(certificate.NotBefore).Hours(),
		SerialBitsAtMost:  128,
		KeyUsage:          strings.Join(plain, ", "),
		ExtendedKeyUsage:  strings.Join(extended, ", "),
		SubjectKeyID:      len(certificate.SubjectKeyId) > 0,
		AuthorityKeyID:    len(certificate.AuthorityKeyId) > 0,
		serialIsTooLong:   certificate.SerialNumber.BitLen() > 128,
		hasAlternateNames: len(certificate.DNSNames)+len(certificate.IPAddresses) > 0,
	}
	if certificate.IsCA {
		shape.BasicConstraints = "CA:TRUE"
	}
	for _, extension := range certificate.Extensions {
		switch extension.Id.String() {
		case "2.5.29.15":
			shape.KeyUsageCritical = extension.Critical
		case "2.5.29.19":
			shape.BasicCritical = extension.Critical
		case "2.5.29.37":
			shape.ExtendedCritical = extension.Critical
		}
	}
	return shape
}

func decode(t *testing.T, text string) []byte {
	t.Helper()
	decoded, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	return decoded
}

func checkCertificate(t *testing.T, name string, want certificateShape, text string) {
	t.Helper()
	if diff := cmp.Diff(want, shapeOf(t, text), cmp.AllowUnexported(certificateShape{})); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}

func checkKey(t *testing.T, name, wantPEM, wantText, text string) {
	t.Helper()
	block, _ := pem.Decode(decode(t, text))
	if block == nil || "-----BEGIN "+block.Type+"-----" != wantPEM {
		t.Errorf("%s: key is not %s", name, wantPEM)
		return
	}
	key, err := pki.ParseKey(decode(t, text))
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	got := "?"
	switch key := key.(type) {
	case *ecdsa.PrivateKey:
		got = "Private-Key: (256 bit)"
		if key.Params().BitSize != 256 {
			got = "another curve"
		}
	case *rsa.PrivateKey:
		got = "Private-Key: (4096 bit, 2 primes)"
		if key.N.BitLen() != 4096 {
			got = "another length"
		}
	}
	if wantText != "" && got != wantText {
		t.Errorf("%s: key is %q, want %q", name, got, wantText)
	}
}

// checkShapes compares the random parts of what a vector makes with their
// recorded structure.
func checkShapes(t *testing.T, v vector, recorded map[string]string, files map[string]string) {
	t.Helper()
	if _, ok := recorded["secrets-shape.json"]; ok {
		checkSecretsShape(t, v, files["s.yaml"])
	}
	if _, ok := recorded["talosconfig-shape.json"]; ok {
		checkClientShape(t, v, files["talosconfig"])
	}
}

func checkSecretsShape(t *testing.T, v vector, text string) {
	t.Helper()
	var want struct {
		Certs map[string]struct {
			Keys    []string         `json:"keys"`
			Crt     certificateShape `json:"crt"`
			KeyPEM  string           `json:"key_pem"`
			KeyText string           `json:"key_text"`
		} `json:"certs"`
	}
	v.readJSON(t, "secrets-shape.json", &want)
	var got struct {
		Certs map[string]map[string]string `yaml:"certs"`
	}
	if err := yaml.Unmarshal([]byte(text), &got); err != nil {
		t.Fatal(err)
	}
	if len(got.Certs) != len(want.Certs) {
		t.Errorf("%d certs, want %d", len(got.Certs), len(want.Certs))
	}
	for name, cert := range want.Certs {
		made := got.Certs[name]
		if len(made) != len(cert.Keys) {
			t.Errorf("certs.%s has %d keys, want %q", name, len(made), cert.Keys)
		}
		if len(cert.Keys) == 2 {
			checkCertificate(t, "certs."+name, cert.Crt, made["crt"])
		}
		checkKey(t, "certs."+name, cert.KeyPEM, cert.KeyText, made["key"])
	}
}

func checkClientShape(t *testing.T, v vector, text string) {
	t.Helper()
	var want struct {
		Context  string `json:"context"`
		Contexts map[string]struct {
			CA     certificateShape `json:"ca"`
			Crt    certificateShape `json:"crt"`
			KeyPEM string           `json:"key_pem"`
		} `json:"contexts"`
	}
	v.readJSON(t, "talosconfig-shape.json", &want)
	var got struct {
		Context  string                    `yaml:"context"`
		Contexts map[string]map[string]any `yaml:"contexts"`
	}
	if err := yaml.Unmarshal([]byte(text), &got); err != nil {
		t.Fatal(err)
	}
	if got.Context != want.Context || len(got.Contexts) != len(want.Contexts) {
		t.Errorf("context %q of %d, want %q of %d", got.Context, len(got.Contexts), want.Context, len(want.Contexts))
	}
	for name, context := range want.Contexts {
		made := got.Contexts[name]
		if len(made) != 4 {
			t.Errorf("context %s has %d keys, want endpoints, ca, crt and key", name, len(made))
		}
		checkCertificate(t, "ca", context.CA, made["ca"].(string))
		checkCertificate(t, "crt", context.Crt, made["crt"].(string))
		checkKey(t, "client", context.KeyPEM, "", made["key"].(string))
	}
}
