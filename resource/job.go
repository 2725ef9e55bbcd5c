package resource

import (
	"context"
	"errors"
	"time"

	"github.com/ichor-os/ichor/resource/reads"
	"github.com/ichor-os/ichor/resource/store"
)

// JobOption sets a property of a job.
type JobOption func(*jobBlock)

// CancelOnChange ends the context of a run when its request changes or is torn
// down. Without it the run goes on, and the next one sees the change.
func CancelOnChange() JobOption { return func(j *jobBlock) { j.cancelOnChange = true } }

// Timeout bounds a run; the default is 30 minutes. The context ends then.
func Timeout(d time.Duration) JobOption { return func(j *jobBlock) { j.bound = d } }

type jobBlock struct {
	*keyed
}

// Job makes a block of a long action that resources of a kind ask for: a pull,
// an installation, a snapshot. For each request one run goes on at a time.
// What it puts becomes visible at each [Session.Publish] and at its end. A run
// that ended well is not repeated until the request changes; one that failed
// is, after a back-off; one that holds is when something it read changes.
//
// The engine remembers nothing across restarts: run must find out from the
// disk, or wherever the effect is, how far an earlier one got. The request
// stays, in tearingDown, until its run has ended.
func Job[T any](name string, kind *Kind[T], run Each[T], opts ...JobOption) Block {
	j := &jobBlock{&keyed{
		name: name, on: reads.List{Type: kind.def.Type, Namespace: kind.ns},
		effect: true, job: true, bound: 30 * time.Minute,
	}}
	for _, opt := range opts {
		opt(j)
	}
	j.run = func(ctx context.Context, s *Session, id string) error {
		r := s.read(kind.Key(id))
		if r == nil || r.Phase != store.Running {
			s.gone = true
			s.release = map[Key]struct{}{kind.Key(id): {}}
			return nil
		}
		u := s.unit
		if u.done == r.Spec {
			s.keep = true
			return nil
		}
		if !r.HasFinalizer(u.name) {
			if err := s.engine.hold(u, r.Key); err != nil {
				return err
			}
		}
		if err := run(ctx, s, typed[T](r)); err != nil {
			return err
		}
		s.done = r.Spec
		// Only the request wakes a job that is done.
		s.reads = reads.Set{Keys: map[Key]struct{}{r.Key: {}}}
		return nil
	}
	return j
}

// Publish makes what a job or mirror has put so far visible, before its end,
// and has it read the present state from here on.
func (s *Session) Publish() error {
	s.check()
	u := s.unit
	if u == nil || !u.effect {
		return errors.New("publish: only jobs and mirrors may")
	}
	if s.err != nil {
		return s.err
	}
	part := *s
	part.keep = true
	part.reads = reads.Set{}
	part.reads.Merge(u.reads)
	part.requires, part.release, part.signals = nil, nil, nil
	var undo func()
	err := s.engine.store.Commit((*cause)(nil).Then(u), func(tx *store.Tx) (err error) {
		s.engine.mu.Lock()
		defer s.engine.mu.Unlock()
		undo, err = s.engine.apply(tx, u, &part)
		return err
	})
	if err != nil && undo != nil {
		s.engine.locked(undo)
	}
	if err == nil {
		s.snap = s.engine.store.Snapshot()
	}
	return err
}
