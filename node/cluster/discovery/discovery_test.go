package discovery

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc"

	ichorpb "github.com/ichor-os/ichor/api/ichor"
)

var quiet = slog.New(slog.DiscardHandler)

func seal(t *testing.T, secret string) *Seal {
	t.Helper()
	s, err := NewSeal([]byte(secret), "cluster")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func node(id string) *ichorpb.Affiliate {
	return &ichorpb.Affiliate{NodeId: id, Hostname: "host-" + id, Addresses: []string{id}, MachineType: 2}
}

// mesh joins services by the address of their node.
type mesh struct {
	mu    sync.Mutex
	nodes map[string]*Service
	cut   map[[2]string]bool
}

func (m *mesh) dial(from string) func(string) (Client, error) {
	return func(address string) (Client, error) {
		m.mu.Lock()
		defer m.mu.Unlock()
		to := strings.TrimSuffix(strings.Trim(address, "[]"), ":50001")
		to = strings.TrimSuffix(to, "]")
		s, ok := m.nodes[to]
		if !ok || m.cut[[2]string{from, to}] || m.cut[[2]string{to, from}] {
			return nil, errors.New("no route to " + address)
		}
		return local{s}, nil
	}
}

type local struct{ service *Service }

func (l local) Exchange(ctx context.Context, in *ichorpb.ExchangeRequest, _ ...grpc.CallOption) (*ichorpb.ExchangeResponse, error) {
	return l.service.Exchange(ctx, in)
}

func (l local) Claim(ctx context.Context, in *ichorpb.ClaimRequest, _ ...grpc.CallOption) (*ichorpb.ClaimResponse, error) {
	return l.service.Claim(ctx, in)
}

func (local) Close() error { return nil }

func (m *mesh) add(t *testing.T, id string, seeds ...string) *Peers {
	t.Helper()
	table := NewTable(id, seal(t, "secret"), time.Now, quiet)
	if err := table.Tell(node(id)); err != nil {
		t.Fatal(err)
	}
	s := &Service{}
	s.Use(table, nil)
	m.nodes[id] = s
	return &Peers{Table: table, Log: quiet, Dial: m.dial(id), Seeds: func() []string { return seeds }, Port: 50001}
}

func ids(t *Table) []string {
	var all []string
	for _, a := range t.Affiliates() {
		all = append(all, a.GetNodeId())
	}
	return all
}

func TestNodesFindEachOtherThroughOneSeed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &mesh{nodes: map[string]*Service{}}
		ctx, cancel := context.WithCancel(t.Context())
		var all []*Peers
		for i := range 5 {
			all = append(all, m.add(t, fmt.Sprintf("10.0.0.%d", i+1), "10.0.0.1"))
		}
		var wg sync.WaitGroup
		for _, p := range all {
			wg.Go(func() { p.Run(ctx) })
		}
		time.Sleep(2 * Every)
		want := []string{"10.0.0.1", "10.0.0.2", "10.0.0.3", "10.0.0.4", "10.0.0.5"}
		for _, p := range all {
			if got := ids(p.Table); !slices.Equal(got, want) {
				t.Errorf("%s knows %v, want %v", p.Table.self, got, want)
			}
		}

		// A change is everywhere long before the next round would be.
		changed := node("10.0.0.3")
		changed.Hostname = "renamed"
		if err := all[2].Table.Tell(changed); err != nil {
			t.Fatal(err)
		}
		time.Sleep(3 * time.Second)
		if got := all[0].Table.Affiliates()[2].GetHostname(); got != "renamed" {
			t.Errorf("change did not arrive: %q", got)
		}

		// S-18: who leaves is gone at once.
		if err := all[4].Leave(ctx); err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * Every)
		if got := ids(all[3].Table); slices.Contains(got, "10.0.0.5") {
			t.Errorf("the node that left is still known: %v", got)
		}
		cancel()
		wg.Wait()
	})
}

func TestRecordIsForgottenAndNotBroughtBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b, dead := NewTable("a", seal(t, "s"), time.Now, quiet), NewTable("b", seal(t, "s"), time.Now, quiet), NewTable("10.0.0.9", seal(t, "s"), time.Now, quiet)
		if err := dead.Tell(node("10.0.0.9")); err != nil {
			t.Fatal(err)
		}
		a.Take(dead.Records("10.0.0.9"))
		time.Sleep(Life - time.Minute)
		b.Take(a.Records("10.0.0.9"))
		if got := ids(b); len(got) != 1 {
			t.Fatalf("b knows %v", got)
		}
		time.Sleep(2 * time.Minute)
		for range 3 {
			a.Take(b.Records("10.0.0.9"))
			b.Take(a.Records("10.0.0.9"))
			if len(ids(a)) > 0 || len(ids(b)) > 0 {
				t.Fatalf("the dead node lives on: %v %v", ids(a), ids(b))
			}
			time.Sleep(Life / 2)
		}
	})
}

func TestNodeThatForgotItsVersionGoesAboveTheOldOne(t *testing.T) {
	future := func() time.Time { return time.Now().Add(24 * time.Hour) }
	old := NewTable("10.0.0.1", seal(t, "s"), future, quiet)
	if err := old.Tell(node("10.0.0.1")); err != nil {
		t.Fatal(err)
	}
	peer := NewTable("10.0.0.2", seal(t, "s"), time.Now, quiet)
	peer.Take(old.Records("10.0.0.1"))

	again := NewTable("10.0.0.1", seal(t, "s"), time.Now, quiet)
	renamed := node("10.0.0.1")
	renamed.Hostname = "new"
	if err := again.Tell(renamed); err != nil {
		t.Fatal(err)
	}
	again.Take(peer.Records("10.0.0.1"))
	if !again.Stale() || len(again.Records("10.0.0.1")) > 0 {
		t.Fatal("the node does not see that its record is behind")
	}
	if err := again.Tell(renamed); err != nil {
		t.Fatal(err)
	}
	if peer.Take(again.Records("10.0.0.1")) != 1 || peer.Affiliates()[0].GetHostname() != "new" {
		t.Errorf("the new record is not taken: %v", peer.Affiliates())
	}
}

func TestForeignForgedAndReplayedRecordsAreRefused(t *testing.T) {
	table := NewTable("10.0.0.1", seal(t, "s"), time.Now, quiet)
	other := NewTable("10.0.0.2", seal(t, "other"), time.Now, quiet)
	mine := NewTable("10.0.0.2", seal(t, "s"), time.Now, quiet)
	for _, x := range []*Table{other, mine} {
		if err := x.Tell(node("10.0.0.2")); err != nil {
			t.Fatal(err)
		}
	}
	good := mine.Records("10.0.0.2")[0]
	tests := map[string]*ichorpb.Record{
		"another cluster":   other.Records("10.0.0.2")[0],
		"another node's id": {NodeId: "10.0.0.3", Version: good.Version, Sealed: good.Sealed, Life: good.Life},
		"a later version":   {NodeId: good.NodeId, Version: good.Version + 1, Sealed: good.Sealed, Life: good.Life},
		"cut short":         {NodeId: good.NodeId, Version: good.Version, Sealed: good.Sealed[:5], Life: good.Life},
		"nothing":           {},
		"too large":         {NodeId: good.NodeId, Version: 1, Sealed: make([]byte, largestRecord+1)},
	}
	for name, r := range tests {
		t.Run(name, func(t *testing.T) {
			if table.Take([]*ichorpb.Record{r}) != 0 || len(table.Affiliates()) != 0 {
				t.Error("the record is taken")
			}
		})
	}
	if table.Take([]*ichorpb.Record{good}) != 1 || table.Take([]*ichorpb.Record{good}) != 0 {
		t.Error("a good record is taken once")
	}
}

// claimants are nodes with claims, all reachable.
func claimants(t *testing.T, names ...string) (*mesh, map[string]*Claims) {
	t.Helper()
	m, all := &mesh{nodes: map[string]*Service{}, cut: map[[2]string]bool{}}, map[string]*Claims{}
	for _, name := range names {
		c, err := NewClaims(name, "host-"+name, filepath.Join(t.TempDir(), "claim.json"), func() (string, error) { return "", nil }, time.Now, quiet)
		if err != nil {
			t.Fatal(err)
		}
		all[name], m.nodes[name] = c, &Service{}
		m.nodes[name].Use(nil, c)
	}
	return m, all
}

