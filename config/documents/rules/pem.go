package rules

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"time"

	"github.com/ichor-os/ichor/config/document"
)

var errNoCertificate = errors.New("no PEM certificate found")

// Certificates reads the certificates of a PEM text.
func Certificates(text string) ([]*x509.Certificate, error) {
	var out []*x509.Certificate

	for rest := []byte(text); ; {
		var block *pem.Block

		block, rest = pem.Decode(rest)
		if block == nil {
			break
		}

		if block.Type != "CERTIFICATE" {
			continue
		}

		cert, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return nil, err
		}

		out = append(out, cert)
	}

	if len(out) == 0 {
		return nil, errNoCertificate
	}

	return out, nil
}

// AdviseLifetimes names certificates of a PEM text that are not valid now.
func AdviseLifetimes(v *document.Validation, path, text string) {
	certs, err := Certificates(text)
	if err != nil {
		return
	}

	for _, c := range certs {
		name := c.Subject.String()

		switch {
		case v.Now.IsZero():
		case v.Now.Before(c.NotBefore):
			v.Advisef(path, "certificate %q is not valid before %s", name, c.NotBefore.Format(time.DateOnly))
		case v.Now.After(c.NotAfter):
			v.Advisef(path, "certificate %q expired on %s", name, c.NotAfter.Format(time.DateOnly))
		}
	}
}

// AdviseKeyPair names a key that does not belong to the certificate beside it.
func AdviseKeyPair(v *document.Validation, path, cert, key string) {
	if _, err := tls.X509KeyPair([]byte(cert), []byte(key)); err != nil {
		v.Advisef(path, "key does not belong to the certificate")
	}
}
