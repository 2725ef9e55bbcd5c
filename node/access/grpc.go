package access

import (
	"context"

	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"
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

	return Check(method, roles, g.Mode())
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
