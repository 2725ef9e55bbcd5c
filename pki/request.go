package pki

import (
	"crypto"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"time"
)

const pemRequest = "CERTIFICATE REQUEST"

// NewRequest makes a signing request for a key and returns it as PEM text.
// Usages and lifetime of the template are the signer's business and ignored.
func NewRequest(key crypto.Signer, template Template) ([]byte, error) {
	request := &x509.CertificateRequest{
		Subject: pkix.Name{CommonName: template.CommonName, Organization: template.Organizations},
	}
	request.DNSNames, request.IPAddresses = splitNames(template.Names)
	der, err := x509.CreateCertificateRequest(rand.Reader, request, key)
	if err != nil {
		return nil, fmt.Errorf("make signing request: %w", err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: pemRequest, Bytes: der}), nil
}

// ParseRequest reads a signing request and verifies its own signature.
func ParseRequest(text []byte) (*x509.CertificateRequest, error) {
	block, _ := pem.Decode(text)
	if block == nil {
		return nil, errors.New("parse signing request: no PEM block found")
	}
	if block.Type != pemRequest && block.Type != "NEW CERTIFICATE REQUEST" {
		return nil, fmt.Errorf("parse signing request: PEM block is %q, want %q", block.Type, pemRequest)
	}
	request, err := x509.ParseCertificateRequest(block.Bytes)
	if err != nil {
		return nil, fmt.Errorf("parse signing request: %w", err)
	}
	if err := request.CheckSignature(); err != nil {
		return nil, fmt.Errorf("parse signing request: %w", err)
	}
	return request, nil
}

// SignRequest signs what a request asks for: its subject (so also the roles in
// it) and its names. The caller decides beforehand whether the request may have
// them; [Authority.SignNodeRequest] does that for nodes.
func (a *Authority) SignRequest(request *x509.CertificateRequest, usages []x509.ExtKeyUsage, lifetime time.Duration) (*x509.Certificate, error) {
	return a.Sign(request.PublicKey, Template{
		CommonName:    request.Subject.CommonName,
		Organizations: request.Subject.Organization,
		Names:         requestNames(request),
		Usages:        usages,
		Lifetime:      lifetime,
	})
}

// SignNodeRequest signs a node's request for its API certificate: server and
// client authentication for the names it asks for, with an empty organization,
// whatever it asks for, so that no role can be had this way.
func (a *Authority) SignNodeRequest(request *x509.CertificateRequest) (*x509.Certificate, error) {
	if len(request.Subject.Organization) > 0 {
		return nil, fmt.Errorf("sign node request: it asks for organization %q, which would be a role", request.Subject.Organization)
	}
	return a.Sign(request.PublicKey, Template{
		CommonName: request.Subject.CommonName,
		Names:      requestNames(request),
		Usages:     PeerAuth,
		Lifetime:   NodeLifetime,
	})
}

func requestNames(request *x509.CertificateRequest) []string {
	names := append([]string(nil), request.DNSNames...)
	for _, address := range request.IPAddresses {
		names = append(names, address.String())
	}
	return names
}
