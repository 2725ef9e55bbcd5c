package service

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"
)

// ErrSkip, returned by Prepare or Pre, says that the service has no place on
// this node; it becomes Skipped and is not tried again.
var ErrSkip = errors.New("service is not needed")

// supervise runs the service until ctx is done or it ended for good.
func (s *Supervisor) supervise(ctx context.Context, entry *supervised) {
	pause := s.backoff.Min
	for {
		begun := time.Now()
		err := s.runOnce(ctx, entry)
		switch {
		case ctx.Err() != nil:
			if err != nil && !errors.Is(err, context.Canceled) {
				s.set(entry, Failed, "Stopped with an error: %v", err)
				return
			}
			s.set(entry, Finished, "Service was stopped")
			return
		case errors.Is(err, ErrSkip):
			s.set(entry, Skipped, "%v", err)
			return
		case err == nil && entry.Restart != Always:
			s.set(entry, Finished, "Service ended")
			return
		case err != nil && entry.Restart == Never:
			s.set(entry, Failed, "%v", err)
			return
		}
		if time.Since(begun) >= s.backoff.Reset {
			pause = s.backoff.Min
		}
		reason := "it ended"
		if err != nil {
			reason = err.Error()
		}
		s.set(entry, Waiting, "Runs again in %s: %s", pause, reason)
		if !sleep(ctx, pause) {
			s.set(entry, Finished, "Service was stopped")
			return
		}
		pause = min(2*pause, s.longest(entry))
	}
}

// longest is the longest pause of a service. Without those that clients cannot
// stop nobody reaches the node, so they come back soon.
func (s *Supervisor) longest(entry *supervised) time.Duration {
	if entry.KeepsRunning {
		return min(s.backoff.Max, keptBackoff)
	}
	return s.backoff.Max
}

// keptBackoff is the longest pause of a service that keeps running.
const keptBackoff = 4 * time.Second

// runOnce takes the service from Preparing to its end.
func (s *Supervisor) runOnce(ctx context.Context, entry *supervised) error {
	if entry.Prepare != nil {
		s.set(entry, Preparing, "Prepares to run")
		if err := entry.Prepare(ctx); err != nil {
			return err
		}
	}
	if err := s.waitForNeeds(ctx, entry); err != nil {
		return err
	}
	if entry.Pre != nil {
		s.set(entry, Pre, "Runs its first steps")
		if err := entry.Pre(ctx); err != nil {
			return err
		}
	}
	checks, stopChecks := context.WithCancel(ctx)
	var group sync.WaitGroup
	defer group.Wait()
	defer stopChecks()
	var once sync.Once
	started := func(what string) {
		once.Do(func() {
			s.set(entry, Running, "Runs: %s", what)
			if entry.Health == nil {
				s.setHealth(entry, HealthStatus{Known: true, Healthy: true, Changed: time.Now()})
				return
			}
			group.Go(func() { s.watchHealth(checks, entry) })
		})
	}
	err := entry.Runner.Run(ctx, started)
	stopChecks()
	group.Wait()
	s.setHealth(entry, HealthStatus{Changed: time.Now()})
	return err
}

// waitForNeeds blocks until the needed services are ready and the conditions
// hold. The state names what is still missing.
func (s *Supervisor) waitForNeeds(ctx context.Context, entry *supervised) error {
	ctx, cancel := context.WithCancel(ctx)
	var missing []string
	waits := map[string]func(context.Context) error{}
	for _, need := range entry.Needs {
		name := "service " + need + " to be healthy"
		missing = append(missing, name)
		waits[name] = func(ctx context.Context) error { return s.Await(ctx, need, Status.Ready) }
	}
	for _, condition := range entry.Conditions {
		missing = append(missing, condition.Name)
		waits[condition.Name] = condition.Wait
	}
	if len(missing) == 0 {
		cancel()
		return nil
	}
	type answer struct {
		name string
		err  error
	}
	answers := make(chan answer, len(waits))
	var group sync.WaitGroup
	defer group.Wait()
	defer cancel()
	for name, wait := range waits {
		group.Go(func() { answers <- answer{name, wait(ctx)} })
	}
	s.set(entry, Waiting, "Waiting for %s", strings.Join(missing, ", "))
	for pending := len(waits); pending > 0; pending-- {
		got := <-answers
		if got.err != nil {
			return got.err
		}
		var left []string
		for _, name := range missing {
			if name != got.name {
				left = append(left, name)
			}
		}
		missing = left
		if len(missing) > 0 {
			s.set(entry, Waiting, "Waiting for %s", strings.Join(missing, ", "))
		}
	}
	return nil
}

// watchHealth checks until ctx is done.
func (s *Supervisor) watchHealth(ctx context.Context, entry *supervised) {
	orDefault := func(d, fallback time.Duration) time.Duration {
		if d == 0 {
			return fallback
		}
		return d
	}
	timeout := orDefault(entry.Health.Timeout, defaultTimeout)
	next := orDefault(entry.Health.Settle, defaultSettle)
	if !sleep(ctx, entry.Health.Delay) {
		return
	}
	settled := false
	for {
		bounded, cancel := context.WithTimeout(ctx, timeout)
		err := entry.Health.Check(bounded)
		cancel()
		if ctx.Err() != nil {
			return
		}
		health := HealthStatus{Known: true, Healthy: err == nil, Changed: time.Now()}
		if err != nil {
			health.Message = err.Error()
		}
		// Before the first success a failure says only that it is not up yet.
		settled = settled || err == nil
		s.setHealth(entry, health)
		if settled {
			next = orDefault(entry.Health.Interval, defaultInterval)
		}
		if !sleep(ctx, next) {
			return
		}
	}
}

// sleep waits for d and reports whether ctx is still alive.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return ctx.Err() == nil
	case <-ctx.Done():
		return false
	}
}
