package identity

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/metadata"

	securitypb "github.com/ichor-os/ichor/api/security"
	"github.com/ichor-os/ichor/pki"
)

// Trustd makes the identity of trustd on a control plane node, good for the
// endpoint too, by which workers find it.
func Trustd(machineCA pki.Pair, names Names, now time.Time) (pki.Pair, error) {
	authority, err := pki.LoadAuthority(machineCA)
	if err != nil {
		return pki.Pair{}, fmt.Errorf("load machine CA: %w", err)
	}
	pair, err := authority.Issue(pki.Ed25519, pki.Template{
		CommonName: names.Hostname, Names: names.all(), Usages: pki.ServerAuth, Lifetime: pki.NodeLifetime, NotBefore: now,
	})
	if err != nil {
		return pki.Pair{}, fmt.Errorf("issue trustd certificate: %w", err)
	}
	return pair, nil
}

// Request asks trustd at address (host:port) for the identity of a node that
// cannot sign its own. The node knows the machine CA and the token.
func Request(ctx context.Context, address, serverName string, ca []byte, token string, names Names) (pki.Pair, error) {
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(ca) {
		return pki.Pair{}, errors.New("ask for certificate: there is no machine CA in the config")
	}
	key, err := pki.GenerateKey(pki.Ed25519)
	if err != nil {
		return pki.Pair{}, fmt.Errorf("ask for certificate: %w", err)
	}
	csr, err := pki.NewRequest(key, pki.Template{CommonName: names.Hostname, Names: names.all()})
	if err != nil {
		return pki.Pair{}, fmt.Errorf("ask for certificate: %w", err)
	}
	conn, err := grpc.NewClient(address, grpc.WithTransportCredentials(credentials.NewTLS(&tls.Config{
		RootCAs: pool, ServerName: serverName, MinVersion: tls.VersionTLS13,
	})))
	if err != nil {
		return pki.Pair{}, fmt.Errorf("ask for certificate: %s: %w", address, err)
	}
	defer conn.Close()
	ctx = metadata.AppendToOutgoingContext(ctx, "token", token)
	response, err := securitypb.NewSecurityServiceClient(conn).Certificate(ctx, &securitypb.CertificateRequest{Csr: csr})
	if err != nil {
		return pki.Pair{}, fmt.Errorf("ask for certificate: %s: %w", address, err)
	}
	encoded, err := pki.EncodeKey(key)
	if err != nil {
		return pki.Pair{}, fmt.Errorf("ask for certificate: %w", err)
	}
	pair := pki.Pair{Crt: response.GetCrt(), Key: encoded}
	if _, err := pair.TLS(); err != nil {
		return pki.Pair{}, fmt.Errorf("ask for certificate: the answer does not fit the key: %w", err)
	}
	return pair, nil
}
