package trust

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"google.golang.org/grpc"

	ichorpb "github.com/ichor-os/ichor/api/ichor"
	machineconfig "github.com/ichor-os/ichor/config"
	"github.com/ichor-os/ichor/node/access"
	"github.com/ichor-os/ichor/node/cluster"
	"github.com/ichor-os/ichor/node/cluster/discovery"
	"github.com/ichor-os/ichor/node/etcd"
)

// NewDiscovery makes what finds the other nodes, and the server that answers
// them through trustd.
func NewDiscovery(log *slog.Logger) (*cluster.Discovery, *grpc.Server) {
	found := &cluster.Discovery{Log: log, HasEtcd: etcd.HasData, Seeds: cluster.SeedFile}
	server := grpc.NewServer(grpc.Creds(access.LocalCredentials()), grpc.UnaryInterceptor(access.Only(TrustdUID)))
	ichorpb.RegisterDiscoveryServer(server, &found.Service)
	return found, server
}

// Discover looks for the other nodes as a config says, until ctx ends. A control
// plane node, which has a membership, agrees with the others before it makes an
// etcd.
func Discover(ctx context.Context, d *cluster.Discovery, c *machineconfig.Config, membership *etcd.Membership, hostname string) error {
	identity, err := cluster.Identity(cluster.IdentityFile)
	if err != nil {
		return err
	}
	main := c.Main()
	dialer := discovery.Dialer{CA: authorities(main.Machine), Token: main.Machine.Token}
	if membership == nil {
		return d.Start(ctx, c, dialer, identity.NodeID, nil)
	}
	claims, err := discovery.NewClaims(identity.NodeID, hostname, discovery.ClaimFile, membership.Occupied, time.Now, d.Log)
	if err != nil {
		return fmt.Errorf("guard bootstrap: %w", err)
	}
	membership.Guard(etcd.Guard{Claim: d.Claim, Members: d.EtcdMembers, Own: claims.Own(), Done: claims.Done})
	return d.Start(ctx, c, dialer, identity.NodeID, claims)
}
