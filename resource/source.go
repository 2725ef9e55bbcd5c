package resource

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"github.com/ichor-os/ichor/resource/reads"
	"github.com/ichor-os/ichor/resource/store"
)

// source brings the outside in.
type source[T any] struct {
	name string
	kind *Kind[T]
	run  func(context.Context, *Feed[T]) error
}

// Source makes a block that shows something outside as resources: links,
// mounts, members of etcd. Run tells the feed everything there is with
// [Feed.Replace], then what changes; it returns when it lost track, and is
// started anew after a back-off. Until the first Replace, runs that read the
// kind hold. After that a restart leaves what is known in place.
func Source[T any](name string, kind *Kind[T], run func(ctx context.Context, f *Feed[T]) error) Block {
	return &source[T]{name, kind, run}
}

// Name gives the block's name.
func (s *source[T]) Name() string { return s.name }

func (s *source[T]) attach(e *Engine) error {
	lk := reads.List{Type: s.kind.def.Type, Namespace: s.kind.ns}
	e.setUnsynced(lk, s.name)
	f := &Feed[T]{engine: e, name: s.name, kind: s.kind, waiting: map[Key]*store.Resource{}}
	e.onStart(func() { e.background(func(ctx context.Context) { s.loop(ctx, e, f) }) })
	return nil
}

func (s *source[T]) loop(ctx context.Context, e *Engine, f *Feed[T]) {
	for failures := 0; ctx.Err() == nil; {
		f.replaced = false
		err := s.call(ctx, f)
		if ctx.Err() != nil {
			return
		}
		if err == nil {
			err = errors.New("ended without an error")
		}
		var crash *panicError
		stack := ""
		if errors.As(err, &crash) {
			e.counters.panics.Add(1)
			stack = crash.stack
		}
		if f.replaced {
			failures = 0
		}
		failures++
		wait := e.backoff(failures)
		e.say(s.name, "source", fmt.Sprintf("%v; starts anew in %s", err, wait), stack)
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
		}
	}
}

func (s *source[T]) call(ctx context.Context, f *Feed[T]) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &panicError{value: p, stack: string(debug.Stack())}
		}
	}()
	return s.run(ctx, f)
}

// setUnsynced has readers of a kind hold; an empty name ends that.
func (e *Engine) setUnsynced(lk reads.List, name string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	next := map[reads.List]string{}
	if m := e.unsynced.Load(); m != nil {
		for k, v := range *m {
			next[k] = v
		}
	}
	if name != "" {
		next[lk] = name
	} else {
		delete(next, lk)
	}
	e.unsynced.Store(&next)
	if name != "" {
		return
	}
	for u := range e.units {
		if u.reads.Touches(lk) || u.running {
			e.markDirty(u, nil)
		}
	}
}

// Feed takes what a [Source] sees. Each call is one commit; nothing is written
// when nothing differs.
type Feed[T any] struct {
	engine   *Engine
	name     string
	kind     *Kind[T]
	replaced bool

	mu      sync.Mutex
	waiting map[Key]*store.Resource // to put once the key has ended
}

// Item is one resource of a source.
type Item[T any] struct {
	ID     string
	Spec   T
	Labels map[string]string
}

// Replace tells all there is: other resources of this source go. It marks the
// kind synced.
func (f *Feed[T]) Replace(items ...Item[T]) error {
	err := f.commit(items, nil, true)
	if err != nil {
		return err
	}
	first := !f.replaced
	f.replaced = true
	if first {
		f.engine.setUnsynced(reads.List{Type: f.kind.def.Type, Namespace: f.kind.ns}, "")
	}
	return nil
}

// Put tells of resources that are new or changed.
func (f *Feed[T]) Put(items ...Item[T]) error { return f.commit(items, nil, false) }

// Delete tells of resources that are no more.
func (f *Feed[T]) Delete(ids ...string) error { return f.commit(nil, ids, false) }

// Update does Put and Delete in one commit.
func (f *Feed[T]) Update(put []Item[T], remove []string) error { return f.commit(put, remove, false) }

func (f *Feed[T]) commit(items []Item[T], remove []string, all bool) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.engine.store.Commit(nil, func(tx *store.Tx) error {
		keep := make(map[Key]struct{}, len(items))
		for _, it := range items {
			r := store.New(f.kind.def.store, Metadata{Key: f.kind.Key(it.ID), Owner: f.name, Labels: it.Labels}, f.kind.codec.Clone(&it.Spec))
			if err := r.Key.Check(); err != nil {
				return err
			}
			keep[r.Key] = struct{}{}
			if err := f.put(tx, r); err != nil {
				return err
			}
		}
		drop := make([]Key, 0, len(remove))
		for _, id := range remove {
			drop = append(drop, f.kind.Key(id))
		}
		if all {
			for r := range tx.List(f.kind.def.Type, f.kind.ns) {
				if _, ok := keep[r.Key]; !ok && r.Owner == f.name {
					drop = append(drop, r.Key)
				}
			}
		}
		for _, k := range drop {
			delete(f.waiting, k)
			if tx.Get(k) == nil {
				continue
			}
			if _, err := tx.Teardown(k, f.name); err != nil {
				return err
			}
		}
		return nil
	})
}

// put writes a resource, or has it written once the one before has ended.
func (f *Feed[T]) put(tx *store.Tx, r *store.Resource) error {
	wait, err := put(tx, &pending{res: r}, f.name)
	if err != nil || !wait {
		delete(f.waiting, r.Key)
		return err
	}
	f.waiting[r.Key] = r
	e := f.engine
	tx.After(func() {
		e.locked(func() {
			e.ended[r.Key] = func() { e.spawn(func() { f.retry(r.Key) }) }
		})
	})
	return nil
}

func (f *Feed[T]) retry(k Key) {
	f.mu.Lock()
	defer f.mu.Unlock()
	r := f.waiting[k]
	if r == nil {
		return
	}
	err := f.engine.store.Commit(nil, func(tx *store.Tx) error { return f.put(tx, r) })
	if err != nil {
		f.engine.say(f.name, "source", err.Error(), "")
	}
}
