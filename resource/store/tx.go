package store

import (
	"iter"
	"slices"

	iradix "github.com/hashicorp/go-immutable-radix/v2"
)

// Tx is a transaction: changes that become visible together.
type Tx struct {
	store   *Store
	base    *Snapshot
	txn     *iradix.Txn[*Resource]
	touched []Key
	seen    map[Key]struct{}
	after   []func()
}

// Commit runs fn in a transaction and publishes its changes, unless fn or
// making them durable fails. Cause is handed to [Hooks.Published].
func (s *Store) Commit(cause any, fn func(*Tx) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	base := s.root.Load()
	tx := &Tx{store: s, base: base, txn: base.tree.Txn()}
	if err := fn(tx); err != nil {
		return err
	}
	if s.hooks.Settle != nil && len(tx.touched) > 0 {
		s.hooks.Settle(tx)
	}
	changes := tx.changes()
	if len(changes) > 0 {
		if s.hooks.Durable != nil {
			if err := s.hooks.Durable(changes); err != nil {
				return err
			}
		}
		s.publish(tx, changes)
	}
	for _, f := range tx.after {
		f()
	}
	if len(changes) > 0 && s.hooks.Published != nil {
		s.hooks.Published(changes, cause)
	}
	return nil
}

func (s *Store) publish(tx *Tx, changes []Change) {
	last := changes[len(changes)-1].Rev
	s.root.Store(&Snapshot{rev: last, tree: tx.txn.Commit()})
	for _, c := range changes {
		k := s.kind(c.Key.Type)
		k.record(c, s.opts.History)
		for w := range k.byID[c.Key] {
			w.push(c)
		}
		for w := range k.all {
			w.push(c)
		}
	}
}

// changes lists what differs from the base, one change a key, in the order in
// which the keys were first touched.
func (tx *Tx) changes() []Change {
	out := make([]Change, 0, len(tx.touched))
	rev := tx.base.rev
	for _, k := range tx.touched {
		old, now := tx.base.Get(k), tx.Get(k)
		if old == now {
			continue
		}
		rev++
		out = append(out, Change{Rev: rev, Key: k, Old: old, New: now})
	}
	return out
}

// Rev is the position of the last change before this transaction.
func (tx *Tx) Rev() uint64 { return tx.base.rev }

// Before gives the resource as it was before the transaction, or nil.
func (tx *Tx) Before(k Key) *Resource { return tx.base.Get(k) }

// Get gives the resource as the transaction sees it, or nil.
func (tx *Tx) Get(k Key) *Resource {
	r, _ := tx.txn.Get(treeKey(k))
	return r
}

// List gives the resources of a kind in a namespace as the transaction sees
// them. The transaction must not change while the list is read.
func (tx *Tx) List(typ, namespace string) iter.Seq[*Resource] {
	return listTree(tx.txn.Root(), typ, namespace)
}

// Touched lists the keys written so far. It grows with further writes.
func (tx *Tx) Touched() []Key { return tx.touched }

// Since gives the changes of a kind after rev up to this transaction, or false
// when they are no longer known.
func (tx *Tx) Since(typ string, rev uint64) ([]Change, bool) { return tx.store.since(typ, rev) }

// After has f run once the transaction is visible, still under the commit lock.
func (tx *Tx) After(f func()) { tx.after = append(tx.after, f) }

func (tx *Tx) set(r *Resource) {
	tx.touch(r.Key)
	tx.txn.Insert(treeKey(r.Key), r)
}

func (tx *Tx) touch(k Key) {
	if tx.seen == nil {
		tx.seen = map[Key]struct{}{}
	}
	if _, ok := tx.seen[k]; !ok {
		tx.seen[k] = struct{}{}
		tx.touched = append(tx.touched, k)
	}
}

// Load puts a resource as it is, with its version and times. It is for
// resources read from disk.
func (tx *Tx) Load(r *Resource) { tx.set(r) }

// Create stores a new resource at version 1.
func (tx *Tx) Create(r *Resource) (*Resource, error) {
	if tx.Get(r.Key) != nil {
		return nil, failed("create", r.Key, ErrExists)
	}
	c := r.with(func(m *Metadata) {
		m.Version = 1
		m.Created = now()
		m.Updated = m.Created
	})
	tx.set(c)
	return c, nil
}

