package resource

import (
	"errors"
	"fmt"
	"maps"

	"github.com/ichor-os/ichor/resource/reads"
	"github.com/ichor-os/ichor/resource/store"
)

// errStale: what a run required has left while it ran.
var errStale = errors.New("a required resource has left meanwhile")

// commit makes a run's outcome visible: its puts, and what follows for the
// outputs and finalizers of before. After an error only the reads are noted,
// beside the old ones. It gives the error of the run, or of the commit.
func (e *Engine) commit(u *unit, s *Session, failed error, c *cause) error {
	if failed == nil {
		var undo func()
		failed = e.store.Commit(c.Then(u), func(tx *store.Tx) (err error) {
			e.mu.Lock()
			defer e.mu.Unlock()
			undo, err = e.apply(tx, u, s)
			return err
		})
		if failed == nil {
			e.counters.commits.Add(1)
			return nil
		}
		if undo != nil {
			e.locked(undo)
		}
	}
	// Nothing visible; only the lock's order of things is wanted here.
	_ = e.store.Commit(nil, func(tx *store.Tx) error {
		e.mu.Lock()
		defer e.mu.Unlock()
		s.reads.Merge(u.reads)
		tx.After(func() { e.locked(func() { e.setReads(u, s.reads) }) })
		e.checkStale(tx, u, s)
		return nil
	})
	return failed
}

func (e *Engine) locked(f func()) {
	e.mu.Lock()
	defer e.mu.Unlock()
	f()
}

// apply runs under both locks. What it notes in the unit, undo takes back when
// the commit fails after all.
func (e *Engine) apply(tx *store.Tx, u *unit, s *Session) (undo func(), err error) {
	outputs, err := e.applyPuts(tx, u, s)
	if err != nil {
		return nil, err
	}
	if !s.keep {
		e.collect(tx, u, s, outputs)
	} else {
		maps.Copy(outputs, u.outputs)
	}
	for k := range s.requires {
		switch err := tx.Hold(k, u.name); {
		case errors.Is(err, store.ErrNotFound), errors.Is(err, store.ErrPhase):
			return nil, fmt.Errorf("%w: %s", errStale, k)
		case err != nil:
			return nil, err
		}
	}
	for k := range s.release {
		tx.Release(k, u.name)
	}
	before := struct{ outputs, wanted, held map[Key]struct{} }{u.outputs, u.wanted, maps.Clone(u.held)}
	u.outputs = outputs
	if !s.keep {
		u.wanted = s.requires
	}
	for k := range u.wanted {
		if u.held == nil {
			u.held = map[Key]struct{}{}
		}
		u.held[k] = struct{}{}
	}
	e.settleHeld(tx, u)
	e.checkStale(tx, u, s)
	tx.After(func() {
		e.locked(func() {
			e.claimOutputs(u)
			e.setReads(u, s.reads)
		})
	})
	return func() { u.outputs, u.wanted, u.held = before.outputs, before.wanted, before.held }, nil
}

// applyPuts writes what the run put. It gives the keys that the unit stands
// behind now: those, and those still on their way out.
func (e *Engine) applyPuts(tx *store.Tx, u *unit, s *Session) (map[Key]struct{}, error) {
	outputs := make(map[Key]struct{}, len(s.puts))
	for _, p := range s.puts {
		k := p.res.Key
		if other := e.producer[k]; other != nil && other != u {
			if cur := tx.Get(k); cur != nil && cur.Phase == store.Running {
				s.reads.AddKey(k)
				return nil, &store.OwnerError{Key: k, Owner: other.name, Writer: u.name}
			}
		}
		wait, err := put(tx, p, u.owner)
		if err != nil {
			s.reads.AddKey(k) // run again when the other one lets go
			return nil, err
		}
		if wait {
			s.reads.AddWait(k)
			if e.producer[k] != u {
				continue
			}
		}
		outputs[k] = struct{}{}
	}
	return outputs, nil
}

// put writes one resource for owner. It says that the key must end first when
// the present resource is in tearingDown.
func put(tx *store.Tx, p *pending, owner string) (wait bool, err error) {
	cur := tx.Get(p.res.Key)
	switch {
	case cur == nil:
		_, err = tx.Create(p.res)
		return false, err
	case cur.Phase == store.TearingDown:
		return true, nil
	case cur.Owner != owner:
		return false, &store.OwnerError{Key: cur.Key, Owner: cur.Owner, Writer: owner}
	case cur == p.same:
		return false, nil
	}
	_, err = tx.Update(p.res.WithFinalizers(cur.Finalizers), owner, nil)
	return false, err
}

// collect tears down what the unit put before and did not put now.
func (e *Engine) collect(tx *store.Tx, u *unit, s *Session, outputs map[Key]struct{}) {
	drop := func(k Key) {
		if _, ok := outputs[k]; ok {
			return
		}
		cur := tx.Get(k)
		if cur == nil || cur.Owner != u.owner {
			return
		}
		outputs[k] = struct{}{} // until it is destroyed
		_, _ = tx.Teardown(k, u.owner)
	}
	for k := range u.outputs {
		drop(k)
	}
	if u.group == nil {
		for k := range e.orphans[u.owner] {
			drop(k)
		}
	}
}

