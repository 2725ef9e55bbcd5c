package etcd

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"slices"
	"strings"
	"time"

	"go.etcd.io/etcd/api/v3/etcdserverpb"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
)

// endpointTimeout bounds what is asked of one member, so that a dead one costs
// no more than this.
const endpointTimeout = 5 * time.Second

// workTimeout bounds what a member works at, over all of its data or together
// with the others: a large database takes minutes to defragment.
const workTimeout = 10 * time.Minute

// Client speaks to members by their addresses, one after the other until one
// answers.
type Client struct {
	// Addresses of members, in the order to try them.
	Addresses []netip.Addr

	// connect is dial, or a test's.
	connect func(netip.Addr) (*grpc.ClientConn, error)
	// timeout is endpointTimeout, or a test's.
	timeout time.Duration
}

// answering lists the cluster's members, and gives a client that asks first who
// answered now, so that a dead member costs its time once.
func (c Client) answering(ctx context.Context) ([]*etcdserverpb.Member, Client, error) {
	var members []*etcdserverpb.Member
	at := -1
	err := c.ask(ctx, func(ctx context.Context, conn *grpc.ClientConn) error {
		at++
		response, err := etcdserverpb.NewClusterClient(conn).MemberList(ctx, &etcdserverpb.MemberListRequest{Linearizable: true})
		members = response.GetMembers()
		return err
	})
	if err != nil {
		return nil, c, err
	}
	first := c
	first.Addresses = append([]netip.Addr{c.Addresses[at]}, slices.Delete(slices.Clone(c.Addresses), at, at+1)...)
	return members, first, nil
}

func (c Client) dial(address netip.Addr) (*grpc.ClientConn, error) {
	if c.connect != nil {
		return c.connect(address)
	}
	return dial(address)
}

// Local is a client of this node's own member.
func Local() Client { return Client{Addresses: []netip.Addr{netip.MustParseAddr("127.0.0.1")}} }

// dial connects as the administrator of etcd.
func dial(address netip.Addr) (*grpc.ClientConn, error) {
	pair, err := tls.LoadX509KeyPair(SecretFolder+"/admin.crt", SecretFolder+"/admin.key")
	if err != nil {
		return nil, fmt.Errorf("load etcd client certificate: %w", err)
	}
	ca, err := os.ReadFile(SecretFolder + "/ca.crt")
	if err != nil {
		return nil, fmt.Errorf("load etcd CA: %w", err)
	}
	pool, err := poolOf(ca)
	if err != nil {
		return nil, err
	}
	return grpc.NewClient(netip.AddrPortFrom(address, 2379).String(), grpc.WithTransportCredentials(credentials.NewTLS(
		&tls.Config{Certificates: []tls.Certificate{pair}, RootCAs: pool, MinVersion: tls.VersionTLS12})))
}

// ask calls fn with the members in turn until one succeeds.
func (c Client) ask(ctx context.Context, fn func(context.Context, *grpc.ClientConn) error) error {
	if len(c.Addresses) == 0 {
		return errors.New("ask etcd: no member is known")
	}
	var failures error
	for _, address := range c.Addresses {
		conn, err := c.dial(address)
		if err != nil {
			return err
		}
		bounded, cancel := context.WithTimeout(ctx, cmp.Or(c.timeout, endpointTimeout))
		err = fn(bounded, conn)
		cancel()
		conn.Close()
		if err == nil {
			return nil
		}
		failures = errors.Join(failures, fmt.Errorf("ask etcd member: %s: %w", address, err))
		if ctx.Err() != nil {
			break
		}
	}
	return failures
}

// Members lists the cluster's members.
func (c Client) Members(ctx context.Context) ([]*etcdserverpb.Member, error) {
	members, _, err := c.answering(ctx)
	return members, err
}

// Join makes this node a learner of the cluster and returns what its member must
// start with. A member with its peer URL that has not started yet is taken over,
// as a join that was cut short leaves one.
func (c Client) Join(ctx context.Context, s Settings) ([]string, error) {
	members, err := c.Members(ctx)
	if err != nil {
		return nil, err
	}
	peers := s.PeerURLs()
	ours := slices.IndexFunc(members, s.isOurs)
	if ours >= 0 && members[ours].GetName() != "" {
		return nil, fmt.Errorf("join etcd: a member with this node's address %s is listed already, and this node has no data of it: "+
			"remove it first ('etcd remove-member %x')", strings.Join(peers, ", "), members[ours].GetID())
	}
	if ours < 0 {
		err := c.ask(ctx, func(ctx context.Context, conn *grpc.ClientConn) error {
			response, err := etcdserverpb.NewClusterClient(conn).MemberAdd(ctx, &etcdserverpb.MemberAddRequest{PeerURLs: peers, IsLearner: true})
			members = response.GetMembers()
			return err
		})
		if err != nil {
			return nil, fmt.Errorf("join etcd: %w", err)
		}
	}
	var initial []string
	for _, m := range members {
		name := m.GetName()
		for _, url := range m.GetPeerURLs() {
			if slices.Contains(peers, url) {
				name = s.Name
			}
			initial = append(initial, name+"="+url)
		}
	}
	return initial, nil
}

// Promote makes this node's learner a voting member once it has caught up; a
// voter already is no error. It asks the others first, as a learner cannot
// promote itself.
func (c Client) Promote(ctx context.Context, s Settings) error {
	members, c, err := c.answering(ctx)
	if err != nil {
		return err
	}
	for _, m := range members {
		if !s.isOurs(m) {
			continue
		}
		if !m.GetIsLearner() {
			return nil
		}
		return c.ask(ctx, func(ctx context.Context, conn *grpc.ClientConn) error {
			_, err := etcdserverpb.NewClusterClient(conn).MemberPromote(ctx, &etcdserverpb.MemberPromoteRequest{ID: m.GetID()})
			return err
		})
	}
	return fmt.Errorf("promote etcd member: %s is not a member", strings.Join(s.PeerURLs(), ", "))
}
