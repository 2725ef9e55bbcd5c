package resource

import (
	"context"
	"fmt"
	"time"

	"github.com/ichor-os/ichor/resource/reads"
	"github.com/ichor-os/ichor/resource/store"
)

// reconciler is the block of one function.
type reconciler struct {
	name string
	fn   func(context.Context, *Session) error
}

// Reconciler makes a block of a function that derives resources from
// resources. It has no effects but what it puts.
func Reconciler(name string, fn func(ctx context.Context, s *Session) error) Block {
	return &reconciler{name, fn}
}

// Name gives the block's name.
func (r *reconciler) Name() string { return r.name }

func (r *reconciler) attach(e *Engine) error {
	e.locked(func() { e.addUnit(&unit{engine: e, owner: r.name, name: r.name, run: r.fn}) })
	return nil
}

// addUnit makes the unit known and has it run. Engine.mu is held.
func (e *Engine) addUnit(u *unit) {
	u.status = Status{Name: u.name, State: StateNew}
	e.units[u] = struct{}{}
	e.markDirty(u, nil)
}

// keyed is a block that runs once per key of a kind.
type keyed struct {
	engine *Engine
	name   string
	on     reads.List
	effect bool
	bound  time.Duration
	job    bool
	// cancelOnChange ends a run's context when its key changes.
	cancelOnChange bool
	// keyOf names the unit that a resource belongs to. The default is its id.
	keyOf func(id string) string
	run   func(ctx context.Context, s *Session, key string) error

	// Guarded by Engine.mu.
	members map[string]*unit
	fresh   map[*unit]struct{} // first units, none of whose runs ended well yet
	started bool
}

// Name gives the block's name.
func (g *keyed) Name() string { return g.name }

func (g *keyed) attach(e *Engine) error {
	g.engine = e
	g.members = map[string]*unit{}
	g.fresh = map[*unit]struct{}{}
	if g.keyOf == nil {
		g.keyOf = func(id string) string { return id }
	}
	// The commit lock makes the list and the subscription one step.
	return e.store.Commit(nil, func(tx *store.Tx) error {
		e.mu.Lock()
		defer e.mu.Unlock()
		for r := range tx.List(g.on.Type, g.on.Namespace) {
			u := g.member(g.keyOf(r.ID))
			g.fresh[u] = struct{}{}
		}
		g.started = true
		e.keyed[g.on] = append(e.keyed[g.on], g)
		return nil
	})
}

// member gives the unit of a key. Engine.mu is held.
func (g *keyed) member(key string) *unit {
	if u := g.members[key]; u != nil {
		return u
	}
	u := &unit{
		engine: g.engine, owner: g.name, name: g.name + "[" + key + "]",
		effect: g.effect, bound: g.bound, job: g.job, group: g,
		key: Key{Type: g.on.Type, Namespace: g.on.Namespace, ID: key},
		run: func(ctx context.Context, s *Session) error { return g.run(ctx, s, key) },
	}
	g.members[key] = u
	g.engine.addUnit(u)
	return u
}

// changed runs under Engine.mu.
func (g *keyed) changed(ch *store.Change, c *cause) {
	if ch.Old != nil && ch.New != nil && ch.Old.Phase == ch.New.Phase && !reads.Differs(ch.Old, ch.New) {
		return
	}
	key := g.keyOf(ch.Key.ID)
	if u := g.members[key]; u != nil {
		if u.running && u.cancel != nil {
			u.cancel()
		}
		g.engine.markDirty(u, c)
	} else if ch.New != nil {
		g.engine.markDirty(g.member(key), c)
	}
}

// retire forgets a unit whose key is no more, once nothing of it is left.
// Engine.mu is held.
func (e *Engine) retire(u *unit, s *Session) {
	g := u.group
	if g == nil {
		return
	}
	if u.settled && len(g.fresh) > 0 {
		delete(g.fresh, u)
	}
	if len(g.fresh) == 0 && g.started && len(e.orphans[g.name]) > 0 {
		e.dropOrphans(g.name)
	}
	if s != nil {
		u.gone = s.gone && u.status.State == StateOK
	}
	if !u.gone || u.dirty || u.running || u.queued || len(u.outputs) > 0 || len(u.held) > 0 {
		return
	}
	u.removed = true
	u.stopTimers()
	e.watchSignals(u, nil, 0)
	e.setReads(u, reads.Set{})
	delete(g.members, u.key.ID)
	delete(g.fresh, u)
	delete(e.units, u)
}

