package resource

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ichor-os/ichor/resource/reads"
)

// HoldError is what [Hold] gives.
type HoldError struct{ Reason string }

// Error gives the reason.
func (h *HoldError) Error() string { return h.Reason }

// Hold is what a run returns that cannot decide yet: its outputs stay as they
// are, the reason is shown, and it runs again when something it read changes.
func Hold(reason string) error { return &HoldError{Reason: reason} }

// State is how a reconciler's last run ended.
type State string

// The states.
const (
	StateNew    State = "new" // it has not run yet
	StateOK     State = "ok"
	StateHold   State = "hold"
	StateFailed State = "failed"
)

// Status is where a reconciler, or one key of a keyed block, stands.
type Status struct {
	Name     string // name, or name[key]
	State    State
	Reason   string // of a hold or failure
	Running  bool
	Runs     uint64
	Failures uint64
	LastRun  time.Time
	Took     time.Duration
}

// Status gives the status of everything that runs, by name.
func (e *Engine) Status() []Status {
	e.mu.Lock()
	defer e.mu.Unlock()
	out := make([]Status, 0, len(e.units))
	for u := range e.units {
		out = append(out, u.status)
	}
	slices.SortFunc(out, func(a, b Status) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// Diagnostic is something that somebody should know.
type Diagnostic struct {
	Time    time.Time
	Name    string // of the reconciler or block
	Kind    string // loop, panic, hang, conflict, mutation, source, disk
	Message string
	Stack   string // of panic and hang
}

func (e *Engine) say(name, kind, message, stack string) {
	e.opts.Diagnose(Diagnostic{Time: time.Now(), Name: name, Kind: kind, Message: message, Stack: stack})
}

// report says something of a unit. Engine.mu is held, so a goroutine tells it.
func (e *Engine) report(u *unit, kind, message, stack string) {
	e.untold = append(e.untold, Diagnostic{Time: time.Now(), Name: u.name, Kind: kind, Message: message, Stack: stack})
	if len(e.untold) == 1 {
		go e.tell()
	}
}

// tell passes on what report gathered, in order, until there is nothing left.
func (e *Engine) tell() {
	for told := 0; ; told = 1 {
		e.mu.Lock()
		e.untold = e.untold[told:]
		if len(e.untold) == 0 {
			e.mu.Unlock()
			return
		}
		d := e.untold[0]
		e.mu.Unlock()
		e.opts.Diagnose(d)
	}
}

// Counters count since the engine was made.
type Counters struct {
	Runs, Commits, Changes, Failures, Holds, Panics, Hangs, Conflicts, Loops, SlowWatchers uint64

	Units     int // that exist now
	Resources int // that exist now
}

type counters struct {
	runs, commits, changes, failures, holds, panics, hangs, conflicts, loops atomic.Uint64
}

// Counters gives the present counts.
func (e *Engine) Counters() Counters {
	e.mu.Lock()
	units := len(e.units)
	e.mu.Unlock()
	c := &e.counters
	return Counters{
		Runs: c.runs.Load(), Commits: c.commits.Load(), Changes: c.changes.Load(),
		Failures: c.failures.Load(), Holds: c.holds.Load(), Panics: c.panics.Load(),
		Hangs: c.hangs.Load(), Conflicts: c.conflicts.Load(), Loops: c.loops.Load(),
		SlowWatchers: e.store.SlowWatchers(), Units: units, Resources: e.store.Snapshot().Len(),
	}
}

// Signal wakes reconcilers that wait for it with [Session.WakeOn]. The zero
// value is ready for use.
type Signal struct {
	mu    sync.Mutex
	last  uint64
	units map[*unit]struct{}
}

// signalEpoch orders signals and runs.
var signalEpoch atomic.Uint64

// Notify gives the signal. It never blocks.
func (g *Signal) Notify() {
	g.mu.Lock()
	g.last = signalEpoch.Add(1)
	units := slices.Collect(maps.Keys(g.units))
	g.mu.Unlock()
	for _, u := range units {
		u.engine.locked(func() { u.engine.markDirty(u, nil) })
	}
}

// watchSignals replaces the signals that wake u. One that was given since the
// run began wakes it at once. Engine.mu is held.
func (e *Engine) watchSignals(u *unit, signals []*Signal, epoch uint64) {
	for _, g := range u.signals {
		if !slices.Contains(signals, g) {
			g.mu.Lock()
			delete(g.units, u)
			g.mu.Unlock()
		}
	}
	u.signals = signals
	for _, g := range signals {
		g.mu.Lock()
		if g.units == nil {
			g.units = map[*unit]struct{}{}
		}
		g.units[u] = struct{}{}
		given := g.last > epoch
		g.mu.Unlock()
		if given {
			u.dirty = true
		}
	}
}

// checkSpecs fails a run that changed a spec in place, and repairs the spec.
func (e *Engine) checkSpecs(s *Session, err error) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	for r := range s.checked {
		if e.pristine.Repair(r) {
			err = errors.New("changed in place the spec of " + r.Key.String() + ", which it read")
			e.report(s.unit, "mutation", err.Error(), "")
		}
	}
	return err
}

// EachUnit tells what each run of a block read and holds; fn only looks.
func (e *Engine) EachUnit(fn func(block string, read reads.Set, held map[Key]struct{})) {
	e.locked(func() {
		for u := range e.units {
			fn(u.owner, u.reads, u.held)
		}
	})
}
