package discovery

import (
	"cmp"
	"log/slog"
	"slices"
	"sync"
	"time"

	ichorpb "github.com/ichor-os/ichor/api/ichor"
)

// Life is how long a record counts that nobody renews.
const Life = 30 * time.Minute

// mostNodes bounds the table; no cluster of this system is as large.
const mostNodes = 4096

// entry is one node's record. An entry whose life is over keeps its version for
// another life, so that others cannot bring the record back.
type entry struct {
	version   uint64
	sealed    []byte
	affiliate *ichorpb.Affiliate
	until     time.Time
}

// Table is what a node knows of the nodes of its cluster. It is safe for
// concurrent use. Make it with NewTable.
type Table struct {
	seal *Seal
	now  func() time.Time
	log  *slog.Logger

	mu      sync.Mutex
	self    string
	nodes   map[string]entry
	changed chan struct{}
}

// NewTable makes a table of records that the seal opens. self is the id of the
// node that has the table: nobody else tells it about itself.
func NewTable(self string, seal *Seal, now func() time.Time, log *slog.Logger) *Table {
	return &Table{self: self, seal: seal, now: now, log: log, nodes: map[string]entry{}, changed: make(chan struct{})}
}

// Tell puts what the node says of itself. The same again renews its life.
func (t *Table) Tell(a *ichorpb.Affiliate) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := t.now()
	version := max(uint64(now.UnixNano()), t.nodes[t.self].version+1)
	sealed, err := t.seal.Close(a, version)
	if err != nil {
		return err
	}
	t.put(t.self, entry{version: version, sealed: sealed, affiliate: a, until: now.Add(Life)})
	return nil
}

func (t *Table) put(id string, e entry) {
	t.nodes[id] = e
	close(t.changed)
	t.changed = make(chan struct{})
}

// Changed gives a channel that is closed at the next change.
func (t *Table) Changed() <-chan struct{} {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.changed
}

// Take puts the records that are newer than what is known, and returns how many
// these were. Records that cannot be opened are left out and told of.
func (t *Table) Take(records []*ichorpb.Record) int {
	taken := 0
	for _, r := range records {
		a, err := t.seal.Open(r)
		if err != nil {
			t.log.Warn("record of a node is refused", "error", err)
			continue
		}
		if t.take(r, a) {
			taken++
		}
	}
	return taken
}

func (t *Table) take(r *ichorpb.Record, a *ichorpb.Affiliate) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	known, ok := t.nodes[r.GetNodeId()]
	switch {
	case ok && r.GetVersion() <= known.version, !ok && len(t.nodes) >= mostNodes:
		return false
	case r.GetNodeId() == t.self:
		// An older run of this node said more than it remembers: the next
		// version must be above.
		known.version, known.sealed = r.GetVersion(), nil
		t.put(t.self, known)
		return false
	}
	left := min(max(time.Duration(r.GetLife())*time.Millisecond, 0), Life)
	t.put(r.GetNodeId(), entry{version: r.GetVersion(), sealed: r.GetSealed(), affiliate: a, until: t.now().Add(left)})
	return true
}

// Stale tells whether the node's own record has to be told again: others have a
// later one, or half of its life is over.
func (t *Table) Stale() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	own, ok := t.nodes[t.self]
	if !ok || own.affiliate == nil {
		return false
	}
	return own.sealed == nil || own.until.Sub(t.now()) < Life/2
}

// Affiliates are the nodes that are known, the node itself among them, in the
// order of their ids. Nodes that have left are not.
func (t *Table) Affiliates() []*ichorpb.Affiliate {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.forget()
	var all []*ichorpb.Affiliate
	for _, e := range t.nodes {
		if e.affiliate != nil && !e.affiliate.GetGone() && e.until.After(t.now()) {
			all = append(all, e.affiliate)
		}
	}
	slices.SortFunc(all, func(a, b *ichorpb.Affiliate) int { return cmp.Compare(a.GetNodeId(), b.GetNodeId()) })
	return all
}

// forget drops entries that have been without life for a whole one.
func (t *Table) forget() {
	for id, e := range t.nodes {
		if id != t.self && t.now().Sub(e.until) > Life {
			delete(t.nodes, id)
		}
	}
}

// Known are all versions that the table has, lives that are over among them.
func (t *Table) Known() []*ichorpb.Known {
	t.mu.Lock()
	defer t.mu.Unlock()
	var all []*ichorpb.Known
	for id, e := range t.nodes {
		all = append(all, &ichorpb.Known{NodeId: id, Version: e.version})
	}
	return all
}

// Records are the records of nodes that are alive, by id.
func (t *Table) Records(ids ...string) []*ichorpb.Record {
	t.mu.Lock()
	defer t.mu.Unlock()
	var all []*ichorpb.Record
	for _, id := range ids {
		if r := t.record(id); r != nil {
			all = append(all, r)
		}
	}
	return all
}

func (t *Table) record(id string) *ichorpb.Record {
	e, ok := t.nodes[id]
	left := e.until.Sub(t.now())
	if !ok || len(e.sealed) == 0 || left <= 0 {
		return nil
	}
	return &ichorpb.Record{NodeId: id, Version: e.version, Sealed: e.sealed, Life: left.Milliseconds()}
}

// Answer takes what a peer sent and gives what it lacks.
func (t *Table) Answer(in *ichorpb.ExchangeRequest) *ichorpb.ExchangeResponse {
	t.Take(in.GetRecords())
	t.mu.Lock()
	defer t.mu.Unlock()
	theirs := map[string]uint64{}
	for _, k := range in.GetKnown() {
		theirs[k.GetNodeId()] = k.GetVersion()
	}
	for _, r := range in.GetRecords() {
		theirs[r.GetNodeId()] = max(theirs[r.GetNodeId()], r.GetVersion())
	}
	out := &ichorpb.ExchangeResponse{NodeId: t.self}
	for id, e := range t.nodes {
		if e.version > theirs[id] {
			if r := t.record(id); r != nil {
				out.Records = append(out.Records, r)
			}
		}
	}
	for id, version := range theirs {
		if version > t.nodes[id].version && len(out.Wanted) < mostNodes {
			out.Wanted = append(out.Wanted, id)
		}
	}
	return out
}
