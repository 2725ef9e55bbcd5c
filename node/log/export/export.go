// Package export sends logs and events to servers, as lines of JSON over TCP, UDP
// or TLS.
//
// An Exporter has a queue for each destination, so that a slow one holds up
// nobody else. A queue is bounded by QueueSize; what comes beyond is lost,
// counted, and reported at that place in the stream. On TCP and TLS a line counts
// as sent when the other side's kernel has confirmed it; after a broken connection
// the rest is sent again. The queue is in memory: an orderly end of the node waits
// a moment for it, a crash loses it.
//
// Main types: Exporter, Entry. Blocks gives what follows the config. What a
// destination is, and how it does, are resources in node/log/spec.
package export

import (
	"context"
	"io"
	"log/slog"
	"sync"
	"syscall"
	"time"

	"github.com/ichor-os/ichor/node/log/spec"
)

const (
	// backlog bounds the lines that a new destination begins with, in bytes: what
	// a node said before it knew its config.
	backlog = 256 << 10
	// farewell bounds the wait for destinations at the end.
	farewell = 2 * time.Second
)

// errRefused is how a datagram learns that nobody listened to an earlier one.
const errRefused = syscall.ECONNREFUSED

// Exporter sends entries to destinations. Make it with New.
type Exporter struct {
	log    *slog.Logger
	bounds Bounds
	bound  int // of a queue, in bytes
	// openKernel opens the kernel's log; each read gives a record.
	openKernel func() (io.ReadCloser, error)
	booted     time.Time

	mu      sync.Mutex
	to      map[string]*destination
	recent  map[string]*recent // by content
	changed chan struct{}
	closed  bool
}

// recent are the last entries of a content.
type recent struct {
	entries []Entry
	size    int
}

// New makes an Exporter without destinations.
func New(log *slog.Logger) *Exporter {
	return &Exporter{
		log: log, bounds: DefaultBounds, bound: QueueSize, openKernel: openKernel, booted: kernelBooted(),
		to: map[string]*destination{}, recent: map[string]*recent{}, changed: make(chan struct{}, 1),
	}
}

// Publish sends an entry to all destinations of a content. It never waits.
func (x *Exporter) Publish(content string, e Entry) {
	x.mu.Lock()
	defer x.mu.Unlock()
	r := x.recent[content]
	if r == nil {
		r = &recent{}
		x.recent[content] = r
	}
	r.entries, r.size = append(r.entries, e), r.size+e.size()
	for r.size > backlog {
		r.size -= r.entries[0].size()
		r.entries = r.entries[1:]
	}
	for _, d := range x.to {
		if d.desired().Content == content {
			d.queue.put(e)
		}
	}
}

// Line is a log.Tap: it sends a line of a service.
func (x *Exporter) Line(service string, line []byte) {
	if len(line) > 0 {
		x.Publish(spec.ContentServices, Entry{At: time.Now(), Service: service, Text: string(line)})
	}
}

// Audit sends a line of the audit trail. Its text is the message as it is, so that
// a receiver can check the chain.
func (x *Exporter) Audit(line []byte) {
	x.Publish(spec.ContentServices, Entry{At: time.Now(), Service: "audit", Fields: map[string]any{
		keyMessage: string(line), keyLevel: "info", keyService: "audit",
	}})
}

// Set makes a destination be as wanted. A change of its tags goes on with the
// same connection; a new endpoint is a new destination.
func (x *Exporter) Set(id string, want spec.DestinationSpec) {
	x.mu.Lock()
	old := x.to[id]
	if old != nil && x.same(old.desired(), want) {
		old.mu.Lock()
		old.want = want
		old.mu.Unlock()
		x.mu.Unlock()
		return
	}
	x.mu.Unlock()
	if old != nil {
		x.Remove(id)
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.closed {
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	d := &destination{queue: newQueue(x.bound), bounds: x.bounds, told: x.tell, end: cancel, done: make(chan struct{}), want: want}
	x.to[id] = d
	if want.Refused != "" {
		d.status.State, d.status.Problem = spec.StateRefused, want.Refused
		close(d.done)
		x.tell()
		return
	}
	if r := x.recent[want.Content]; r != nil {
		for _, e := range r.entries {
			d.queue.put(e)
		}
	}
	if want.Content == spec.ContentKernel {
		go x.followKernel(ctx, d.queue)
	}
	go d.run(ctx)
}

func (x *Exporter) same(a, b spec.DestinationSpec) bool {
	return a.Endpoint == b.Endpoint && a.Content == b.Content && a.Authorities == b.Authorities && a.Refused == b.Refused
}

// Remove ends a destination; what waits for it is dropped.
func (x *Exporter) Remove(id string) {
	x.mu.Lock()
	d := x.to[id]
	delete(x.to, id)
	x.mu.Unlock()
	if d == nil {
		return
	}
	d.end()
	<-d.done
	x.tell()
}

// tell says that a status has changed.
func (x *Exporter) tell() {
	select {
	case x.changed <- struct{}{}:
	default:
	}
}

// Statuses are how the destinations do, by id.
func (x *Exporter) Statuses() map[string]spec.DestinationStatusSpec {
	x.mu.Lock()
	defer x.mu.Unlock()
	out := map[string]spec.DestinationStatusSpec{}
	for id, d := range x.to {
		out[id] = d.report()
	}
	return out
}

// Close waits a moment until connected destinations have what waits for them, and
// ends all.
func (x *Exporter) Close() {
	x.mu.Lock()
	x.closed = true
	all := make(map[string]*destination, len(x.to))
	for id, d := range x.to {
		all[id] = d
	}
	x.mu.Unlock()
	end := time.Now().Add(farewell)
	for id, d := range all {
		for d.report().State == spec.StateConnected && !d.drained() && time.Now().Before(end) {
			time.Sleep(10 * time.Millisecond)
		}
		x.Remove(id)
	}
}
