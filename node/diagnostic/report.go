package diagnostic

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/ichor-os/ichor/resource"
)

const (
	// reportLife is how long a report of the engine stands after it was last
	// made, where nothing shows that it was mended.
	reportLife = 5 * time.Minute
	// reportPause is how often the engine is asked whether one was mended.
	reportPause = 15 * time.Second
	// failuresShown is how often in a row a reconciler fails before it is shown.
	failuresShown = 3
)

// Reports are findings that come from beside the store: what the engine says of
// reconcilers. The zero value is ready for use.
type Reports struct {
	mu      sync.Mutex
	engine  map[string]report // by block and kind
	failing map[string]uint64 // by reconciler: failures when it last ran well
	changed resource.Signal
	// status asks the engine; nil before Watch.
	status func() []resource.Status
}

type report struct {
	resource.Diagnostic
	times int
}

// Watch has the reports ask an engine which of its reconcilers are well again.
func (r *Reports) Watch(engine *resource.Engine) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.status = engine.Status
}

// Engine is told what the engine has to say; it fits resource.Options.Diagnose.
func (r *Reports) Engine(d resource.Diagnostic) {
	r.mu.Lock()
	if r.engine == nil {
		r.engine = map[string]report{}
	}
	key := d.Kind + "-" + d.Name
	r.engine[key] = report{d, r.engine[key].times + 1}
	r.mu.Unlock()
	r.changed.Notify()
}

// reconcile puts what is reported and not mended.
func (r *Reports) reconcile(_ context.Context, s *resource.Session) error {
	s.WakeOn(&r.changed)
	r.mu.Lock()
	ask := r.status
	r.mu.Unlock()
	var now []resource.Status
	if ask != nil {
		now = ask()
		s.WakeAfter(reportPause)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.forget(s.Now(), now)
	for _, key := range slices.Sorted(maps.Keys(r.engine)) {
		e := r.engine[key]
		findings.Put(s, "engine-"+key, Finding{
			Message: explain(e.Diagnostic), Details: []string{fmt.Sprintf("%s, since the node started: %d times", e.Message, e.times)}, Grace: 0,
		})
	}
	r.putFailing(s, now)
	return nil
}

// forget drops what was mended: a reconciler that ran well since, or one of which
// nothing was heard for a while.
func (r *Reports) forget(now time.Time, units []resource.Status) {
	for key, e := range r.engine {
		if now.Sub(e.Time) > reportLife {
			delete(r.engine, key)
			continue
		}
		if e.Kind == "loop" || e.Kind == "mutation" {
			continue // it runs well while it goes round
		}
		for _, u := range units {
			if u.Name == e.Name && !u.Running && u.LastRun.After(e.Time) && u.State != resource.StateFailed {
				delete(r.engine, key)
			}
		}
	}
}

// putFailing puts the reconcilers that fail again and again, without the keys
// that they work on.
func (r *Reports) putFailing(s *resource.Session, units []resource.Status) {
	var failing []string
	before := make(map[string]uint64, len(units))
	for _, u := range units {
		before[u.Name] = r.failing[u.Name]
		switch {
		case u.State != resource.StateFailed:
			before[u.Name] = u.Failures
		case u.Failures-before[u.Name] >= failuresShown:
			failing = append(failing, u.Name+": "+u.Reason)
		}
	}
	r.failing = before
	if len(failing) > 0 {
		findings.Put(s, "reconcilers-fail", Finding{
			Message: "parts of the node do not get where the config wants them, and try again: see the reasons", Details: failing, Grace: passing,
		})
	}
}

// explain says what a kind of report means.
func explain(d resource.Diagnostic) string {
	switch d.Kind {
	case "loop":
		return fmt.Sprintf("the reconciler %s wakes itself and was slowed down: this is a fault of the system, please report it", d.Name)
	case "panic":
		return fmt.Sprintf("the reconciler %s crashed and starts anew: this is a fault of the system, please report it with 'talosctl logs machined'", d.Name)
	case "hang":
		return fmt.Sprintf("the reconciler %s does not come to its end: what it does is not up to date; reboot the node if that stays so", d.Name)
	case "conflict":
		return fmt.Sprintf("the reconciler %s wants to write what somebody else writes: this is a fault of the system, please report it", d.Name)
	case "source":
		return fmt.Sprintf("%s cannot look at the machine and tries again: what depends on it is not up to date", d.Name)
	case "disk":
		return fmt.Sprintf("%s cannot keep its state on disk: see whether the disk is full or broken", d.Name)
	}
	return fmt.Sprintf("%s: %s", d.Name, d.Kind)
}
