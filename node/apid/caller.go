package apid

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/netip"
	"sync/atomic"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/peer"
	"google.golang.org/grpc/status"

	"github.com/ichor-os/ichor/node/access"
	"github.com/ichor-os/ichor/node/apid/quota"
	"github.com/ichor-os/ichor/node/apid/settings"
)

// identity is what is known of a connection. A connection may outlive the
// settings it was made under, so each call asks anew; what a state says about a
// certificate is remembered as long as it is in force.
type identity struct {
	credentials.TLSInfo
	source  netip.Addr
	verdict atomic.Pointer[verdict]
}

type verdict struct {
	under *state
	roles access.Set
	until time.Time
	err   error
}

// callers are the transport credentials of the server.
type callers struct {
	server *Server
}

func (c callers) ServerHandshake(raw net.Conn) (net.Conn, credentials.AuthInfo, error) {
	current := c.server.state.Load()
	if current == nil {
		return nil, nil, errors.New("accept caller: no settings yet")
	}

	source := quota.Source(raw.RemoteAddr())

	ctx, cancel := context.WithTimeout(context.Background(), c.server.limits.Handshake)
	defer cancel()

	release, err := c.server.handshakes.Wait(ctx, source)
	if err != nil {
		return nil, nil, errors.New("accept caller: too many handshakes from its address")
	}

	defer release()

	conn, info, err := credentials.NewTLS(current.listen()).ServerHandshake(raw)
	if err != nil {
		return nil, nil, err
	}

	return conn, &identity{TLSInfo: info.(credentials.TLSInfo), source: source}, nil
}

func (c callers) ClientHandshake(context.Context, string, net.Conn) (net.Conn, credentials.AuthInfo, error) {
	return nil, nil, errors.New("these credentials are for the server")
}

func (c callers) Info() credentials.ProtocolInfo {
	return credentials.NewTLS(&tls.Config{MinVersion: tls.VersionTLS13}).Info()
}

func (c callers) Clone() credentials.TransportCredentials { return c }

func (c callers) OverrideServerName(string) error { return nil }

// A caller is who makes a call, and for whom.
type caller struct {
	source netip.Addr
	roles  access.Set
	// node is set if the certificate is that of a node.
	node bool
	// forwarded is set if another node passed the call on.
	forwarded bool
	// request is the id of the call on all nodes that it passes.
	request string
}

// identify tells who is calling under the settings in force.
func (s *Server) identify(ctx context.Context, now time.Time) (caller, *state, error) {
	current := s.state.Load()

	from, ok := peer.FromContext(ctx)
	if !ok {
		return caller{}, nil, status.Error(codes.Internal, "the connection of the call is not known")
	}

	if process, ok := access.PeerFromContext(ctx); ok && current != nil {
		return s.local.identify(ctx, process, current)
	}

	who, ok := from.AuthInfo.(*identity)
	if !ok || current == nil {
		return caller{}, nil, status.Error(codes.Internal, "the connection of the call is not identified")
	}

	if !current.admits(who.source) {
		return caller{}, nil, status.Errorf(codes.PermissionDenied,
			"calls from %s are not allowed: ask for its network to be added to the node's API access rule", who.source)
	}

	v := who.verdict.Load()
	if v == nil || v.under != current || now.After(v.until) {
		v = judge(current, who.State.PeerCertificates, now)
		who.verdict.Store(v)
	}

	if v.err != nil {
		return caller{}, nil, v.err
	}

	out := caller{source: who.source, roles: v.roles, node: v.roles.Has(access.Impersonator)}

	out.forwarded = len(metadata.ValueFromIncomingContext(ctx, keyProxyFrom)) > 0

	// Only a node says for whom it calls; what others say of themselves
	// counts for nothing.
	if named := metadata.ValueFromIncomingContext(ctx, access.MetadataKey); out.node && len(named) > 0 {
		out.roles = access.Parse(named)
	}

	out.roles = out.roles.Without(access.Impersonator)

	return out, current, nil
}

// judge tells what a certificate entitles to under the given state. The TLS
// handshake has proven that the caller holds its key.
func judge(under *state, chain []*x509.Certificate, now time.Time) *verdict {
	v := &verdict{under: under}

	if under.mode == settings.Maintenance {
		v.roles = access.SetOf(access.Reader)
		v.until = now.Add(time.Hour)

		return v
	}

	if len(chain) == 0 {
		v.err = status.Error(codes.Unauthenticated,
			"the node has been configured since the connection was made: connect again with a client certificate")
		v.until = now.Add(time.Hour)

		return v
	}

	intermediates := x509.NewCertPool()
	for _, certificate := range chain[1:] {
		intermediates.AddCert(certificate)
	}

	if _, err := chain[0].Verify(x509.VerifyOptions{
		Roots:         under.roots,
		Intermediates: intermediates,
		CurrentTime:   now,
		KeyUsages:     []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	}); err != nil {
		v.err = status.Errorf(codes.Unauthenticated,
			"the client certificate is no longer accepted: %v: get a new client configuration", err)
		v.until = now.Add(time.Minute)

		return v
	}

	v.roles = access.FromCertificate(chain[0])
	v.until = chain[0].NotAfter

	return v
}