func TestOfTwoClaimsAtOnceTheLowerIDWins(t *testing.T) {
	for range 50 {
		synctest.Test(t, func(t *testing.T) {
			names := []string{"a", "b", "c"}
			m, all := claimants(t, names...)
			errs := make([]error, len(names))
			var wg sync.WaitGroup
			for i, name := range names {
				wg.Go(func() { errs[i] = all[name].Claim(t.Context(), names, m.dial(name)) })
			}
			wg.Wait()
			winners := 0
			for i, err := range errs {
				if err == nil {
					winners++
				} else if !errors.Is(err, ErrClaimed) {
					t.Errorf("%s: %v", names[i], err)
				}
			}
			if winners != 1 {
				t.Errorf("%d nodes may make the cluster's etcd: %v", winners, errs)
			}
		})
	}
}

func TestClaimIsRefusedWhereAnEtcdIsOrIsComing(t *testing.T) {
	m, all := claimants(t, "a", "b")
	all["b"].occupied = func() (string, error) { return "this node has etcd data", nil }
	err := all["a"].Claim(t.Context(), []string{"a", "b"}, m.dial("a"))
	if !errors.Is(err, ErrClaimed) || !strings.Contains(err.Error(), "host-b: this node has etcd data") {
		t.Errorf("got %v", err)
	}
	all["b"].occupied = func() (string, error) { return "", errors.New("disk is broken") }
	if err := all["a"].Claim(t.Context(), []string{"b"}, m.dial("a")); !errors.Is(err, ErrClaimed) {
		t.Errorf("a node that cannot tell must refuse: %v", err)
	}
}

func TestClaimGoesAheadAloneAndIsKept(t *testing.T) {
	m, all := claimants(t, "a", "b")
	m.cut[[2]string{"a", "b"}] = true
	if err := all["a"].Claim(t.Context(), []string{"b"}, m.dial("a")); err != nil {
		t.Fatal(err)
	}
	if err := all["a"].Claim(t.Context(), []string{"b"}, m.dial("a")); err != nil {
		t.Errorf("repeating it is fine: %v", err)
	}
	again, err := NewClaims("a", "host-a", all["a"].path, all["a"].occupied, time.Now, quiet)
	if err != nil || !again.Own() {
		t.Errorf("the claim is lost after a restart: %v", err)
	}
	m.cut = map[[2]string]bool{}
	if err := all["b"].Claim(t.Context(), []string{"a"}, m.dial("b")); !errors.Is(err, ErrClaimed) {
		t.Errorf("b may make another etcd: %v", err)
	}
}

func TestClaimThatIsNotConfirmedDoesNotOutliveARestart(t *testing.T) {
	_, all := claimants(t, "a")
	if _, err := all["a"].begin(); err != nil {
		t.Fatal(err)
	}
	again, err := NewClaims("a", "host-a", all["a"].path, all["a"].occupied, time.Now, quiet)
	if err != nil || again.Own() {
		t.Errorf("own %v, error %v", again.Own(), err)
	}
}

// A third node that both reach decides where two cannot reach each other.
func TestNodeStandsBackForOneClaimOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, all := claimants(t, "a", "b", "c")
		m.cut[[2]string{"a", "b"}] = true
		if err := all["b"].Claim(t.Context(), []string{"a", "c"}, m.dial("b")); err != nil {
			t.Fatal(err)
		}
		if err := all["a"].Claim(t.Context(), []string{"b", "c"}, m.dial("a")); !errors.Is(err, ErrClaimed) {
			t.Errorf("two nodes may make the cluster's etcd: %v", err)
		}
		if err := all["c"].Claim(t.Context(), []string{"a", "b"}, m.dial("c")); !errors.Is(err, ErrClaimed) {
			t.Errorf("the node that stands back claims: %v", err)
		}
	})
}

func FuzzOpen(f *testing.F) {
	s, err := NewSeal([]byte("secret"), "cluster")
	if err != nil {
		f.Fatal(err)
	}
	sealed, err := s.Close(node("10.0.0.1"), 7)
	if err != nil {
		f.Fatal(err)
	}
	f.Add("10.0.0.1", uint64(7), sealed)
	f.Add("", uint64(0), []byte(nil))
	f.Fuzz(func(t *testing.T, id string, version uint64, text []byte) {
		a, err := s.Open(&ichorpb.Record{NodeId: id, Version: version, Sealed: text})
		if err == nil && a.GetNodeId() != id {
			t.Errorf("record of %q opens as %q", id, a.GetNodeId())
		}
	})
}