// Update replaces the spec, labels, annotations and finalizers of a resource.
// Its version must be the current one, unless it is undefined; the caller must
// be the owner. A phase that is expected must be the current one. Content that
// is the same makes no new version.
func (tx *Tx) Update(r *Resource, owner string, expected *Phase) (*Resource, error) {
	cur := tx.Get(r.Key)
	switch {
	case cur == nil:
		return nil, failed("update", r.Key, ErrNotFound)
	case cur.Owner != owner:
		return nil, &OwnerError{Key: r.Key, Owner: cur.Owner, Writer: owner}
	case expected != nil && cur.Phase != *expected, cur.Phase == TearingDown && r.Phase == Running:
		return nil, failed("update", r.Key, ErrPhase)
	case r.Version != 0 && r.Version != cur.Version:
		return nil, failed("update", r.Key, ErrConflict)
	}
	if cur.SameContent(r) && cur.Phase == r.Phase && slices.Equal(cur.Finalizers, r.Finalizers) {
		return cur, nil
	}
	next := r.with(func(m *Metadata) {
		m.Owner = cur.Owner
		m.Created = cur.Created
		m.Version = cur.Version + 1
		m.Updated = now()
	})
	tx.set(next)
	return next, nil
}

// Teardown moves a resource to tearingDown. It says whether nobody holds it.
func (tx *Tx) Teardown(k Key, owner string) (ready bool, err error) {
	cur := tx.Get(k)
	if cur == nil {
		return false, failed("tear down", k, ErrNotFound)
	}
	if cur.Owner != owner {
		return false, &OwnerError{Key: k, Owner: cur.Owner, Writer: owner}
	}
	if cur.Phase != TearingDown {
		tx.edit(cur, func(m *Metadata) { m.Phase = TearingDown })
	}
	return len(cur.Finalizers) == 0, nil
}

// Destroy removes a resource that nobody holds.
func (tx *Tx) Destroy(k Key, owner string) error {
	cur := tx.Get(k)
	if cur == nil {
		return failed("destroy", k, ErrNotFound)
	}
	if cur.Owner != owner {
		return &OwnerError{Key: k, Owner: cur.Owner, Writer: owner}
	}
	if len(cur.Finalizers) > 0 {
		return failed("destroy", k, &HeldError{Finalizers: cur.Finalizers})
	}
	tx.touch(k)
	tx.txn.Delete(treeKey(k))
	return nil
}

// Hold adds a finalizer. Anybody may hold a resource that is running.
func (tx *Tx) Hold(k Key, finalizer string) error {
	cur := tx.Get(k)
	switch {
	case cur == nil:
		return failed("hold", k, ErrNotFound)
	case cur.HasFinalizer(finalizer):
		return nil
	case cur.Phase != Running:
		return failed("hold", k, ErrPhase)
	}
	tx.edit(cur, func(m *Metadata) { m.Finalizers = append(slices.Clone(m.Finalizers), finalizer) })
	return nil
}

// Release takes a finalizer away, if it is there.
func (tx *Tx) Release(k Key, finalizer string) {
	cur := tx.Get(k)
	if cur == nil || !cur.HasFinalizer(finalizer) {
		return
	}
	tx.edit(cur, func(m *Metadata) {
		m.Finalizers = slices.DeleteFunc(slices.Clone(m.Finalizers), func(f string) bool { return f == finalizer })
	})
}

func (tx *Tx) edit(cur *Resource, edit func(*Metadata)) {
	tx.set(cur.with(func(m *Metadata) {
		edit(m)
		m.Version++
		m.Updated = now()
	}))
}

// HeldError says who still holds a resource that should go.
type HeldError struct{ Finalizers []string }

// Error names the holders.
func (e *HeldError) Error() string { return "finalizers are left: " + joinQuoted(e.Finalizers) }

// Is makes a HeldError an ErrConflict.
func (e *HeldError) Is(target error) bool { return target == ErrConflict }
