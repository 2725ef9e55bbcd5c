package trust

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/netip"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"

	timepb "github.com/ichor-os/ichor/api/time"
	"github.com/ichor-os/ichor/node/apid/settings"
)

// APIPort is where the machine API of a node is.
const APIPort = "50000"

// PeerTime calls the time service of another node with the identity by which
// this one forwards calls; only control plane nodes have one. Certificates have
// to be valid by the clock that there is, so a clock that is far off is not
// mended this way.
func PeerTime(address netip.Addr) (timepb.TimeServiceClient, func() error, error) {
	return peerTime(settings.DefaultAPIPath, net.JoinHostPort(address.String(), APIPort), address.String())
}

func peerTime(path, target, name string) (timepb.TimeServiceClient, func() error, error) {
	api, err := settings.Load[settings.API](path)
	if err != nil {
		return nil, nil, err
	}
	if api.Mode != settings.ControlPlane {
		return nil, nil, errors.New("only control plane nodes have a certificate to ask with")
	}
	pair, err := tls.X509KeyPair(api.Client.Crt, api.Client.Key)
	if err != nil {
		return nil, nil, fmt.Errorf("read client certificate: %w", err)
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(api.CA) {
		return nil, nil, errors.New("read authorities: there is none")
	}
	conn, err := grpc.NewClient("passthrough:///"+target, grpc.WithNoProxy(), grpc.WithDisableServiceConfig(),
		grpc.WithTransportCredentials(credentials.NewTLS(&tls.Config{
			MinVersion: tls.VersionTLS13, Certificates: []tls.Certificate{pair}, RootCAs: roots, ServerName: name,
		})))
	if err != nil {
		return nil, nil, fmt.Errorf("dial node: %s: %w", target, err)
	}
	return timepb.NewTimeServiceClient(conn), conn.Close, nil
}
