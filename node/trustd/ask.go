package trustd

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"strconv"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/metadata"

	securitypb "github.com/ichor-os/ichor/api/security"
	"github.com/ichor-os/ichor/pki"
)

// askTimeout is how long one endpoint may take to answer.
const askTimeout = 10 * time.Second

// A Request is what a node without the key of the machine CA asks for.
type Request struct {
	// Endpoints are control plane nodes, by name or address, asked in order
	// until one answers. Port is that of trustd there.
	Endpoints []string
	Port      int
	// CA holds, as PEM, the authorities that a control plane node must be
	// known by before it gets to see the token.
	CA    []byte
	Token string
	// Names are the node's own names and addresses.
	Names []string
	// Present is the certificate that the node has, if it still has one. It
	// keeps the node's names for it.
	Present pki.Pair
}

// An Answer is a certificate with its key, and the authorities that nodes
// accept at present.
type Answer struct {
	Pair pki.Pair
	CA   []byte
}

// Ask makes a key and has it certified. It tries each endpoint once; the error
// tells what each of them said. A present certificate that has run out is left
// out, as it would only be refused.
func Ask(ctx context.Context, request Request) (Answer, error) {
	key, err := pki.GenerateKey(pki.Ed25519)
	if err != nil {
		return Answer{}, err
	}

	csr, err := pki.NewRequest(key, pki.Template{Names: request.Names})
	if err != nil {
		return Answer{}, err
	}

	config, err := request.tls()
	if err != nil {
		return Answer{}, err
	}

	failed := []error{errors.New("ask for a certificate: no control plane node gave one")}

	for _, endpoint := range request.Endpoints {
		response, err := request.askOne(ctx, endpoint, config, csr)
		if err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", endpoint, err))
			continue
		}

		answer := Answer{Pair: pki.Pair{Crt: response.GetCrt()}, CA: response.GetCa()}

		if answer.Pair.Key, err = pki.EncodeKey(key); err != nil {
			return Answer{}, err
		}

		// What is no certificate of this key is no answer.
		if _, err := answer.Pair.TLS(); err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", endpoint, err))
			continue
		}

		return answer, nil
	}

	return Answer{}, errors.Join(failed...)
}

func (r Request) tls() (*tls.Config, error) {
	config := &tls.Config{MinVersion: tls.VersionTLS13, RootCAs: x509.NewCertPool()}

	if !config.RootCAs.AppendCertsFromPEM(r.CA) {
		return nil, errors.New("ask for a certificate: no certificate in the ca")
	}

	if len(r.Present.Crt) == 0 {
		return config, nil
	}

	present, err := r.Present.TLS()
	if err != nil {
		return nil, fmt.Errorf("ask for a certificate: the present one: %w", err)
	}

	if time.Now().Before(present.Leaf.NotAfter) {
		config.Certificates = []tls.Certificate{present}
	}

	return config, nil
}

func (r Request) askOne(ctx context.Context, endpoint string, config *tls.Config, csr []byte) (*securitypb.CertificateResponse, error) {
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()

	config = config.Clone()
	config.ServerName = endpoint

	conn, err := grpc.NewClient("passthrough:///"+net.JoinHostPort(endpoint, strconv.Itoa(r.Port)),
		grpc.WithTransportCredentials(credentials.NewTLS(config)),
		grpc.WithDisableServiceConfig(),
		grpc.WithNoProxy(),
	)
	if err != nil {
		return nil, err
	}
	defer conn.Close()

	ctx = metadata.AppendToOutgoingContext(ctx, TokenKey, r.Token)

	return securitypb.NewSecurityServiceClient(conn).Certificate(ctx, &securitypb.CertificateRequest{Csr: csr})
}
