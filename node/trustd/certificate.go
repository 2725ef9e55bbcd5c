package trustd

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"crypto/x509"
	"net/netip"
	"strings"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/peer"
	"google.golang.org/grpc/status"

	securitypb "github.com/ichor-os/ichor/api/security"
	"github.com/ichor-os/ichor/node/apid/quota"
	"github.com/ichor-os/ichor/pki"
)

// TokenKey is the gRPC metadata key that carries the token.
const TokenKey = "token"

// largestRequest bounds a signing request, in bytes.
const largestRequest = 64 << 10

// mostNames is more than any node has names and addresses.
const mostNames = 64

// Certificate signs a request for the names and addresses of its sender.
func (s *Server) Certificate(ctx context.Context, request *securitypb.CertificateRequest) (*securitypb.CertificateResponse, error) {
	current := s.state.Load()
	if current == nil {
		return nil, status.Error(codes.Unavailable, "trustd has no settings yet: ask again")
	}

	source, shown := asker(ctx)

	if err := s.admit(ctx, current, source); err != nil {
		s.log.Warn("certificate refused", "source", source, "error", err)
		return nil, err
	}

	if len(request.GetCsr()) > largestRequest {
		return nil, status.Errorf(codes.InvalidArgument, "request has more than %d bytes", largestRequest)
	}

	parsed, err := pki.ParseRequest(request.GetCsr())
	if err != nil {
		return nil, status.Errorf(codes.InvalidArgument, "%v", err)
	}

	if err := current.check(parsed, source, shown); err != nil {
		s.log.Warn("certificate refused", "source", source, "error", err)
		return nil, err
	}

	certificate, err := current.issuer.SignNodeRequest(parsed)
	if err != nil {
		return nil, status.Errorf(codes.PermissionDenied, "%v", err)
	}

	s.log.Info("certificate signed", "source", source, "names", certificate.DNSNames,
		"addresses", certificate.IPAddresses, "until", certificate.NotAfter)

	return &securitypb.CertificateResponse{Ca: current.ca, Crt: pki.EncodeCertificate(certificate)}, nil
}

// asker returns the address of the caller, and the verified certificate that it
// showed, if any.
func asker(ctx context.Context) (netip.Addr, *x509.Certificate) {
	from, ok := peer.FromContext(ctx)
	if !ok {
		return netip.Addr{}, nil
	}

	source := quota.Source(from.Addr)

	if info, ok := from.AuthInfo.(credentials.TLSInfo); ok && len(info.State.VerifiedChains) > 0 {
		return source, info.State.PeerCertificates[0]
	}

	return source, nil
}

// admit checks rates and token. A source that has guessed too often is not
// listened to any more for a while, not even if it guesses right.
func (s *Server) admit(ctx context.Context, current *state, source netip.Addr) error {
	return s.admitFrom(ctx, current, source, s.asked)
}

func (s *Server) admitFrom(ctx context.Context, current *state, source netip.Addr, asked *rates) error {
	if !s.wrong.left(source) || !asked.take(source) {
		return status.Errorf(codes.ResourceExhausted, "too many requests from %s: ask again later", source)
	}

	given := metadata.ValueFromIncomingContext(ctx, TokenKey)
	if len(given) == 1 {
		sum := digest(given[0])
		if subtle.ConstantTimeCompare(sum[:], current.token[:]) == 1 {
			return nil
		}
	}

	s.wrong.take(source)

	return status.Error(codes.PermissionDenied, "the token is not that of this cluster: check machine.token")
}

// digest makes tokens equally long, so that comparing them takes equally long.
func digest(token string) [32]byte { return sha256.Sum256([]byte(token)) }

// check refuses what a node has no business to ask for: a role, no name at
// all, a pattern, or a name of another node.
func (c *state) check(request *x509.CertificateRequest, source netip.Addr, shown *x509.Certificate) error {
	if len(request.Subject.Organization) > 0 {
		return status.Errorf(codes.PermissionDenied, "organizations %q asked for: node certificates have no role", request.Subject.Organization)
	}

	names := make([]string, 0, len(request.DNSNames)+len(request.IPAddresses))
	names = append(names, request.DNSNames...)

	for _, address := range request.IPAddresses {
		names = append(names, address.String())
	}

	if len(names) == 0 || len(names) > mostNames {
		return status.Errorf(codes.InvalidArgument, "%d names and addresses asked for, from 1 to %d are possible", len(names), mostNames)
	}

	for _, name := range names {
		if strings.Contains(name, "*") || name == "" {
			return status.Errorf(codes.PermissionDenied, "name %q asked for: patterns are not signed", name)
		}

		if !c.free(canonical(name), source) && !everybodys(name) && !shows(shown, name) {
			return status.Errorf(codes.PermissionDenied,
				"%s belongs to another member of the cluster than %s: reset that member, or wait half an hour after it is gone", name, source)
		}
	}

	return nil
}

// free tells whether source may have a name: nobody has it, or one of those who
// do is the source.
func (c *state) free(name string, source netip.Addr) bool {
	taken := false
	for _, names := range c.taken {
		if names[name] && names[source.String()] {
			return true
		}
		taken = taken || names[name]
	}

	return !taken
}

// everybodys tells whether a name means each node to itself.
func everybodys(name string) bool {
	addr, err := netip.ParseAddr(canonical(name))

	return err == nil && addr.IsLoopback() || canonical(name) == "localhost"
}

// shows tells whether a certificate is good for a name.
func shows(certificate *x509.Certificate, name string) bool {
	return certificate != nil && certificate.VerifyHostname(name) == nil
}

// canonical returns a name or address in the form in which they are compared.
func canonical(name string) string {
	if addr, err := netip.ParseAddr(name); err == nil {
		return addr.Unmap().WithZone("").String()
	}

	return strings.ToLower(strings.TrimSuffix(name, "."))
}
