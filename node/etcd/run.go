package etcd

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"path/filepath"
	"sync"
	"time"

	"go.etcd.io/etcd/api/v3/etcdserverpb"
	"google.golang.org/grpc"

	"github.com/ichor-os/ichor/node/etcd/spec"
	filespec "github.com/ichor-os/ichor/node/file/spec"
	secretspec "github.com/ichor-os/ichor/node/secret/spec"
	servicespec "github.com/ichor-os/ichor/node/service/spec"
	"github.com/ichor-os/ichor/resource"
	"github.com/ichor-os/ichor/told"
)

// Service is etcd's service on the node.
type Service interface {
	// Start starts it; one that runs is left alone.
	Start() error
	// Restart stops it and starts it anew.
	Restart(ctx context.Context) error
	// Stop stops it.
	Stop(ctx context.Context) error
}

// Member runs this node's member as its spec says.
type Member struct {
	Service Service
	// Write writes files to the node.
	Write func([]filespec.File) error
	// Others asks the cluster's endpoint for the other control planes.
	Others func(context.Context) ([]netip.Addr, error)
	// Prepare is called with the membership before it decides anything.
	Prepare func(*Membership) error
	Log     *slog.Logger

	mu         sync.Mutex
	membership *Membership
	running    [sha256.Size]byte
	said       told.Errors
}

// Blocks are the blocks of etcd.
func (m *Member) Blocks() []resource.Block {
	return []resource.Block{
		resource.Reconciler("etcd-config", reconcileConfig),
		resource.Reconciler("etcd-spec", m.reconcileSpec),
		resource.Mirror("etcd-pki", secretspec.EtcdSecrets, nil, m.ensureFiles, func(context.Context, *resource.Session, resource.Resource[secretspec.EtcdSecretSpec]) error {
			return nil // a member that leaves takes them along
		}),
		resource.Source("etcd-member", spec.EtcdMembers, m.watchMember),
		resource.Mirror("etcd", spec.EtcdSpecs, nil, m.ensure, m.remove),
	}
}

// Membership is this node's, nil on a node that runs no etcd.
func (m *Member) Membership() *Membership {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.membership
}

// ensureFiles writes the certificates where etcd and its clients read them at
// each connection: new ones need no restart.
func (m *Member) ensureFiles(_ context.Context, s *resource.Session, r resource.Resource[secretspec.EtcdSecretSpec]) error {
	root, ok := secretspec.EtcdRootSecrets.Get(s, "etcd")
	if !ok {
		return resource.Hold("waiting for etcd's authority")
	}
	files := []filespec.File{{Path: filepath.Join(SecretFolder, "ca.crt"), Content: root.EtcdCA.Crt, UID: UID, GID: UID}}
	for name, pair := range map[string]struct {
		crt, key []byte
		uid      int
	}{
		"server": {r.Spec.Etcd.Crt, r.Spec.Etcd.Key, UID},
		"peer":   {r.Spec.EtcdPeer.Crt, r.Spec.EtcdPeer.Key, UID},
		"admin":  {r.Spec.EtcdAdmin.Crt, r.Spec.EtcdAdmin.Key, 0},
	} {
		base := filepath.Join(SecretFolder, name)
		files = append(files,
			filespec.File{Path: base + ".key", Content: pair.key, UID: pair.uid, GID: pair.uid},
			filespec.File{Path: base + ".crt", Content: pair.crt, UID: pair.uid, GID: pair.uid})
	}
	if err := m.Write(files); err != nil {
		return err
	}
	spec.PKIStatuses.Put(s, "etcd", spec.PKIStatusSpec{Ready: true, Version: r.Version.String()})
	return nil
}

