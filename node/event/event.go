// Package event tells clients what happens on a node: a bounded history of
// events and a stream of the ones that come.
package event

import (
	"crypto/rand"
	"fmt"
	"sync"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/anypb"
)

// kept bounds the history.
const kept = 1000

// Event is one thing that happened.
type Event struct {
	// ID sorts by time.
	ID   string
	Time time.Time
	// Actor is the id of the request that caused it, or empty.
	Actor string
	Data  *anypb.Any
}

// Log is the history of a node. The zero value is ready.
type Log struct {
	mu      sync.Mutex
	events  []Event
	changed chan struct{}
	count   uint64
}

// typePrefix comes before the message's name in the type URL of an event.
const typePrefix = "talos/runtime/"

// Publish adds an event with a message of machine.proto.
func (l *Log) Publish(actor string, message proto.Message) error {
	data, err := proto.Marshal(message)
	if err != nil {
		return fmt.Errorf("encode event: %w", err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	l.count++
	l.events = append(l.events, Event{
		ID: fmt.Sprintf("%016x%08x%s", now.UnixNano(), l.count, rand.Text()[:8]), Time: now, Actor: actor,
		Data: &anypb.Any{TypeUrl: typePrefix + string(message.ProtoReflect().Descriptor().FullName()), Value: data},
	})
	if extra := len(l.events) - kept; extra > 0 {
		l.events = append([]Event(nil), l.events[extra:]...)
	}
	if l.changed != nil {
		close(l.changed)
		l.changed = nil
	}
	return nil
}

// Since lists the events after the one with the id (all of them for none), and
// gives a channel that is closed when more come.
func (l *Log) Since(id string) ([]Event, <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.changed == nil {
		l.changed = make(chan struct{})
	}
	from := 0
	for from < len(l.events) && l.events[from].ID <= id {
		from++
	}
	return append([]Event(nil), l.events[from:]...), l.changed
}
