package etcd

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"go.etcd.io/etcd/api/v3/etcdserverpb"
	"google.golang.org/grpc"
)

// ErrLast says that a member is the only one that votes.
var ErrLast = errors.New("it is the last voting member: without it the cluster has no etcd")

// leavePause is the time between two tries to leave.
const leavePause = 500 * time.Millisecond

// Leave takes this node's member out of the cluster, stops it and removes its
// data. A member that is out already is taken as gone, so that repeating it
// after a failure ends well.
func (m *Membership) Leave(ctx context.Context, stop func(context.Context) error) error {
	has, err := m.hasData()
	if err != nil || !has {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	if err := Local().remove(ctx, m.current()); err != nil {
		return err
	}
	if err := stop(ctx); err != nil {
		return err
	}
	if err := os.RemoveAll(filepath.Join(DataFolder, "member")); err != nil {
		return fmt.Errorf("remove etcd data: %w", err)
	}
	m.log.Info("etcd is left")
	return nil
}

// remove takes the member of this node out of the cluster. It asks the other
// members first and the leaving one last, as that may end before it answers.
func (c Client) remove(ctx context.Context, s Settings) error {
	members, err := c.Members(ctx)
	if err != nil {
		return err
	}
	ours := slices.IndexFunc(members, s.isOurs)
	if ours < 0 {
		return nil
	}
	voters := 0
	for _, m := range members {
		if !m.GetIsLearner() {
			voters++
		}
	}
	if voters == 1 && !members[ours].GetIsLearner() {
		return fmt.Errorf("leave etcd: %w", ErrLast)
	}
	everyone := Client{Addresses: append(others(members, ours), c.Addresses...), connect: c.connect, timeout: c.timeout}
	for {
		err := everyone.ask(ctx, func(ctx context.Context, conn *grpc.ClientConn) error {
			_, err := etcdserverpb.NewClusterClient(conn).MemberRemove(ctx, &etcdserverpb.MemberRemoveRequest{ID: members[ours].GetID()})
			if isGone(err) {
				return nil
			}
			return err
		})
		if err == nil {
			return nil
		}
		timer := time.NewTimer(leavePause)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return fmt.Errorf("leave etcd: %w", err)
		}
	}
}

// isGone reports whether a member said that the one to remove is none.
func isGone(err error) bool {
	return err != nil && strings.Contains(err.Error(), "member not found")
}

// others are the addresses of all members but one, from their peer URLs.
func others(members []*etcdserverpb.Member, but int) []netip.Addr {
	var out []netip.Addr
	for i, m := range members {
		if i == but || m.GetIsLearner() {
			continue
		}
		for _, url := range m.GetPeerURLs() {
			if address, err := netip.ParseAddrPort(strings.TrimPrefix(url, "https://")); err == nil {
				out = append(out, address.Addr())
			}
		}
	}
	return out
}
