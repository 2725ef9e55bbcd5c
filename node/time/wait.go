package time

import (
	"context"
	"sync"

	"github.com/ichor-os/ichor/node/time/spec"
	"github.com/ichor-os/ichor/resource"
)

// Waiter lets those wait for the time who must not act without it, as who makes
// certificates. Make it with NewWaiter.
type Waiter struct {
	once    sync.Once
	synced  chan struct{}
	stepped chan struct{}
}

// NewWaiter makes a Waiter.
func NewWaiter() *Waiter {
	return &Waiter{synced: make(chan struct{}), stepped: make(chan struct{}, 1)}
}

// Reconciler is the block by which it follows the status of the time.
func (w *Waiter) Reconciler() resource.Block {
	epoch := 0
	return resource.Reconciler("time-waiters", func(_ context.Context, s *resource.Session) error {
		status, ok := spec.TimeStatuses.Get(s, spec.SyncID)
		if !ok {
			return nil
		}
		if status.Synced {
			w.once.Do(func() { close(w.synced) })
		}
		if status.Epoch != epoch {
			epoch = status.Epoch
			select {
			case w.stepped <- struct{}{}:
			default:
			}
		}
		return nil
	})
}

// Wait returns once the clock is in step, or the config's bound for that has
// passed. The error is that of ctx.
func (w *Waiter) Wait(ctx context.Context) error {
	select {
	case <-w.synced:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Stepped gives a value after the clock has jumped: what was made before may
// have the wrong dates. One reader gets it.
func (w *Waiter) Stepped() <-chan struct{} { return w.stepped }
