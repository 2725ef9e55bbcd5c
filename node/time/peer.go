package time

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"time"

	"google.golang.org/grpc/metadata"
	"google.golang.org/protobuf/types/known/emptypb"

	timepb "github.com/ichor-os/ichor/api/time"
	clusterspec "github.com/ichor-os/ichor/node/cluster/spec"
	"github.com/ichor-os/ichor/resource"
	"github.com/ichor-os/ichor/resource/value"
)

// peerTimeout bounds a question to a node, which asks a time server for it.
const peerTimeout = 2 * askTimeout

// peerError is what the time of a node may be wrong by, beside the way.
const peerError = 10 * time.Millisecond

// Peer calls the time service of the node at an address, by its machine API.
// Done gives the connection back.
type Peer func(address netip.Addr) (client timepb.TimeServiceClient, done func() error, err error)

// controlPlanes are addresses of the other control plane nodes, one of each.
func controlPlanes(s *resource.Session) []netip.Addr {
	own := ""
	if id, ok := clusterspec.Identities.Get(s, "local"); ok {
		own = id.NodeID
	}
	var all []netip.Addr
	for _, m := range clusterspec.Members.List(s) {
		if m.Spec.MachineType != value.MachineTypeWorker && m.Spec.NodeID != own && len(m.Spec.Addresses) > 0 {
			all = append(all, m.Spec.Addresses[0])
		}
	}
	return all
}

// fromPeers asks nodes for the time that their servers gave them. A node whose
// servers do not answer either gives none. The error is without, why this node
// has none of its servers, with what the others say.
func (y *Sync) fromPeers(ctx context.Context, addresses []netip.Addr, without error) ([]sample, error) {
	type result struct {
		sample sample
		err    error
	}
	results := make(chan result)
	for _, address := range addresses {
		go func() {
			got, err := y.fromPeer(ctx, address)
			results <- result{got, err}
		}()
	}
	var samples []sample
	var failures []string
	for range addresses {
		r := <-results
		if r.err != nil {
			failures = append(failures, r.err.Error())
			continue
		}
		samples = append(samples, r.sample)
	}
	if len(samples) == 0 {
		slices.Sort(failures)
		return nil, errors.New(strings.Join(append([]string{without.Error()}, failures...), "; "))
	}
	slices.SortFunc(samples, func(a, b sample) int { return strings.Compare(a.server, b.server) })
	return samples, nil
}

func (y *Sync) fromPeer(ctx context.Context, address netip.Addr) (sample, error) {
	client, done, err := y.Peer(address)
	if err != nil {
		return sample{}, fmt.Errorf("ask node for the time: %s: %w", address, err)
	}
	offset, distance, err := measure(ctx, client)
	if err = errors.Join(err, done()); err != nil {
		return sample{}, fmt.Errorf("ask node for the time: %s: %w", address, err)
	}
	return sample{server: address.String(), offset: offset, distance: distance}, nil
}

// measure asks once. The node looked at its server's time somewhere between the
// question and the answer.
func measure(ctx context.Context, client timepb.TimeServiceClient) (offset, distance time.Duration, err error) {
	ctx, cancel := context.WithTimeout(metadata.AppendToOutgoingContext(ctx, "talos-role", "os:reader"), peerTimeout)
	defer cancel()
	asked := time.Now()
	answer, err := client.Time(ctx, &emptypb.Empty{})
	took := time.Since(asked)
	if err != nil {
		return 0, 0, err
	}
	if len(answer.GetMessages()) == 0 || answer.GetMessages()[0].GetRemotetime() == nil {
		return 0, 0, errors.New("the answer holds no time")
	}
	there := answer.GetMessages()[0].GetRemotetime().AsTime()
	return there.Sub(asked.Add(took / 2)), took/2 + peerError, nil
}
