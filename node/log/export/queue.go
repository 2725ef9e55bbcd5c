package export

import (
	"context"
	"fmt"
	"sync"
)

// QueueSize bounds what waits for one destination, in bytes.
const QueueSize = 4 << 20

// queue holds what waits for a destination. Who puts never waits: beyond the
// bound a line is lost, and where it would have stood the queue says how many.
type queue struct {
	bound int

	mu      sync.Mutex
	entries []Entry
	size    int
	missing uint64 // lost since the last entry
	lost    uint64 // in all
	changed chan struct{}
}

func newQueue(bound int) *queue { return &queue{bound: bound, changed: make(chan struct{})} }

func (q *queue) signal() {
	close(q.changed)
	q.changed = make(chan struct{})
}

// put adds an entry or counts it as lost.
func (q *queue) put(e Entry) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.size+e.size() > q.bound {
		q.missing++
		q.lost++
		return
	}
	q.tell(e)
	q.add(e)
	q.signal()
}

// lose counts lines that were lost before they came here.
func (q *queue) lose(n uint64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.missing += n
	q.lost += n
}

func (q *queue) add(e Entry) { q.entries, q.size = append(q.entries, e), q.size+e.size() }

// tell adds a line about what is missing.
func (q *queue) tell(e Entry) {
	if q.missing == 0 {
		return
	}
	text := fmt.Sprintf("%d lines are lost: they came faster than this destination took them", q.missing)
	q.add(Entry{At: e.At, Service: "machined", Fields: map[string]any{
		keyMessage: text, keyLevel: "warn", keyService: "machined", "lost": q.missing,
	}})
	q.missing = 0
}

// wait adds an entry when there is room, for those who can wait.
func (q *queue) wait(ctx context.Context, e Entry) error {
	for {
		q.mu.Lock()
		if q.size+e.size() <= q.bound {
			q.tell(e)
			q.add(e)
			q.signal()
			q.mu.Unlock()
			return nil
		}
		changed := q.changed
		q.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// take gives the oldest entries, up to about limit bytes, and what is closed when
// there are more.
func (q *queue) take(limit int, now func() Entry) ([]Entry, <-chan struct{}) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.entries) == 0 {
		q.tell(now())
	}
	n, size := 0, 0
	for n < len(q.entries) && size < limit {
		size += q.entries[n].size()
		n++
	}
	taken := q.entries[:n:n]
	q.entries = append([]Entry(nil), q.entries[n:]...)
	q.size -= size
	if n > 0 {
		q.signal()
	}
	return taken, q.changed
}

// back puts entries in front again.
func (q *queue) back(entries []Entry) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, e := range entries {
		q.size += e.size()
	}
	q.entries = append(append([]Entry(nil), entries...), q.entries...)
	q.signal()
}

func (q *queue) counts() (queued, lost uint64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return uint64(len(q.entries)), q.lost
}
