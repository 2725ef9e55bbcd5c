package etcd

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ichor-os/ichor/told"
)

// Errors of Bootstrap.
var (
	// ErrMember says that this node has data of a cluster.
	ErrMember = errors.New("etcd data is there already: this node is a member of a cluster")
	// ErrElsewhere says that other nodes have an etcd that this one joins.
	ErrElsewhere = errors.New("the cluster has an etcd already, which this node joins")
)

// guardTimeout bounds the look for an etcd elsewhere.
const guardTimeout = 3 * time.Second

// Membership decides whether this node makes a cluster or joins one. Make it
// with NewMembership.
type Membership struct {
	settings Settings
	others   func(context.Context) ([]netip.Addr, error)
	hasData  func() (bool, error)
	log      *slog.Logger
	told     chan struct{}
	guard    Guard

	// isLearner and promote are etcd's, or a test's.
	isLearner func(context.Context) (bool, error)
	promote   func(ctx context.Context, peers []netip.Addr, s Settings) error

	// joining is set from when this node asks to be taken in.
	joining atomic.Bool

	mu sync.Mutex
	// claiming is set while the other control planes are asked.
	claiming bool
	asked    bool
	voter    bool
	settled  bool
	initial  []string
	peers    []netip.Addr
}

// NewMembership makes the membership of a node. others asks the cluster's
// endpoint for its other control planes; an error is an endpoint that does not
// answer.
func NewMembership(s Settings, others func(context.Context) ([]netip.Addr, error), log *slog.Logger) *Membership {
	return &Membership{
		settings: s, others: others, hasData: HasData, log: log, told: make(chan struct{}), isLearner: isLearner,
		promote: func(ctx context.Context, peers []netip.Addr, s Settings) error {
			return Client{Addresses: peers}.Promote(ctx, s)
		},
	}
}

// A Guard keeps two nodes from making a cluster each.
type Guard struct {
	// Claim asks the other control planes to stand back; an error is why this
	// node may not go ahead. Repeating it is fine. Nil asks nobody.
	Claim func(context.Context) error
	// Members are other nodes that are known to have an etcd; may be nil.
	Members func() []netip.Addr
	// Own tells that this node claimed before it was restarted.
	Own bool
	// Done is told when etcd has its data: the claim is not needed any more.
	Done func() error
}

// Guard sets who is asked before this node makes a cluster. It is called before
// anything else.
func (m *Membership) Guard(g Guard) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.guard = g
	if g.Own && !m.asked {
		m.asked = true
		close(m.told)
	}
}

// Occupied tells why this node can stand back for nobody who wants to make a
// cluster; empty when it can.
func (m *Membership) Occupied() (string, error) {
	has, err := m.hasData()
	switch {
	case err != nil:
		return "", err
	case has:
		return "this node has etcd data", nil
	case m.joining.Load():
		return "this node is joining an etcd", nil
	}
	return "", nil
}