// ensure starts the member, and starts it again when its spec changes.
func (m *Member) ensure(ctx context.Context, s *resource.Session, r resource.Resource[spec.EtcdSpecSpec]) error {
	if _, ok := spec.PKIStatuses.Get(s, "etcd"); !ok {
		return resource.Hold("waiting for etcd's certificates")
	}
	text, err := json.Marshal(r.Spec)
	if err != nil {
		return err
	}
	identity := sha256.Sum256(text)
	m.mu.Lock()
	membership, same := m.membership, m.running == identity
	m.mu.Unlock()
	first := membership == nil
	if first {
		membership = NewMembership(settingsOf(r.Spec), m.Others, m.Log)
		if err := m.Prepare(membership); err != nil {
			return err
		}
		m.mu.Lock()
		m.membership = membership
		m.mu.Unlock()
	} else {
		membership.set(settingsOf(r.Spec))
	}
	switch {
	case first:
		err = m.Service.Start()
	case !same:
		m.Log.Info("etcd starts again, as what it is started with changed")
		err = m.Service.Restart(ctx)
	}
	if err != nil {
		return fmt.Errorf("start etcd: %w", err)
	}
	m.mu.Lock()
	m.running = identity
	m.mu.Unlock()
	return nil
}

func (m *Member) remove(ctx context.Context, _ *resource.Session, _ resource.Resource[spec.EtcdSpecSpec]) error {
	return m.Service.Stop(ctx)
}

func settingsOf(s spec.EtcdSpecSpec) Settings {
	out := Settings{Image: s.Image, Name: s.Name, Advertised: s.AdvertisedAddresses, ListenPeers: s.ListenPeerAddresses, ListenClients: s.ListenClientAddresses, Extra: map[string][]string{}}
	for name, argument := range s.ExtraArgs {
		out.Extra[name] = argument.Values
	}
	return out
}

// Container is what the service runs; it is asked for at each start.
func (m *Member) Container() (servicespec.Container, error) {
	membership := m.Membership()
	if membership == nil {
		return servicespec.Container{}, errors.New("etcd is not configured yet")
	}
	return Container(membership.Settings()), nil
}

// Await returns when the member may start.
func (m *Member) Await(ctx context.Context) error {
	membership := m.Membership()
	if membership == nil {
		return errors.New("etcd is not configured yet")
	}
	return membership.Await(ctx)
}

// Leave takes this node's member out of its cluster, if it has one, and stops it.
func (m *Member) Leave(ctx context.Context) error {
	membership := m.Membership()
	if membership == nil {
		return nil
	}
	return membership.Leave(ctx, m.Service.Stop)
}

// Healthy reports whether the member serves. A learner is promoted first, which
// is tried at each look until it is a voter.
func (m *Member) Healthy(ctx context.Context) error {
	membership := m.Membership()
	if membership == nil {
		return errors.New("etcd is not configured yet")
	}
	if err := membership.Promote(ctx); err != nil {
		return err
	}
	if err := Healthy(ctx); err != nil {
		return err
	}
	return membership.Settled()
}

// memberPause is the time between two looks at who the member is.
const memberPause = 5 * time.Second

// watchMember shows the member as etcd knows it, once there is one.
func (m *Member) watchMember(ctx context.Context, feed *resource.Feed[spec.EtcdMemberSpec]) error {
	if err := feed.Replace(); err != nil {
		return err
	}
	for {
		timer := time.NewTimer(memberPause)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return ctx.Err()
		}
		if m.Membership() == nil {
			continue
		}
		id := uint64(0)
		err := Local().ask(ctx, func(ctx context.Context, conn *grpc.ClientConn) error {
			answer, err := etcdserverpb.NewMaintenanceClient(conn).Status(ctx, &etcdserverpb.StatusRequest{})
			id = answer.GetHeader().GetMemberId()
			return err
		})
		if err != nil {
			continue // it is not up; who it is does not change
		}
		item := resource.Item[spec.EtcdMemberSpec]{ID: "local", Spec: spec.EtcdMemberSpec{MemberID: fmt.Sprintf("%016x", id)}}
		if err := feed.Replace(item); err != nil {
			return err
		}
	}
}

// isLearner asks the local member whether it votes not yet.
func isLearner(ctx context.Context) (bool, error) {
	learner := false
	err := Local().ask(ctx, func(ctx context.Context, conn *grpc.ClientConn) error {
		answer, err := etcdserverpb.NewMaintenanceClient(conn).Status(ctx, &etcdserverpb.StatusRequest{})
		learner = answer.GetIsLearner()
		return err
	})
	return learner, err
}
