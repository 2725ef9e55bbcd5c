package apid

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/netip"

	"github.com/ichor-os/ichor/node/apid/settings"
)

// state is what is in force: settings made ready for use. It is never changed,
// only replaced as a whole.
type state struct {
	mode    settings.Mode
	roots   *x509.CertPool
	server  tls.Certificate
	client  tls.Certificate
	self    map[string]bool
	name    string
	members map[string]string
	allowed []netip.Prefix
	// replaced is closed when another state is in force.
	replaced chan struct{}
}

// newState prepares settings, or tells why they cannot be put in force.
func newState(from *settings.API) (*state, error) {
	if err := from.Validate(); err != nil {
		return nil, err
	}

	s := &state{
		mode:    from.Mode,
		roots:   x509.NewCertPool(),
		self:    map[string]bool{},
		members: from.Members,
		allowed: from.Allowed,

		replaced: make(chan struct{}),
	}

	if s.mode != settings.Maintenance && !s.roots.AppendCertsFromPEM(from.CA) {
		return nil, errors.New("read ca: no certificate in it")
	}

	var err error

	if s.server, err = from.Server.TLS(); err != nil {
		return nil, fmt.Errorf("read server identity: %w", err)
	}

	if s.mode == settings.ControlPlane {
		if s.client, err = from.Client.TLS(); err != nil {
			return nil, fmt.Errorf("read client identity: %w", err)
		}
	}

	for _, name := range from.Self {
		s.self[canonical(name)] = true
	}

	if len(from.Self) > 0 {
		s.name = from.Self[0]
	}

	return s, nil
}

// canonical returns a target in the form in which targets are compared:
// addresses in their shortest writing.
func canonical(target string) string {
	if addr, err := netip.ParseAddr(target); err == nil {
		return addr.Unmap().WithZone("").String()
	}

	return target
}

// admits tells whether callers from addr are let in.
func (s *state) admits(addr netip.Addr) bool {
	if len(s.allowed) == 0 {
		return true
	}

	for _, prefix := range s.allowed {
		if prefix.Contains(addr) {
			return true
		}
	}

	return false
}

// listen returns the TLS configuration towards callers. Sessions are not
// resumed: a resumed one would carry a certificate past its checks.
func (s *state) listen() *tls.Config {
	config := &tls.Config{
		MinVersion:             tls.VersionTLS13,
		NextProtos:             []string{"h2"},
		Certificates:           []tls.Certificate{s.server},
		SessionTicketsDisabled: true,
		ClientAuth:             tls.RequireAndVerifyClientCert,
		ClientCAs:              s.roots,
	}

	if s.mode == settings.Maintenance {
		config.ClientAuth = tls.NoClientCert
	}

	return config
}

// dial returns the TLS configuration towards the node that was named target
// and is reached at address: its certificate has to be good for one of them.
func (s *state) dial(target, address string) *tls.Config {
	return &tls.Config{
		MinVersion:   tls.VersionTLS13,
		NextProtos:   []string{"h2"},
		Certificates: []tls.Certificate{s.client},
		// The standard check knows one name only; verify does all of it.
		InsecureSkipVerify: true,
		VerifyConnection: func(connection tls.ConnectionState) error {
			return s.verify(connection.PeerCertificates, target, address)
		},
	}
}

func (s *state) verify(chain []*x509.Certificate, names ...string) error {
	if len(chain) == 0 {
		return errors.New("verify node: it has no certificate")
	}

	intermediates := x509.NewCertPool()
	for _, certificate := range chain[1:] {
		intermediates.AddCert(certificate)
	}

	if _, err := chain[0].Verify(x509.VerifyOptions{
		Roots:         s.roots,
		Intermediates: intermediates,
		KeyUsages:     []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}); err != nil {
		return fmt.Errorf("verify node: %w", err)
	}

	var mismatch error

	for _, name := range names {
		err := chain[0].VerifyHostname(name)
		if err == nil {
			return nil
		}

		mismatch = err
	}

	return fmt.Errorf("verify node: %w", mismatch)
}