// Bootstrap lets this node make a cluster, unless it is a member or the cluster
// has an etcd elsewhere. Repeating it changes nothing.
func (m *Membership) Bootstrap(ctx context.Context) error {
	if done, err := m.claim(ctx); done || err != nil {
		return err
	}
	var err error
	if m.guard.Claim != nil {
		err = m.guard.Claim(ctx)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.claiming = false
	if err != nil {
		return fmt.Errorf("%w: %w", ErrElsewhere, err)
	}
	if !m.asked {
		m.asked = true
		close(m.told)
	}
	return nil
}

// claim looks for an etcd here and elsewhere, and keeps this node from joining
// while the others are asked; done means that there is nothing to do.
func (m *Membership) claim(ctx context.Context) (done bool, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.asked {
		return true, nil
	}
	has, err := m.hasData()
	if err != nil {
		return false, fmt.Errorf("look at etcd data: %w", err)
	}
	if has {
		return false, ErrMember
	}
	if len(m.peers) > 0 {
		return false, fmt.Errorf("%w: %v", ErrElsewhere, m.peers)
	}
	if others := m.elsewhere(ctx, m.settings); len(others) > 0 {
		return false, fmt.Errorf("%w: %v", ErrElsewhere, others)
	}
	m.claiming = true
	return false, nil
}

// elsewhere are nodes that have an etcd, by what the endpoint's API shows and by
// what they say themselves. An endpoint that does not answer shows nothing.
func (m *Membership) elsewhere(ctx context.Context, s Settings) []netip.Addr {
	bounded, cancel := context.WithTimeout(ctx, guardTimeout)
	defer cancel()
	others, err := m.others(bounded)
	if err != nil {
		others = nil
	}
	if m.guard.Members != nil {
		for _, address := range m.guard.Members() {
			if !slices.Contains(s.Advertised, address) && !slices.Contains(others, address) {
				others = append(others, address)
			}
		}
	}
	return others
}

// Await returns when this node has data, was told to bootstrap, or was taken in
// by the members of a cluster.
func (m *Membership) Await(ctx context.Context) error {
	var said told.Errors
	for {
		has, err := m.hasData()
		if has || err != nil {
			return err
		}
		select {
		case <-m.told:
			return nil
		case <-time.After(time.Second):
		case <-ctx.Done():
			return ctx.Err()
		}
		joined, err := m.join(ctx)
		if joined {
			return nil
		}
		said.Tell(m.log, slog.LevelWarn, "etcd is not joined yet", err)
	}
}

// join asks the control planes that the endpoint shows to take this node in. An
// endpoint that does not answer is no cluster yet, and no error.
func (m *Membership) join(ctx context.Context) (bool, error) {
	others := m.elsewhere(ctx, m.current())
	if len(others) == 0 {
		return false, nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.asked || m.claiming {
		return false, nil // bootstrap was first
	}
	m.joining.Store(true)
	initial, err := Client{Addresses: others}.Join(ctx, m.settings)
	if err != nil {
		m.joining.Store(false)
		return false, err
	}
	m.initial, m.peers = initial, others
	m.log.Info("etcd is joined as a learner", "members", fmt.Sprint(others))
	return true, nil
}

// Settings are what the member starts with. The list of members counts for a
// new one only; etcd keeps its own.
func (m *Membership) Settings() Settings {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.settings
	for _, url := range s.PeerURLs() {
		s.Initial = append(s.Initial, s.Name+"="+url)
	}
	if len(m.initial) > 0 {
		s.Initial, s.Existing = m.initial, true
	}
	return s
}

// Settled is told when etcd is healthy: a claim to make it is not needed any
// more.
func (m *Membership) Settled() error {
	m.mu.Lock()
	done, settled := m.guard.Done, m.settled
	m.mu.Unlock()
	if done == nil || settled {
		return nil
	}
	if err := done(); err != nil {
		return err
	}
	m.mu.Lock()
	m.settled = true
	m.mu.Unlock()
	return nil
}

// set changes what the member starts with.
func (m *Membership) set(s Settings) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.settings = s
}

func (m *Membership) current() Settings {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.settings
}

// Promote makes the learner that this node joined as a voter; it is to be tried
// until it succeeds. After a reboot the member itself says whether it is a
// learner still; one that has just joined cannot: it serves nobody until its
// first proposal has run out, seconds after it could vote, and as there can be
// one learner only, other nodes would wait for that.
func (m *Membership) Promote(ctx context.Context) error {
	m.mu.Lock()
	voter, peers, s := m.voter, m.peers, m.settings
	m.mu.Unlock()
	if voter {
		return nil
	}
	learner := len(peers) > 0
	if !learner {
		var err error
		if learner, err = m.isLearner(ctx); err != nil {
			return err
		}
		if learner {
			if peers, err = m.others(ctx); err != nil {
				return fmt.Errorf("promote etcd member: ask for the other control planes: %w", err)
			}
		}
	}
	if learner {
		if err := m.promote(ctx, peers, s); err != nil {
			return err
		}
		m.log.Info("etcd member votes")
	}
	m.mu.Lock()
	m.voter = true
	m.mu.Unlock()
	return nil
}
