package resource

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"time"

	"github.com/ichor-os/ichor/resource/reads"
	"github.com/ichor-os/ichor/resource/store"
	"github.com/ichor-os/ichor/resource/trace"
)

// unit is one thing that runs: a reconciler, or one key of a keyed block.
type unit struct {
	engine *Engine
	owner  string // name of the block
	name   string // owner, or owner[key]: its finalizer
	run    func(ctx context.Context, s *Session) error
	effect bool          // it acts on the outside: it has its own goroutine and bound
	bound  time.Duration // of its runs; 0 for the engine's
	job    bool          // only its request wakes it after a run that ended well
	done   any           // spec that a job has done; only its runs touch it
	group  *keyed        // nil for a reconciler
	key    Key           // with group: what it is about

	// Guarded by Engine.mu.
	reads    reads.Set
	signals  []*Signal
	outputs  map[Key]struct{}
	held     map[Key]struct{} // resources that carry the unit's finalizer
	wanted   map[Key]struct{} // those that the last good run required
	cause    *cause           // what woke it
	dirty    bool
	queued   bool
	running  bool
	waiting  bool // for a back-off to end
	detached bool // hangs, and gave its slot away
	gone     bool // its key is no more
	removed  bool // and nothing is left of it: the engine has forgotten it
	settled  bool // one run ended well
	paid     bool // has waited for waking itself
	cancel   context.CancelFunc
	timers   []*time.Timer
	wakes    uint64 // tells a timer's run from later ones
	failures int
	slowdown int
	status   Status
}

// cause is what led to a run.
type cause = trace.Chain[*unit]

// markDirty has u run, because of c. Engine.mu is held.
func (e *Engine) markDirty(u *unit, c *cause) {
	if c != nil && (u.cause == nil || c.Depth() > u.cause.Depth()) {
		u.cause = c
	}
	u.dirty = true
	e.schedule(u)
}

// schedule queues u if it is dirty and may run now.
func (e *Engine) schedule(u *unit) {
	if !u.dirty || u.running || u.queued || u.waiting || u.removed || e.stopping || !e.running {
		return
	}
	switch {
	case !u.cause.Loops(u, e.opts.LoopLimit):
		u.slowdown = 0
	case !u.paid:
		e.slowDown(u)
		return
	}
	u.paid = false
	u.queued = true
	e.addBusy(1)
	e.ready = append(e.ready, u)
	e.pump()
}

// slowDown keeps a unit that wakes itself from running at once.
func (e *Engine) slowDown(u *unit) {
	u.slowdown++
	e.counters.loops.Add(1)
	wait := e.backoff(u.slowdown + 2)
	e.report(u, "loop", fmt.Sprintf("wakes itself through its own outputs: %s; next run in %s",
		strings.Join(u.cause.Round(u, func(u *unit) string { return u.name }), " < "), wait), "")
	u.paid = true
	e.waitFor(u, wait)
}

// waitFor has u run after d at the earliest.
func (e *Engine) waitFor(u *unit, d time.Duration) {
	u.waiting = true
	e.addBusy(1)
	u.after(d, func() {
		u.waiting = false
		e.addBusy(-1)
		e.schedule(u)
	})
}

// after runs f under Engine.mu, unless the unit's timers are stopped first.
func (u *unit) after(d time.Duration, f func()) {
	wakes := u.wakes
	u.timers = append(u.timers, time.AfterFunc(d, func() {
		u.engine.mu.Lock()
		defer u.engine.mu.Unlock()
		if u.wakes == wakes && !u.engine.stopping {
			f()
		}
	}))
}

func (u *unit) stopTimers() {
	u.wakes++
	for _, t := range u.timers {
		t.Stop()
	}
	u.timers = nil
	if u.waiting {
		u.waiting = false
		u.engine.addBusy(-1)
	}
}

func (e *Engine) backoff(failures int) time.Duration {
	d := e.opts.BackoffMin
	for i := 1; i < failures && d < e.opts.BackoffMax; i++ {
		d *= 2
	}
	return min(d, e.opts.BackoffMax)
}

func (e *Engine) addBusy(n int) {
	e.busy += n
	if e.busy == 0 && e.idle != nil {
		close(e.idle)
		e.idle = nil
	}
}

// pump starts what is ready, as far as there are slots.
func (e *Engine) pump() {
	for {
		u := e.next(false)
		if u == nil {
			return
		}
		e.wg.Add(1)
		go e.work(u)
	}
}

// next takes a unit off the queue and its slot; a worker that is done passes
// its own slot on.
func (e *Engine) next(slot bool) *unit {
	for i, u := range e.ready {
		if !u.effect && !slot && e.active >= e.opts.Parallel {
			continue
		}
		if u.effect && slot {
			continue // it gets a goroutine of its own
		}
		if i == 0 {
			e.ready[0] = nil
			e.ready = e.ready[1:]
		} else {
			e.ready = append(e.ready[:i], e.ready[i+1:]...)
		}
		if !u.effect && !slot {
			e.active++
		}
		u.queued = false
		u.running = true
		return u
	}
	return nil
}