// claimOutputs notes who produces what, after the commit.
func (e *Engine) claimOutputs(u *unit) {
	snap := e.store.Snapshot()
	for k := range u.outputs {
		if snap.Get(k) == nil {
			delete(u.outputs, k) // destroyed in the same commit
			if e.producer[k] == u {
				delete(e.producer, k)
			}
			continue
		}
		e.producer[k] = u
		delete(e.orphans[u.owner], k)
	}
}

// settleHeld releases what the unit no longer requires, once nothing of it is
// on its way out.
func (e *Engine) settleHeld(tx *store.Tx, u *unit) bool {
	released := false
	for k := range u.held {
		if _, ok := u.wanted[k]; ok {
			continue
		}
		if leaving(tx, u.outputs) {
			return false
		}
		tx.Release(k, u.name)
		released = true
		tx.After(func() { e.locked(func() { delete(u.held, k) }) })
	}
	return released
}

func leaving(tx *store.Tx, outputs map[Key]struct{}) bool {
	for k := range outputs {
		if r := tx.Get(k); r != nil && r.Phase == store.TearingDown {
			return true
		}
	}
	return false
}

// settle ends, within a transaction, everything that has come to its end: owned
// resources in tearingDown that nobody holds, and then what was held for them.
func (e *Engine) settle(tx *store.Tx) {
	e.mu.Lock()
	defer e.mu.Unlock()
	done := map[Key]bool{}
	for again := true; again; {
		again = false
		for i := 0; i < len(tx.Touched()); i++ {
			k := tx.Touched()[i]
			r := tx.Get(k)
			if r != nil && r.Phase == store.TearingDown && r.Owner != "" && len(r.Finalizers) == 0 {
				_ = tx.Destroy(k, r.Owner)
				r = nil
				again = true
			}
			if r != nil || done[k] {
				continue
			}
			done[k] = true
			if u := e.producer[k]; u != nil && e.settleHeld(tx, u) {
				again = true
			}
		}
	}
}

// checkStale has the unit run again when something it read has changed since
// its snapshot.
func (e *Engine) checkStale(tx *store.Tx, u *unit, s *Session) {
	for typ := range s.reads.Types() {
		changes, ok := tx.Since(typ, s.snap.Rev())
		if !ok {
			u.dirty = true
			return
		}
		for i := range changes {
			if s.reads.Sees(&changes[i]) {
				u.dirty = true
				return
			}
		}
	}
}

// setReads replaces what wakes the unit. Engine.mu is held.
func (e *Engine) setReads(u *unit, next reads.Set) {
	relink(e.byKey, u, u.reads.Keys, next.Keys)
	relink(e.byWait, u, u.reads.Waits, next.Waits)
	for l := range u.reads.Lists {
		if _, ok := next.Lists[l]; !ok {
			delete(e.byList[l], u)
		}
	}
	for l, queries := range next.Lists {
		if e.byList[l] == nil {
			e.byList[l] = map[*unit][]store.Query{}
		}
		e.byList[l][u] = queries
	}
	u.reads = next
}

// relink replaces the keys under which an index has the unit.
func relink(index map[Key]map[*unit]struct{}, u *unit, old, next map[Key]struct{}) {
	for k := range old {
		if _, ok := next[k]; ok {
			continue
		}
		delete(index[k], u)
		if len(index[k]) == 0 {
			delete(index, k)
		}
	}
	for k := range next {
		if index[k] == nil {
			index[k] = map[*unit]struct{}{}
		}
		index[k][u] = struct{}{}
	}
}

// published wakes whoever depends on the changes.
func (e *Engine) published(changes []store.Change, by any) {
	c, _ := by.(*cause)
	e.mu.Lock()
	defer e.mu.Unlock()
	e.counters.changes.Add(uint64(len(changes)))
	for i := range changes {
		e.wake(&changes[i], c)
	}
}

func (e *Engine) wake(ch *store.Change, c *cause) {
	if e.opts.CheckSpecs {
		e.pristine.Remember(ch)
	}
	lk := reads.Of(ch.Key)
	if was, is := reads.Visible(ch.Old), reads.Visible(ch.New); reads.Differs(was, is) {
		for u := range e.byKey[ch.Key] {
			e.markDirty(u, c)
		}
		for u, queries := range e.byList[lk] {
			if reads.Selects(queries, was, is) {
				e.markDirty(u, c)
			}
		}
	}
	for _, g := range e.keyed[lk] {
		g.changed(ch, c)
	}
	if ch.New != nil {
		return
	}
	for u := range e.byWait[ch.Key] {
		e.markDirty(u, c)
	}
	if u := e.producer[ch.Key]; u != nil {
		delete(u.outputs, ch.Key)
		delete(e.producer, ch.Key)
		e.retire(u, nil)
	}
	if f := e.ended[ch.Key]; f != nil {
		delete(e.ended, ch.Key)
		f()
	}
}

// commitOutside commits a session that belongs to no unit.
func (e *Engine) commitOutside(s *Session) error {
	if len(s.requires) > 0 {
		return errors.New("commit resources: only reconcilers can require")
	}
	return e.store.Commit(nil, func(tx *store.Tx) error {
		for _, k := range s.deletes {
			if cur := tx.Get(k); cur == nil {
				continue
			}
			if _, err := tx.Teardown(k, s.owner); err != nil {
				return err
			}
		}
		for _, p := range s.puts {
			wait, err := put(tx, p, s.owner)
			if err != nil {
				return err
			}
			if wait {
				return fmt.Errorf("put %s: %w: it is being torn down", p.res.Key, store.ErrPhase)
			}
		}
		return nil
	})
}
