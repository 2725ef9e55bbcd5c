// Package event keeps what happened on a node lately and passes it on.
//
// A Ring holds a bounded number of events in memory. Publish adds one and never
// waits: a follower that is too slow loses the oldest. Ids are sortable as text
// and grow across restarts of the node, as they begin with the time. Which
// events there are is decided by the nouns that publish them.
package event

import (
	"context"
	"fmt"
	"sync"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/anypb"

	machinepb "github.com/ichor-os/ichor/api/machine"
)

// Capacity is how many events a Ring keeps.
const Capacity = 1000

// typePrefix goes before the full name of an event's message.
const typePrefix = "talos/runtime/"

// Ring holds events. Make it with NewRing.
type Ring struct {
	now func() time.Time

	mu      sync.Mutex
	kept    []entry
	next    uint64 // number of the next event, from 0
	last    int64  // time in the last id
	changed chan struct{}
}

type entry struct {
	number uint64
	at     time.Time
	event  *machinepb.Event
}

// NewRing makes an empty ring; now is time.Now or a test's.
func NewRing(now func() time.Time) *Ring { return &Ring{now: now, changed: make(chan struct{})} }

// Publish adds an event. actor is the id of the request that led to it, or "".
func (r *Ring) Publish(actor string, message proto.Message) {
	body, err := proto.Marshal(message)
	if err != nil {
		return // no message of ours has a required field or bad text
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	at := r.now()
	// Two events of the same moment, or a clock set back, keep their order.
	r.last = max(r.last+1, at.UnixNano())
	r.kept = append(r.kept, entry{number: r.next, at: at, event: &machinepb.Event{
		Id: fmt.Sprintf("%016x", r.last), ActorId: actor,
		Data: &anypb.Any{TypeUrl: typePrefix + string(message.ProtoReflect().Descriptor().FullName()), Value: body},
	}})
	r.next++
	if len(r.kept) >= 2*Capacity {
		r.kept = append([]entry(nil), r.kept[len(r.kept)-Capacity:]...)
	}
	close(r.changed)
	r.changed = make(chan struct{})
}

// Tail says with which of the kept events a reader begins. The zero value is
// none: only what comes.
type Tail struct {
	// Count is the number of last events; below 0 all.
	Count int
	// AfterID begins after the event with this id, whether it is kept or not.
	AfterID string
	// Since begins with the events of the last so long.
	Since time.Duration
	// Actor leaves out events of other requests, now and later.
	Actor string
}

// recent is what is kept, oldest first. The caller holds the lock.
func (r *Ring) recent() []entry { return r.kept[max(0, len(r.kept)-Capacity):] }

// begin gives the events that a reader begins with, and the number of the next.
func (r *Ring) begin(tail Tail) ([]*machinepb.Event, uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	var chosen []*machinepb.Event
	for _, e := range r.recent() {
		switch {
		case tail.Actor != "" && e.event.GetActorId() != tail.Actor:
		case tail.AfterID != "" && e.event.GetId() <= tail.AfterID:
		case tail.Since > 0 && r.now().Sub(e.at) > tail.Since:
		default:
			chosen = append(chosen, e.event)
		}
	}
	switch {
	case tail.Count > 0:
		chosen = chosen[max(0, len(chosen)-tail.Count):]
	case tail.Count == 0 && tail.AfterID == "" && tail.Since == 0:
		chosen = nil
	}
	return chosen, r.next
}

// after gives the events from a number on, the number that follows, and what is
// closed when there are more.
func (r *Ring) after(number uint64) ([]entry, uint64, <-chan struct{}) {
	r.mu.Lock()
	defer r.mu.Unlock()
	all := r.recent()
	from := len(all) - int(min(r.next-number, uint64(len(all))))
	return append([]entry(nil), all[from:]...), r.next, r.changed
}

// Follow calls fn with the events of the tail and then with each that comes,
// until ctx ends or fn fails.
func (r *Ring) Follow(ctx context.Context, tail Tail, fn func(*machinepb.Event) error) error {
	chosen, number := r.begin(tail)
	for _, e := range chosen {
		if err := fn(e); err != nil {
			return err
		}
	}
	for {
		entries, next, changed := r.after(number)
		for _, e := range entries {
			if tail.Actor != "" && e.event.GetActorId() != tail.Actor {
				continue
			}
			if err := fn(e.event); err != nil {
				return err
			}
		}
		number = next
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