// dropOrphans tears down what a keyed block put in an earlier life and none of
// its keys puts now.
func (e *Engine) dropOrphans(owner string) {
	orphans := e.orphans[owner]
	delete(e.orphans, owner)
	e.spawn(func() {
		err := e.store.Commit(nil, func(tx *store.Tx) error {
			for k := range orphans {
				if cur := tx.Get(k); cur != nil && cur.Owner == owner && !e.produced(k) {
					if _, err := tx.Teardown(k, owner); err != nil {
						return err
					}
				}
			}
			return nil
		})
		if err != nil {
			e.say(owner, "disk", "collect what an earlier life put: "+err.Error(), "")
		}
	})
}

func (e *Engine) produced(k Key) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.producer[k] != nil
}

// Each is a function about one resource.
type Each[T any] func(ctx context.Context, s *Session, r Resource[T]) error

// ForEach makes a block that runs fn for each running resource of a kind. A
// change of one key runs one key; when a key goes, what was put for it goes
// too.
func ForEach[T any](name string, kind *Kind[T], fn Each[T]) Block {
	g := &keyed{name: name, on: reads.List{Type: kind.def.Type, Namespace: kind.ns}}
	g.run = func(ctx context.Context, s *Session, id string) error {
		r, ok := kind.Resource(s, id)
		if !ok {
			s.gone = true
			return nil
		}
		return fn(ctx, s, r)
	}
	return g
}

// Mirror makes a block that brings desired resources into the outside. Ensure
// makes the outside as r says, or finds that it is; it runs again when r or
// anything it read through s changes, so reading the observed kind there is
// how it notices drift. It may put resources that tell what it did. While
// ensure may have had effects the resource carries the mirror's finalizer;
// remove undoes them when the resource is torn down. Both must be idempotent
// and end when ctx does, which is after Options.EffectBound.
//
// Observed, when it is not nil, is the kind of the source that sees the
// outside: the mirror holds until that is synced, and a change of the observed
// resource with the same id runs ensure.
func Mirror[T any](name string, desired *Kind[T], observed AnyKind, ensure, remove Each[T]) Block {
	g := &keyed{name: name, on: reads.List{Type: desired.def.Type, Namespace: desired.ns}, effect: true}
	g.run = func(ctx context.Context, s *Session, id string) error {
		r := s.read(desired.Key(id))
		if observed != nil {
			s.read(Key{Type: observed.Definition().Type, Namespace: observed.namespace(), ID: id})
		}
		switch {
		case s.missing != "":
			return nil
		case r == nil:
			s.gone = true
			return nil
		case r.Phase == store.Running:
			if !r.HasFinalizer(s.unit.name) {
				if err := s.engine.hold(s.unit, r.Key); err != nil {
					return err
				}
			}
			return ensure(ctx, s, typed[T](r))
		case !r.HasFinalizer(s.unit.name):
			s.gone = true
			return nil
		}
		if err := remove(ctx, s, typed[T](r)); err != nil {
			return err
		}
		s.release = map[Key]struct{}{r.Key: {}}
		s.gone = true
		return nil
	}
	g.bound = 0
	return &mirror{g}
}

type mirror struct{ *keyed }

func (m *mirror) attach(e *Engine) error {
	m.bound = e.opts.EffectBound
	return m.keyed.attach(e)
}

// hold puts the unit's finalizer on a resource right away.
func (e *Engine) hold(u *unit, k Key) error {
	err := e.store.Commit(nil, func(tx *store.Tx) error { return tx.Hold(k, u.name) })
	if err != nil {
		return fmt.Errorf("%w: %s", errStale, k)
	}
	return nil
}
