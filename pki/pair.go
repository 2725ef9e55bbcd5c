package pki

import (
	"crypto"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"log/slog"
)

const pemCertificate = "CERTIFICATE"

// Pair is a certificate (or a chain, leaf first) and its private key, each as
// PEM text. Either may be empty. It never shows its key when it is logged or
// printed.
type Pair struct {
	Crt []byte
	Key []byte
}

// LogValue shows the certificate's fingerprint and whether a key is there.
func (p Pair) LogValue() slog.Value {
	return slog.StringValue(p.String())
}

// String shows the certificate's fingerprint and whether a key is there.
func (p Pair) String() string {
	crt, key := "none", "none"
	if len(p.Crt) > 0 {
		crt = "unreadable"
		if certificate, err := ParseCertificate(p.Crt); err == nil {
			crt = Fingerprint(certificate)
		}
	}
	if len(p.Key) > 0 {
		key = "[redacted]"
	}
	return fmt.Sprintf("certificate %s, key %s", crt, key)
}

// GoString is String, so that %#v shows no key either.
func (p Pair) GoString() string { return p.String() }

// TLS returns the pair for use in a TLS configuration.
func (p Pair) TLS() (tls.Certificate, error) {
	certificates, err := ParseCertificates(p.Crt)
	if err != nil {
		return tls.Certificate{}, err
	}
	key, err := ParseKey(p.Key)
	if err != nil {
		return tls.Certificate{}, err
	}
	if err := matches(certificates[0], key); err != nil {
		return tls.Certificate{}, err
	}
	chain := tls.Certificate{PrivateKey: key, Leaf: certificates[0]}
	for _, certificate := range certificates {
		chain.Certificate = append(chain.Certificate, certificate.Raw)
	}
	return chain, nil
}

func matches(certificate *x509.Certificate, key crypto.Signer) error {
	if !samePublicKey(certificate.PublicKey, key.Public()) {
		return fmt.Errorf("the private key does not belong to certificate %q", certificate.Subject)
	}
	return nil
}

// ParseCertificate reads the first certificate of a PEM text.
func ParseCertificate(text []byte) (*x509.Certificate, error) {
	certificates, err := ParseCertificates(text)
	if err != nil {
		return nil, err
	}
	return certificates[0], nil
}

// ParseCertificates reads all certificates of a PEM text, at least one; other
// blocks are skipped.
func ParseCertificates(text []byte) ([]*x509.Certificate, error) {
	var certificates []*x509.Certificate
	for rest := text; ; {
		var block *pem.Block
		block, rest = pem.Decode(rest)
		if block == nil {
			break
		}
		switch block.Type {
		case pemCertificate, "X509 CERTIFICATE":
		default:
			continue
		}
		certificate, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return nil, fmt.Errorf("parse certificate %d: %w", len(certificates)+1, err)
		}
		certificates = append(certificates, certificate)
	}
	if len(certificates) == 0 {
		return nil, errors.New("parse certificate: no PEM certificate found")
	}
	return certificates, nil
}

// EncodeCertificate writes a certificate as PEM text.
func EncodeCertificate(certificate *x509.Certificate) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: pemCertificate, Bytes: certificate.Raw})
}

// Fingerprint is the SHA-256 of a certificate in lower-case hexadecimal.
func Fingerprint(certificate *x509.Certificate) string {
	sum := sha256.Sum256(certificate.Raw)
	return hex.EncodeToString(sum[:])
}
