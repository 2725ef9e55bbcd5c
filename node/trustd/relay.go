package trustd

import (
	"context"
	"fmt"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"

	ichorpb "github.com/ichor-os/ichor/api/ichor"
)

// DiscoverySocket is where machined answers other nodes, through trustd.
const DiscoverySocket = "/system/run/machined/discovery.sock"

// relay passes calls of nodes that show the token on to machined. It knows
// nothing of what is in them.
type relay struct {
	ichorpb.UnimplementedDiscoveryServer
	server  *Server
	machine ichorpb.DiscoveryClient
}

func newRelay(s *Server, socket string) (*relay, error) {
	conn, err := grpc.NewClient("unix://"+socket,
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDisableServiceConfig(),
		grpc.WithNoProxy(),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(largestMessage)),
	)
	if err != nil {
		return nil, fmt.Errorf("reach machined: %w", err)
	}
	return &relay{server: s, machine: ichorpb.NewDiscoveryClient(conn)}, nil
}

func (r *relay) admit(ctx context.Context) error {
	current := r.server.state.Load()
	if current == nil {
		return status.Error(codes.Unavailable, "trustd has no settings yet: ask again")
	}
	source, _ := asker(ctx)
	if err := r.server.admitFrom(ctx, current, source, r.server.exchanged); err != nil {
		r.server.log.Warn("exchange refused", "source", source, "error", err)
		return err
	}
	return nil
}

// Exchange implements the service Discovery.
func (r *relay) Exchange(ctx context.Context, in *ichorpb.ExchangeRequest) (*ichorpb.ExchangeResponse, error) {
	if err := r.admit(ctx); err != nil {
		return nil, err
	}
	return r.machine.Exchange(ctx, in)
}

// Claim implements the service Discovery.
func (r *relay) Claim(ctx context.Context, in *ichorpb.ClaimRequest) (*ichorpb.ClaimResponse, error) {
	if err := r.admit(ctx); err != nil {
		return nil, err
	}
	return r.machine.Claim(ctx, in)
}
