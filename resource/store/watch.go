package store

import (
	"context"
	"encoding/binary"
	"strconv"
	"strings"
	"sync"
)

// EventType says what an [Event] tells.
type EventType uint8

// The types, with their numbers on the wire.
const (
	Created EventType = iota
	Updated
	Destroyed
	Bootstrapped
	Errored
	Noop
)

// Event is one step that a watcher sees. Bootstrapped and Noop carry only a
// bookmark.
type Event struct {
	Type     EventType
	Resource *Resource
	Old      *Resource // of Updated
	Bookmark []byte    // where a later watch can go on from
}

// WatchRequest says what to watch and from when.
type WatchRequest struct {
	Type      string
	Namespace string
	ID        string // one resource; empty for the whole kind
	Query     Query  // only for a whole kind

	// Bootstrap sends what exists first, then a Bootstrapped event.
	Bootstrap bool
	// BootstrapBookmark sends a Noop event with the present bookmark first.
	BootstrapBookmark bool
	// From resumes after the event that carried this bookmark.
	From []byte
	// Tail sends the last changes first, at most so many.
	Tail int
}

// Watch is a stream of events. It buffers a bounded number of them, so that a
// watcher which does not read never holds up a commit; one that falls too far
// behind gets ErrSlow and must watch anew.
type Watch struct {
	store  *Store
	req    WatchRequest
	notify chan struct{} // capacity 1

	mu    sync.Mutex
	first []Event // what the watch begins with; not bounded
	queue []Change
	err   error
}

// Watch starts a watch.
//
// A watch of one resource begins with its present state: Created, or Destroyed
// with bare metadata when there is none.
func (s *Store) Watch(req WatchRequest) (*Watch, error) {
	w := &Watch{store: s, req: req, notify: make(chan struct{}, 1)}
	s.mu.Lock()
	defer s.mu.Unlock()
	first, err := s.begin(req)
	if err != nil {
		return nil, err
	}
	w.first = first
	k := s.kind(req.Type)
	if req.ID == "" {
		k.all[w] = struct{}{}
	} else {
		key := w.key()
		if k.byID[key] == nil {
			k.byID[key] = map[*Watch]struct{}{}
		}
		k.byID[key][w] = struct{}{}
	}
	if len(first) > 0 {
		w.notify <- struct{}{}
	}
	return w, nil
}

func (w *Watch) key() Key {
	return Key{Type: w.req.Type, Namespace: w.req.Namespace, ID: w.req.ID}
}

// begin gives the events before live ones.
func (s *Store) begin(req WatchRequest) ([]Event, error) {
	snap := s.root.Load()
	mark := s.bookmark(snap.rev)
	switch {
	case len(req.From) > 0:
		rev, err := s.readBookmark(req.From, snap.rev)
		if err != nil {
			return nil, err
		}
		past, ok := s.since(req.Type, rev)
		if !ok {
			return nil, ErrBookmark
		}
		return s.events(req, past), nil
	case req.Tail > 0:
		k := s.kind(req.Type)
		past, _ := s.since(req.Type, k.truncated)
		events := s.events(req, past)
		return events[max(0, len(events)-req.Tail):], nil
	case req.ID != "":
		key := Key{Type: req.Type, Namespace: req.Namespace, ID: req.ID}
		if r := snap.Get(key); r != nil {
			return []Event{{Type: Created, Resource: r, Bookmark: mark}}, nil
		}
		tomb := &Resource{Metadata: Metadata{Key: key}, typ: &Type{Name: req.Type}}
		return []Event{{Type: Destroyed, Resource: tomb, Bookmark: mark}}, nil
	case req.Bootstrap:
		var events []Event
		for r := range snap.List(req.Type, req.Namespace) {
			if req.Query.Match(r) {
				events = append(events, Event{Type: Created, Resource: r, Bookmark: mark})
			}
		}
		return append(events, Event{Type: Bootstrapped, Bookmark: mark}), nil
	case req.BootstrapBookmark:
		return []Event{{Type: Noop, Bookmark: mark}}, nil
	}
	return nil, nil
}

func (s *Store) events(req WatchRequest, changes []Change) []Event {
	var out []Event
	for _, c := range changes {
		if e, ok := s.event(&req, c); ok {
			out = append(out, e)
		}
	}
	return out
}

// event turns a change into what a watcher with this request sees: a resource
// that begins to match is created for it, one that ceases to is destroyed.
func (s *Store) event(req *WatchRequest, c Change) (Event, bool) {
	if c.Key.Namespace != req.Namespace || (req.ID != "" && c.Key.ID != req.ID) {
		return Event{}, false
	}
	was, is := req.Query.Match(c.Old), req.Query.Match(c.New)
	e := Event{Resource: c.New, Bookmark: s.bookmark(c.Rev)}
	switch {
	case is && !was:
		e.Type = Created
	case is:
		e.Type = Updated
		e.Old = c.Old
	case was:
		e.Type = Destroyed
		if c.New == nil {
			e.Resource = c.Old
		}
	default:
		return Event{}, false
	}
	return e, true
}

// push runs under the commit lock.
func (w *Watch) push(c Change) {
	if c.Key.Namespace != w.req.Namespace {
		return
	}
	if !w.req.Query.Empty() && !w.req.Query.Match(c.Old) && !w.req.Query.Match(c.New) {
		return
	}
	w.mu.Lock()
	switch {
	case w.err != nil:
		w.mu.Unlock()
		return
	case len(w.queue) >= w.store.opts.WatchBuffer:
		w.err = ErrSlow
		w.queue = nil
		w.store.slow.Add(1)
	default:
		w.queue = append(w.queue, c)
	}
	w.mu.Unlock()
	select {
	case w.notify <- struct{}{}:
	default:
	}
}

// Next waits for events and gives all that are there, in order. After an error
// the watch is of no more use; Close it all the same.
func (w *Watch) Next(ctx context.Context) ([]Event, error) {
	for {
		w.mu.Lock()
		events, queue, err := w.first, w.queue, w.err
		w.first, w.queue = nil, nil
		w.mu.Unlock()
		if err != nil {
			return nil, err
		}
		for _, c := range queue {
			if e, ok := w.store.event(&w.req, c); ok {
				events = append(events, e)
			}
		}
		if len(events) > 0 {
			return events, nil
		}
		select {
		case <-w.notify:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// Close ends the watch.
func (w *Watch) Close() {
	s := w.store
	s.mu.Lock()
	if k := s.kinds[w.req.Type]; k != nil {
		delete(k.all, w)
		if m := k.byID[w.key()]; m != nil {
			delete(m, w)
			if len(m) == 0 {
				delete(k.byID, w.key())
			}
		}
	}
	s.mu.Unlock()
	w.mu.Lock()
	if w.err == nil {
		w.err = ErrClosed
	}
	w.mu.Unlock()
	select {
	case w.notify <- struct{}{}:
	default:
	}
}

func (s *Store) bookmark(rev uint64) []byte {
	return binary.BigEndian.AppendUint64(append(make([]byte, 0, 16), s.epoch[:]...), rev)
}

func (s *Store) readBookmark(b []byte, now uint64) (uint64, error) {
	if len(b) != 16 || string(b[:8]) != string(s.epoch[:]) {
		return 0, ErrBookmark
	}
	rev := binary.BigEndian.Uint64(b[8:])
	if rev > now {
		return 0, ErrBookmark
	}
	return rev, nil
}

func joinQuoted(list []string) string {
	quoted := make([]string, len(list))
	for i, s := range list {
		quoted[i] = strconv.Quote(s)
	}
	return strings.Join(quoted, ", ")
}
