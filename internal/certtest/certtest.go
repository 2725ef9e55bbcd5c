// Package certtest makes the certificates that tests of the node API need,
// good and bad ones. It is not for use outside tests.
package certtest

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"testing"
	"time"
)

// An Authority is a certificate authority made for one test.
type Authority struct {
	t    testing.TB
	cert *x509.Certificate
	key  ed25519.PrivateKey
	// PEM and KeyPEM are the certificate and its key.
	PEM, KeyPEM string
}

// A Leaf describes a certificate.
type Leaf struct {
	// Roles become the organizations of the subject.
	Roles []string
	// Names are DNS names and addresses.
	Names []string
	// Usage defaults to both client and server authentication.
	Usage []x509.ExtKeyUsage
	// NotBefore and NotAfter default to an hour around now.
	NotBefore, NotAfter time.Time
}

// Pair is a certificate with its key, both PEM.
type Pair struct {
	Certificate, Key string
}

// TLS returns the pair ready for use.
func (p Pair) TLS(t testing.TB) tls.Certificate {
	t.Helper()

	pair, err := tls.X509KeyPair([]byte(p.Certificate), []byte(p.Key))
	if err != nil {
		t.Fatal(err)
	}

	return pair
}

// NewAuthority makes an authority like the machine CA of a cluster.
func NewAuthority(t testing.TB) *Authority {
	t.Helper()

	public, private := newKey(t)
	template := &x509.Certificate{
		SerialNumber:          serial(t),
		Subject:               pkix.Name{Organization: []string{"talos"}},
		NotBefore:             time.Now().Add(-24 * time.Hour),
		NotAfter:              time.Now().Add(24 * time.Hour),
		IsCA:                  true,
		BasicConstraintsValid: true,
		KeyUsage:              x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	}

	der, err := x509.CreateCertificate(rand.Reader, template, template, public, private)
	if err != nil {
		t.Fatal(err)
	}

	cert, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}

	return &Authority{t: t, cert: cert, key: private, PEM: encodeCertificate(der), KeyPEM: encodeKey(t, private)}
}

// Pool returns a pool that holds the authority alone.
func (a *Authority) Pool() *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AddCert(a.cert)

	return pool
}

// Issue signs a certificate with a new key.
func (a *Authority) Issue(leaf Leaf) Pair {
	a.t.Helper()

	return issue(a.t, leaf, a.cert, a.key)
}

// SelfSigned makes a certificate that only itself vouches for.
func SelfSigned(t testing.TB, leaf Leaf) Pair {
	t.Helper()

	return issue(t, leaf, nil, nil)
}

func issue(t testing.TB, leaf Leaf, parent *x509.Certificate, signer ed25519.PrivateKey) Pair {
	t.Helper()

	public, private := newKey(t)
	template := &x509.Certificate{
		SerialNumber: serial(t),
		Subject:      pkix.Name{Organization: leaf.Roles, CommonName: "test"},
		NotBefore:    leaf.NotBefore,
		NotAfter:     leaf.NotAfter,
		KeyUsage:     x509.KeyUsageDigitalSignature,
		ExtKeyUsage:  leaf.Usage,
	}

	if template.NotBefore.IsZero() {
		template.NotBefore = time.Now().Add(-time.Hour)
	}

	if template.NotAfter.IsZero() {
		template.NotAfter = time.Now().Add(time.Hour)
	}

	if len(template.ExtKeyUsage) == 0 {
		template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth, x509.ExtKeyUsageServerAuth}
	}

	for _, name := range leaf.Names {
		if ip := net.ParseIP(name); ip != nil {
			template.IPAddresses = append(template.IPAddresses, ip)
		} else {
			template.DNSNames = append(template.DNSNames, name)
		}
	}

	if parent == nil {
		parent, signer = template, private
	}

	der, err := x509.CreateCertificate(rand.Reader, template, parent, public, signer)
	if err != nil {
		t.Fatal(err)
	}

	return Pair{Certificate: encodeCertificate(der), Key: encodeKey(t, private)}
}

func newKey(t testing.TB) (ed25519.PublicKey, ed25519.PrivateKey) {
	t.Helper()

	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}

	return public, private
}

func serial(t testing.TB) *big.Int {
	t.Helper()

	n, err := rand.Int(rand.Reader, big.NewInt(1<<62))
	if err != nil {
		t.Fatal(err)
	}

	return n
}

func encodeCertificate(der []byte) string {
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
}

func encodeKey(t testing.TB, key ed25519.PrivateKey) string {
	t.Helper()

	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}

	return string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}))
}
