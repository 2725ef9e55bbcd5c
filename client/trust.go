package client

import (
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"github.com/ichor-os/ichor/pki"
)

// errFingerprint is what a node with another certificate than the pinned ones
// is refused with.
var errFingerprint = errors.New("the certificate has none of the given fingerprints")

// pins are the SHA-256 of certificates, or of their public keys.
type pins map[[sha256.Size]byte]bool

// parsePins reads fingerprints in hexadecimal, with colons or without, or in
// base64.
func parsePins(texts []string) (pins, error) {
	out := pins{}

	for _, text := range texts {
		sum, err := hex.DecodeString(strings.ReplaceAll(text, ":", ""))
		if err != nil {
			sum, err = base64.StdEncoding.DecodeString(text)
		}

		if err != nil || len(sum) != sha256.Size {
			return nil, fmt.Errorf("certificate fingerprint %q: want the SHA-256 in hexadecimal or base64", text)
		}

		out[[sha256.Size]byte(sum)] = true
	}

	return out, nil
}

func (p pins) verify(state tls.ConnectionState) error {
	leaf := state.PeerCertificates[0]
	if p[sha256.Sum256(leaf.Raw)] || p[sha256.Sum256(leaf.RawSubjectPublicKeyInfo)] {
		return nil
	}

	return fmt.Errorf("%w: it has %s", errFingerprint, pki.Fingerprint(leaf))
}

func rootsOf(options Options) (*x509.CertPool, error) {
	certificates, err := pki.ParseCertificates(options.CA)
	if err != nil {
		return nil, fmt.Errorf("read ca%s: %w", inContext(options.Context), err)
	}

	pool := x509.NewCertPool()
	for _, certificate := range certificates {
		pool.AddCert(certificate)
	}

	return pool, nil
}
