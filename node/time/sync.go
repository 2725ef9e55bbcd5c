package time

import (
	"context"
	"log/slog"
	"net/netip"
	"time"

	"github.com/beevik/ntp"

	"github.com/ichor-os/ichor/node/time/spec"
	"github.com/ichor-os/ichor/resource"
)

const (
	// minPoll and maxPoll bound the pause between questions of a clock in step.
	minPoll = 64 * time.Second
	maxPoll = 2048 * time.Second
	// spikePoll is the pause after a spike, to know soon whether it is one.
	spikePoll = 16 * time.Second
	// firstRetry and lastRetry bound the pause while there is no answer at all.
	firstRetry = time.Second
	lastRetry  = 64 * time.Second
	// stepFrom is the offset from which the clock steps, as in RFC 5905.
	stepFrom = 128 * time.Millisecond
)

// Sync keeps the clock in step.
type Sync struct {
	Clock Clock
	Log   *slog.Logger
	// Shared is true on a node that shares its clock with the computer it runs
	// on: it leaves it alone.
	Shared bool
	// Ask is nil for NTP.
	Ask Asker
	// Peer asks other nodes where no time server answers; nil is never.
	Peer Peer

	// What follows belongs to the one run of the mirror.
	servers servers
	filter  filter
	begun   time.Time
	next    time.Time
	poll    time.Duration
	retry   time.Duration
	synced  bool
	epoch   int
	source  spec.SourceSpec
	names   []string
}

// Query asks a server by NTP.
func Query(server string, timeout time.Duration) (*ntp.Response, error) {
	return ntp.QueryWithOptions(server, ntp.QueryOptions{Timeout: timeout})
}

// Mirror is the block that keeps the clock in step and tells how it stands. A
// clock that was in step counts as such for as long as the node runs: an answer
// that is missing or late changes the source's problem, never the status.
func (y *Sync) Mirror() resource.Block {
	return resource.Mirror("time-sync", spec.Syncs, nil, y.ensure, func(context.Context, *resource.Session, resource.Resource[spec.SyncSpec]) error {
		return nil // the clock goes on
	})
}

func (y *Sync) ensure(ctx context.Context, s *resource.Session, r resource.Resource[spec.SyncSpec]) error {
	want := r.Spec
	switch {
	case y.Shared:
		y.put(s, spec.TimeStatusSpec{Synced: true, SyncDisabled: true}, spec.SourceSpec{Source: spec.SourceHost})
		return nil
	case want.Disabled:
		y.put(s, spec.TimeStatusSpec{Synced: true, Epoch: y.epoch, SyncDisabled: true}, spec.SourceSpec{Source: spec.SourceDisabled})
		return nil
	}
	if y.begun.IsZero() {
		y.begun = s.Now()
		y.source.Source = spec.SourceNone
	}
	y.follow(want, s.Now())
	others := func() []netip.Addr {
		if y.Peer == nil {
			return nil
		}
		return controlPlanes(s)
	}
	// The clock may have been moved: what is due is measured by the clock that
	// no step moves.
	now := time.Now()
	if !now.Before(y.next) {
		y.next = now.Add(y.once(ctx, want, others, now))
	}
	wake := time.Until(y.next)
	timedOut := false
	if !y.synced && want.BootTimeout > 0 {
		left := want.BootTimeout - time.Since(y.begun)
		timedOut = left <= 0
		if !timedOut {
			wake = min(wake, left)
		}
	}
	s.WakeAfter(wake)
	source := y.source
	source.TimedOut = timedOut
	y.put(s, spec.TimeStatusSpec{Synced: y.synced || timedOut, Epoch: y.epoch}, source)
	return nil
}

func (y *Sync) put(s *resource.Session, status spec.TimeStatusSpec, source spec.SourceSpec) {
	spec.TimeStatuses.Put(s, spec.SyncID, status)
	spec.Sources.Put(s, spec.SyncID, source)
}

// follow asks at once when the servers are others than before.
func (y *Sync) follow(want spec.SyncSpec, now time.Time) {
	same := len(want.Servers) == len(y.names)
	for i := 0; same && i < len(y.names); i++ {
		same = y.names[i] == want.Servers[i]
	}
	if !same {
		y.names, y.next, y.retry = want.Servers, now, 0
	}
}

// once asks the servers, or else the other nodes, has the clock follow, and gives
// the pause until the next time.
func (y *Sync) once(ctx context.Context, want spec.SyncSpec, others func() []netip.Addr, now time.Time) time.Duration {
	if want.Problem != "" {
		y.source.Problem = want.Problem
		return maxPoll
	}
	y.servers.ask = y.Ask
	if y.Ask == nil {
		y.servers.ask = Query
	}
	source := spec.SourceSpec{Source: spec.SourceServer}
	samples, err := y.servers.samples(want.Servers, now)
	if err != nil {
		source = spec.SourceSpec{Source: spec.SourcePeer, Problem: err.Error()}
		samples, err = y.fromPeers(ctx, others(), err)
	}
	if err != nil {
		y.retry = min(max(2*y.retry, firstRetry), lastRetry)
		y.source.Problem = err.Error()
		return y.retry
	}
	y.retry = 0
	best, _ := choose(samples)
	if y.synced && !y.filter.accept(best.offset) {
		y.Log.Debug("time server's answer is a spike", "server", best.server, "offset", best.offset)
		return spikePoll
	}
	if err := y.correct(best); err != nil {
		y.source.Problem = err.Error()
		return lastRetry
	}
	y.source = source
	y.source.Server = best.server
	if source.Source == spec.SourcePeer {
		return minPoll // servers are better
	}
	return y.poll
}

// correct moves the clock by what a sample says.
func (y *Sync) correct(best sample) error {
	if best.offset.Abs() < stepFrom {
		y.poll = min(max(2*y.poll, minPoll), maxPoll)
		if best.offset.Abs() > leastJitter {
			y.poll = minPoll
		}
		if err := y.Clock.Slew(best.offset, best.distance, best.leap, y.poll); err != nil {
			return err
		}
		y.settled(best)
		return nil
	}
	y.poll = minPoll
	if err := y.Clock.Step(best.offset); err != nil {
		return err
	}
	// The kernel takes a clock that stepped for one without a source.
	if err := y.Clock.Slew(0, best.distance, best.leap, y.poll); err != nil {
		return err
	}
	y.epoch++
	y.filter = filter{}
	y.Log.Info("clock was stepped", "server", best.server, "offset", best.offset.String())
	y.settled(best)
	return nil
}

func (y *Sync) settled(best sample) {
	if !y.synced {
		y.Log.Info("clock is in step", "server", best.server, "offset", best.offset.String())
	}
	y.synced = true
}
