package access

import (
	"context"
	"net/netip"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
)

// FromContext returns the roles in the metadata of an incoming call. Only a
// server that believes its caller may ask, see LocalCredentials.
func FromContext(ctx context.Context) Set {
	return Parse(metadata.ValueFromIncomingContext(ctx, MetadataKey))
}

// A Gate stands before the methods of a server that apid calls: it refuses
// callers that are not apid, and calls for which the roles do not suffice.
type Gate struct {
	// Believe tells whether the process at the other end of the connection
	// is apid. A peer that is not believed has no roles.
	Believe func(Peer) bool
	// Mode returns how the node treats callers now.
	Mode func() Mode
	// Passed, if set, is told of each call that passes, with its roles.
	Passed func(context.Context, Set)
}

func (g Gate) check(ctx context.Context, method string) error {
	roles := Set(0)

	if peer, ok := PeerFromContext(ctx); ok && g.Believe(peer) {
		// apid passes no call for these on; it makes them itself.
		if Local(method) {
			return nil
		}

		roles = FromContext(ctx)
	}

	if err := Check(method, roles, g.Mode()); err != nil {
		return err
	}

	if g.Passed != nil {
		g.Passed(ctx, roles)
	}

	return nil
}

// SourceKey is the metadata key in which apid tells machined from where a call
// came over the network.
const SourceKey = "ichor-source"

// Source returns the address from where a call came, the zero one if that is
// not known. Only a server that believes its caller may ask.
func Source(ctx context.Context) netip.Addr {
	values := metadata.ValueFromIncomingContext(ctx, SourceKey)
	if len(values) != 1 {
		return netip.Addr{}
	}

	address, err := netip.ParseAddr(values[0])
	if err != nil {
		return netip.Addr{}
	}

	return address.Unmap()
}

// Unary is a grpc.UnaryServerInterceptor.
func (g Gate) Unary(ctx context.Context, req any, info *grpc.UnaryServerInfo, handler grpc.UnaryHandler) (any, error) {
	if err := g.check(ctx, info.FullMethod); err != nil {
		return nil, err
	}

	return handler(ctx, req)
}

// Stream is a grpc.StreamServerInterceptor.
func (g Gate) Stream(srv any, stream grpc.ServerStream, info *grpc.StreamServerInfo, handler grpc.StreamHandler) error {
	if err := g.check(stream.Context(), info.FullMethod); err != nil {
		return err
	}

	return handler(srv, stream)
}

// Only is an interceptor of a server with LocalCredentials that serves one user
// and root.
func Only(uid uint32) grpc.UnaryServerInterceptor {
	return func(ctx context.Context, req any, _ *grpc.UnaryServerInfo, handler grpc.UnaryHandler) (any, error) {
		caller, ok := PeerFromContext(ctx)
		if !ok || caller.UID != uid && caller.UID != 0 {
			return nil, status.Error(codes.PermissionDenied, "this socket is not for the caller")
		}
		return handler(ctx, req)
	}
}
