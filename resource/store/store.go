// Package store keeps resources in memory: typed, versioned, watchable, each
// with one owner.
//
// A [Snapshot] is a consistent view of everything at one moment; taking one
// costs nothing, because the resources lie in a persistent radix tree whose
// old roots stay valid (hashicorp/go-immutable-radix: readers take no lock,
// a commit copies only the path it changes, a prefix is a kind in a
// namespace). All changes go through [Store.Commit], one commit at a time, and
// become visible together. A [Watch] delivers a key's changes in order.
//
// The store knows nothing of reconcilers; package resource builds on it.
package store

import (
	"crypto/rand"
	"iter"
	"sync"
	"sync/atomic"
	"time"

	iradix "github.com/hashicorp/go-immutable-radix/v2"
)

// Change is one resource's step from one version to the next. Old is nil when
// it was created, New when it was destroyed.
type Change struct {
	Rev uint64 // position in the order of all changes
	Key Key
	Old *Resource
	New *Resource
}

// Hooks let the engine take part in commits. They run under the commit lock
// and must not block on anything that commits.
type Hooks struct {
	// Settle may add to a transaction what follows from it.
	Settle func(*Tx)
	// Durable makes changes safe before they become visible. An error drops
	// the whole commit.
	Durable func([]Change) error
	// Published is told of changes right after they became visible. Cause is
	// what the committer passed.
	Published func(changes []Change, cause any)
}

// Options of a store. The zero value is ready for use.
type Options struct {
	// History is how many changes of each kind are kept for watches that
	// resume from a bookmark or ask for a tail. They hold on to specs, so the
	// default is only 128.
	History int
	// WatchBuffer is how many changes a watcher may lag behind before it gets
	// ErrSlow. Default 8192.
	WatchBuffer int
}

// Store holds resources. Make one with [Open].
type Store struct {
	opts  Options
	epoch [8]byte // tells this store's bookmarks from those of another life
	root  atomic.Pointer[Snapshot]
	slow  atomic.Uint64

	mu    sync.Mutex // one commit at a time; guards what follows
	hooks Hooks
	kinds map[string]*kindLog
}

// kindLog is what happened to a kind, and who wants to know.
type kindLog struct {
	history   []Change // ring, oldest at next once full
	next      int
	lastRev   uint64
	truncated uint64 // revision of the newest change that fell out
	byID      map[Key]map[*Watch]struct{}
	all       map[*Watch]struct{}
}

// Open makes an empty store.
func Open(opts Options) *Store {
	if opts.History <= 0 {
		opts.History = 128
	}
	if opts.WatchBuffer <= 0 {
		opts.WatchBuffer = 8192
	}
	s := &Store{opts: opts, kinds: map[string]*kindLog{}}
	rand.Read(s.epoch[:]) // never fails
	s.root.Store(&Snapshot{tree: iradix.New[*Resource]()})
	return s
}

// SetHooks installs the engine's hooks. Call it before the first commit.
func (s *Store) SetHooks(h Hooks) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hooks = h
}

// SlowWatchers counts the watches that were cut off because they lagged.
func (s *Store) SlowWatchers() uint64 { return s.slow.Load() }

// Snapshot is an immutable view of all resources.
type Snapshot struct {
	rev  uint64
	tree *iradix.Tree[*Resource]
}

// Snapshot gives the current view.
func (s *Store) Snapshot() *Snapshot { return s.root.Load() }

// Rev is the position of the last change the snapshot contains.
func (s *Snapshot) Rev() uint64 { return s.rev }

// Len is the number of resources.
func (s *Snapshot) Len() int { return s.tree.Len() }

// Get gives the resource named k, or nil.
func (s *Snapshot) Get(k Key) *Resource {
	r, _ := s.tree.Get(treeKey(k))
	return r
}

// List gives the resources of a kind in a namespace, in the order of their ids.
func (s *Snapshot) List(typ, namespace string) iter.Seq[*Resource] {
	return listTree(s.tree.Root(), typ, namespace)
}

// All gives every resource.
func (s *Snapshot) All() iter.Seq[*Resource] {
	return func(yield func(*Resource) bool) {
		it := s.tree.Root().Iterator()
		for _, r, ok := it.Next(); ok; _, r, ok = it.Next() {
			if !yield(r) {
				return
			}
		}
	}
}

func listTree(root *iradix.Node[*Resource], typ, namespace string) iter.Seq[*Resource] {
	return func(yield func(*Resource) bool) {
		it := root.Iterator()
		it.SeekPrefix(treeKey(Key{Type: typ, Namespace: namespace}))
		for _, r, ok := it.Next(); ok; _, r, ok = it.Next() {
			if !yield(r) {
				return
			}
		}
	}
}

// treeKey joins a key's parts with bytes that occur in none of them.
func treeKey(k Key) []byte {
	b := make([]byte, 0, len(k.Type)+len(k.Namespace)+len(k.ID)+2)
	b = append(b, k.Type...)
	b = append(b, 0)
	b = append(b, k.Namespace...)
	b = append(b, 0)
	return append(b, k.ID...)
}

// Since gives the changes of a kind after rev, oldest first. It says false
// when some of them are no longer known.
func (s *Store) since(typ string, rev uint64) ([]Change, bool) {
	k := s.kinds[typ]
	if k == nil || k.lastRev <= rev {
		return nil, true
	}
	if k.truncated > rev {
		return nil, false
	}
	var out []Change
	for i := range k.history {
		c := k.history[(k.next+i)%len(k.history)]
		if c.Rev > rev {
			out = append(out, c)
		}
	}
	return out, true
}

func (s *Store) kind(typ string) *kindLog {
	k := s.kinds[typ]
	if k == nil {
		k = &kindLog{byID: map[Key]map[*Watch]struct{}{}, all: map[*Watch]struct{}{}}
		s.kinds[typ] = k
	}
	return k
}

func (k *kindLog) record(c Change, limit int) {
	k.lastRev = c.Rev
	if len(k.history) < limit {
		k.history = append(k.history, c)
		return
	}
	k.truncated = k.history[k.next].Rev
	k.history[k.next] = c
	k.next = (k.next + 1) % limit
}

// now is the time that stamps created and updated. Tests own it through
// testing/synctest.
func now() time.Time { return time.Now().UTC() }