// work runs units in one goroutine until none is ready.
func (e *Engine) work(u *unit) {
	defer e.wg.Done()
	id := trace.Goroutine()
	for u != nil {
		u = e.execute(u, id)
	}
}

// execute runs u once and gives the unit to run next.
func (e *Engine) execute(u *unit, goroutine string) *unit {
	e.mu.Lock()
	u.dirty = false
	u.stopTimers()
	c := u.cause
	u.cause = nil
	epoch := signalEpoch.Load()
	bound := u.bound
	if bound == 0 {
		bound = e.opts.RunBound
	}
	ctx, cancel := context.WithCancel(e.ctx)
	if u.effect {
		defer cancel()
		ctx, cancel = context.WithTimeout(ctx, bound)
		bound += e.opts.RunBound // its context ends before it is reported
	}
	if u.group != nil && u.group.cancelOnChange {
		u.cancel = cancel
	}
	u.status.Running = true
	e.mu.Unlock()

	watch := time.AfterFunc(bound, func() { e.hangs(u, bound, goroutine) })
	s := e.session(ctx, u, u.owner)
	began := time.Now()
	err := call(ctx, u, s)
	s.closed = true
	watch.Stop()
	cancel()
	if err == nil {
		err = s.problem()
	}
	if e.opts.CheckSpecs {
		err = e.checkSpecs(s, err)
	}
	err = e.commit(u, s, err, c)
	return e.finish(u, s, err, epoch, time.Since(began))
}

// call runs the unit's function and turns a panic into an error.
func call(ctx context.Context, u *unit, s *Session) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &panicError{value: p, stack: string(debug.Stack())}
		}
	}()
	return u.run(ctx, s)
}

type panicError struct {
	value any
	stack string
}

func (p *panicError) Error() string { return fmt.Sprintf("panic: %v", p.value) }

// problem is what makes a run that returned nil not a good one.
func (s *Session) problem() error {
	if s.missing != "" {
		return Hold(s.missing)
	}
	return s.err
}

// hangs reports a run over its bound, and lets others have its slot.
func (e *Engine) hangs(u *unit, bound time.Duration, goroutine string) {
	stack := trace.Stack(goroutine)
	e.mu.Lock()
	defer e.mu.Unlock()
	if !u.running || u.detached {
		return
	}
	e.counters.hangs.Add(1)
	e.report(u, "hang", fmt.Sprintf("has been running for %s", bound), stack)
	u.detached = true
	if !u.effect {
		e.active--
		e.pump()
	}
}

// finish notes the outcome of a run and gives the unit to run next in this
// goroutine, if the slot is still the caller's.
func (e *Engine) finish(u *unit, s *Session, err error, epoch uint64, took time.Duration) *unit {
	e.mu.Lock()
	defer e.mu.Unlock()
	u.running = false
	u.cancel = nil
	e.outcome(u, s, err, took)
	e.watchSignals(u, s.signals, epoch)
	if s.wake > 0 {
		u.after(s.wake, func() { e.markDirty(u, nil) })
	}
	e.schedule(u)
	e.retire(u, s)
	e.addBusy(-1)
	slot := !u.effect && !u.detached
	u.detached = false
	if !slot {
		e.pump()
		return nil
	}
	next := e.next(true)
	if next == nil {
		e.active--
	}
	return next
}

// outcome updates the status and starts a back-off where one is due.
func (e *Engine) outcome(u *unit, s *Session, err error, took time.Duration) {
	st := &u.status
	st.Running = false
	st.Runs++
	st.Took = took
	st.LastRun = s.now
	e.counters.runs.Add(1)
	st.State, st.Reason = StateOK, ""
	var hold *HoldError
	var crash *panicError
	switch {
	case err == nil:
		u.failures = 0
		u.settled = true
		if s.done != nil && len(u.reads.Waits) == 0 {
			u.done = s.done
		}
		for k := range u.reads.Waits {
			st.State, st.Reason = StateHold, fmt.Sprintf("waiting for the end of %s", k)
		}
		return
	case errors.Is(err, errStale):
		st.State, st.Reason = StateHold, err.Error()
		u.dirty = true
		return
	case errors.As(err, &hold):
		e.counters.holds.Add(1)
		u.failures = 0
		st.State, st.Reason = StateHold, hold.Reason
		return
	}
	u.failures++
	st.State, st.Reason = StateFailed, err.Error()
	st.Failures++
	e.counters.failures.Add(1)
	wait := e.backoff(u.failures)
	switch {
	case errors.As(err, &crash):
		e.counters.panics.Add(1)
		e.report(u, "panic", err.Error(), crash.stack)
		e.waitFor(u, wait)
		u.dirty = true
		return
	case errors.Is(err, store.ErrOwner):
		e.counters.conflicts.Add(1)
		e.report(u, "conflict", err.Error(), "")
	}
	// A change of an input may heal it before the wait is over.
	u.after(wait, func() { e.markDirty(u, nil) })
}
