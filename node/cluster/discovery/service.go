package discovery

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"sync/atomic"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	ichorpb "github.com/ichor-os/ichor/api/ichor"
)

// Service answers other nodes, whom trustd has admitted. The zero value refuses
// until Use gives it something to answer from.
type Service struct {
	ichorpb.UnimplementedDiscoveryServer

	table  atomic.Pointer[Table]
	claims atomic.Pointer[Claims]
}

// Use puts table and claims in force; each may be nil.
func (s *Service) Use(table *Table, claims *Claims) {
	s.table.Store(table)
	s.claims.Store(claims)
}

// Exchange implements the service Discovery.
func (s *Service) Exchange(_ context.Context, in *ichorpb.ExchangeRequest) (*ichorpb.ExchangeResponse, error) {
	table := s.table.Load()
	if table == nil {
		return nil, status.Error(codes.FailedPrecondition, "discovery is off on this node: see cluster.discovery in its config")
	}
	if len(in.GetKnown()) > mostNodes || len(in.GetRecords()) > mostNodes {
		return nil, status.Errorf(codes.InvalidArgument, "more than %d nodes in an exchange", mostNodes)
	}
	return table.Answer(in), nil
}

// Claim implements the service Discovery.
func (s *Service) Claim(_ context.Context, in *ichorpb.ClaimRequest) (*ichorpb.ClaimResponse, error) {
	claims := s.claims.Load()
	if claims == nil {
		return nil, status.Error(codes.FailedPrecondition, "this node is no control plane node")
	}
	return claims.Answer(in), nil
}

// Dialer connects to trustd of control plane nodes. CA holds, as PEM, the
// authorities that they must be known by before they get to see the token.
type Dialer struct {
	CA    []byte
	Token string
}

// Dial gives a client for host:port.
func (d Dialer) Dial(address string) (Client, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, fmt.Errorf("dial peer: %w", err)
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(d.CA) {
		return nil, errors.New("dial peer: no certificate in machine.ca")
	}
	conn, err := grpc.NewClient("passthrough:///"+address,
		grpc.WithTransportCredentials(credentials.NewTLS(&tls.Config{MinVersion: tls.VersionTLS13, RootCAs: roots, ServerName: host})),
		grpc.WithUnaryInterceptor(d.showToken),
		grpc.WithDisableServiceConfig(),
		grpc.WithNoProxy(),
	)
	if err != nil {
		return nil, fmt.Errorf("dial peer: %s: %w", address, err)
	}
	return connection{ichorpb.NewDiscoveryClient(conn), conn}, nil
}

func (d Dialer) showToken(ctx context.Context, method string, in, out any, conn *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption) error {
	return invoke(metadata.AppendToOutgoingContext(ctx, "token", d.Token), method, in, out, conn, opts...)
}

type connection struct {
	ichorpb.DiscoveryClient
	conn *grpc.ClientConn
}

// Close closes the connection.
func (c connection) Close() error { return c.conn.Close() }
