package pki

import (
	"crypto"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"fmt"
	"log/slog"
	"math/big"
	"net"
	"time"
)

// Authority is a certificate authority that can sign.
type Authority struct {
	Certificate *x509.Certificate
	Key         crypto.Signer
}

// AuthorityTemplate says how a new authority shall be.
type AuthorityTemplate struct {
	CommonName   string
	Organization string // empty: an empty subject
	Algorithm    Algorithm
	Lifetime     time.Duration
	NotBefore    time.Time // zero: now
}

// Template says how a certificate shall be. Names holds DNS names and IP
// addresses in one list.
type Template struct {
	CommonName    string
	Organizations []string // roles of an API client, groups of a Kubernetes client
	Names         []string
	Usages        []x509.ExtKeyUsage
	Lifetime      time.Duration
	NotBefore     time.Time // zero: now
}

// Usages of certificates.
var (
	ClientAuth = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}
	ServerAuth = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	PeerAuth   = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}
)

// NewAuthority makes a self-signed authority with a new key.
func NewAuthority(template AuthorityTemplate) (*Authority, error) {
	key, err := GenerateKey(template.Algorithm)
	if err != nil {
		return nil, err
	}
	subject := pkix.Name{CommonName: template.CommonName}
	if template.Organization != "" {
		subject.Organization = []string{template.Organization}
	}
	return selfSign(key, subject, template.NotBefore, template.Lifetime)
}

func selfSign(key crypto.Signer, subject pkix.Name, notBefore time.Time, lifetime time.Duration) (*Authority, error) {
	certificate, err := skeleton(notBefore, lifetime)
	if err != nil {
		return nil, fmt.Errorf("make authority %q: %w", subject, err)
	}
	certificate.Subject = subject
	certificate.IsCA = true
	certificate.BasicConstraintsValid = true
	certificate.KeyUsage = x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign
	certificate.ExtKeyUsage = PeerAuth
	der, err := x509.CreateCertificate(rand.Reader, certificate, certificate, key.Public(), key)
	if err != nil {
		return nil, fmt.Errorf("make authority %q: %w", subject, err)
	}
	signed, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, err
	}
	return &Authority{Certificate: signed, Key: key}, nil
}

// LoadAuthority reads an authority and checks that it is one and that the key
// belongs to it. It does not check the time.
func LoadAuthority(pair Pair) (*Authority, error) {
	certificate, err := ParseCertificate(pair.Crt)
	if err != nil {
		return nil, fmt.Errorf("load authority: %w", err)
	}
	if !certificate.IsCA {
		return nil, fmt.Errorf("load authority: %q is not the certificate of an authority", certificate.Subject)
	}
	if len(pair.Key) == 0 {
		return nil, fmt.Errorf("load authority: %q comes without its private key", certificate.Subject)
	}
	key, err := ParseKey(pair.Key)
	if err != nil {
		return nil, fmt.Errorf("load authority: %w", err)
	}
	if err := matches(certificate, key); err != nil {
		return nil, fmt.Errorf("load authority: %w", err)
	}
	return &Authority{Certificate: certificate, Key: key}, nil
}

// Pair returns the authority as PEM text.
func (a *Authority) Pair() (Pair, error) {
	key, err := EncodeKey(a.Key)
	if err != nil {
		return Pair{}, err
	}
	return Pair{Crt: EncodeCertificate(a.Certificate), Key: key}, nil
}

// LogValue shows the subject and the fingerprint only.
func (a *Authority) LogValue() slog.Value {
	return slog.GroupValue(
		slog.String("subject", a.Certificate.Subject.String()),
		slog.String("fingerprint", Fingerprint(a.Certificate)),
	)
}

// Pool returns a pool that holds just this authority.
func (a *Authority) Pool() *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AddCert(a.Certificate)
	return pool
}

// Issue makes a key and signs a certificate for it.
func (a *Authority) Issue(algorithm Algorithm, template Template) (Pair, error) {
	key, err := GenerateKey(algorithm)
	if err != nil {
		return Pair{}, err
	}
	certificate, err := a.Sign(key.Public(), template)
	if err != nil {
		return Pair{}, err
	}
	text, err := EncodeKey(key)
	if err != nil {
		return Pair{}, err
	}
	return Pair{Crt: EncodeCertificate(certificate), Key: text}, nil
}

// Sign signs a certificate for a public key.
func (a *Authority) Sign(public crypto.PublicKey, template Template) (*x509.Certificate, error) {
	certificate, err := template.certificate()
	if err != nil {
		return nil, err
	}
	der, err := x509.CreateCertificate(rand.Reader, certificate, a.Certificate, public, a.Key)
	if err != nil {
		return nil, fmt.Errorf("sign certificate %q: %w", template.CommonName, err)
	}
	return x509.ParseCertificate(der)
}

// SelfSigned makes a key and a certificate that it signs itself: for servers
// that are known by their fingerprint. It is not an authority.
func SelfSigned(algorithm Algorithm, template Template) (Pair, error) {
	key, err := GenerateKey(algorithm)
	if err != nil {
		return Pair{}, err
	}
	certificate, err := template.certificate()
	if err != nil {
		return Pair{}, err
	}
	der, err := x509.CreateCertificate(rand.Reader, certificate, certificate, key.Public(), key)
	if err != nil {
		return Pair{}, fmt.Errorf("sign certificate %q: %w", template.CommonName, err)
	}
	text, err := EncodeKey(key)
	if err != nil {
		return Pair{}, err
	}
	return Pair{Crt: EncodeCertificate(&x509.Certificate{Raw: der}), Key: text}, nil
}

// certificate is the unsigned certificate that the template describes.
func (t Template) certificate() (*x509.Certificate, error) {
	certificate, err := skeleton(t.NotBefore, t.Lifetime)
	if err != nil {
		return nil, fmt.Errorf("sign certificate %q: %w", t.CommonName, err)
	}
	certificate.Subject = pkix.Name{CommonName: t.CommonName, Organization: t.Organizations}
	certificate.KeyUsage = x509.KeyUsageDigitalSignature
	certificate.ExtKeyUsage = t.Usages
	certificate.DNSNames, certificate.IPAddresses = splitNames(t.Names)
	return certificate, nil
}

func skeleton(notBefore time.Time, lifetime time.Duration) (*x509.Certificate, error) {
	if lifetime <= 0 {
		return nil, errors.New("the lifetime must be positive")
	}
	if notBefore.IsZero() {
		notBefore = time.Now()
	}
	notBefore = notBefore.UTC().Truncate(time.Second)
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 127))
	if err != nil {
		return nil, err
	}
	return &x509.Certificate{
		SerialNumber: serial.Add(serial, big.NewInt(1)), // RFC 5280: positive
		NotBefore:    notBefore,
		NotAfter:     notBefore.Add(lifetime),
	}, nil
}

func splitNames(names []string) (hosts []string, addresses []net.IP) {
	for _, name := range names {
		if address := net.ParseIP(name); address != nil {
			addresses = append(addresses, address)
		} else {
			hosts = append(hosts, name)
		}
	}
	return hosts, addresses
}
