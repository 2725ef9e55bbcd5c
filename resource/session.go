package resource

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"time"

	"github.com/ichor-os/ichor/resource/reads"
	"github.com/ichor-os/ichor/resource/store"
)

// Metadata is a resource's metadata.
type Metadata = store.Metadata

// Key names one resource.
type Key = store.Key

// Resource is one version of a resource. Its spec and metadata are shared with
// everybody else who reads them: never change what they point to.
type Resource[T any] struct {
	Metadata
	Spec T

	stored *store.Resource
}

// Session is a reconciler's only window: it reads one consistent snapshot,
// notes what was read, and gathers what the run puts. It belongs to one run
// and one goroutine.
type Session struct {
	engine *Engine
	unit   *unit // nil outside of reconcilers
	owner  string
	ctx    context.Context
	snap   *store.Snapshot
	now    time.Time
	closed bool

	reads    reads.Set
	puts     []*pending
	index    map[Key]*pending
	deletes  []Key
	requires map[Key]struct{}
	release  map[Key]struct{}
	signals  []*Signal
	wake     time.Duration
	missing  string // a source whose kind was read before it was synced
	keep     bool   // leave the outputs of before alone
	gone     bool   // the unit's input is no more
	done     any    // spec that a job has done, once its outputs are visible
	err      error
	checked  map[*store.Resource]struct{}
}

// pending is a resource that a run has put.
type pending struct {
	res  *store.Resource
	same *store.Resource // in the snapshot, with the same content
}

// Now is the time at which the run began. Reconcilers know no other clock.
func (s *Session) Now() time.Time { return s.now }

// Name is the name of the reconciler, or who the session writes for.
func (s *Session) Name() string { return s.owner }

// WakeAfter has the reconciler run again after d, unless it runs before. The
// last call of a run counts. It is a floor against busy loops that less than
// 10 ms count as 10 ms.
func (s *Session) WakeAfter(d time.Duration) { s.wake = max(d, minWake) }

const minWake = 10 * time.Millisecond

// WakeOn has the reconciler run again when the signal is given, also when that
// happens during this run.
func (s *Session) WakeOn(sig *Signal) { s.signals = append(s.signals, sig) }

// Require keeps x from being destroyed while what this run puts lives: x stays
// in tearingDown until the reconciler's outputs are gone. A run whose required
// resource has left meanwhile starts anew.
func (s *Session) Require(x interface{ storeKey() Key }) {
	if s.requires == nil {
		s.requires = map[Key]struct{}{}
	}
	s.requires[x.storeKey()] = struct{}{}
}

func (r Resource[T]) storeKey() Key { return r.Key }

// Selector narrows a List.
type Selector func(*store.Query)

// Label selects resources whose label has the value.
func Label(key, value string) Selector {
	return term(store.Term{Key: key, Op: store.Equal, Values: []string{value}})
}

// HasLabel selects resources that have the label.
func HasLabel(key string) Selector { return term(store.Term{Key: key, Op: store.Exists}) }

// WithoutLabel selects resources that do not have the label.
func WithoutLabel(key string) Selector {
	return term(store.Term{Key: key, Op: store.Exists, Invert: true})
}

// IDs selects resources whose id the expression finds something in.
func IDs(re *regexp.Regexp) Selector { return func(q *store.Query) { q.ID = re } }

func term(t store.Term) Selector {
	return func(q *store.Query) {
		if len(q.Labels) == 0 {
			q.Labels = []store.LabelQuery{nil}
		}
		q.Labels[0] = append(q.Labels[0], t)
	}
}

// Get gives the spec of a resource. A resource in tearingDown counts as
// absent. A kind with one resource needs no id.
func (k *Kind[T]) Get(s *Session, id ...string) (T, bool) {
	r, ok := k.Resource(s, id...)
	return r.Spec, ok
}

// Resource is Get together with the metadata.
func (k *Kind[T]) Resource(s *Session, id ...string) (Resource[T], bool) {
	r := s.read(k.key(id))
	if r == nil || r.Phase != store.Running {
		return Resource[T]{}, false
	}
	return typed[T](r), true
}

// List gives the kind's running resources in the order of their ids.
func (k *Kind[T]) List(s *Session, selectors ...Selector) []Resource[T] {
	var q store.Query
	for _, sel := range selectors {
		sel(&q)
	}
	s.check()
	lk := reads.List{Type: k.def.Type, Namespace: k.ns}
	s.needSync(lk)
	s.reads.AddList(lk, q)
	var out []Resource[T]
	for r := range s.snap.List(lk.Type, lk.Namespace) {
		if r.Phase == store.Running && q.Match(r) {
			s.note(r)
			out = append(out, typed[T](r))
		}
	}
	return out
}

func typed[T any](r *store.Resource) Resource[T] {
	return Resource[T]{Metadata: r.Metadata, Spec: *r.Spec.(*T), stored: r}
}

// PutOption sets metadata of what is put.
type PutOption func(*Metadata)

// Labels sets labels.
func Labels(labels map[string]string) PutOption {
	return func(m *Metadata) { m.Labels = maps.Clone(labels) }
}

// Annotations sets annotations.
func Annotations(a map[string]string) PutOption {
	return func(m *Metadata) { m.Annotations = maps.Clone(a) }
}

// Put writes a resource when the run ends well. The spec is copied. Content
// that is the same makes no new version and wakes nobody.
func (k *Kind[T]) Put(s *Session, id string, spec T, opts ...PutOption) {
	s.check()
	if id == "" {
		id = k.singleton
	}
	md := Metadata{Key: k.Key(id), Owner: s.owner}
	for _, opt := range opts {
		opt(&md)
	}
	if err := md.Key.Check(); err != nil {
		s.fail(err)
		return
	}
	p := &pending{res: store.New(k.def.store, md, &spec)}
	if cur := s.snap.Get(md.Key); cur != nil && cur.SameContent(p.res) {
		p.same = cur
		p.res = store.New(k.def.store, md, cur.Spec)
	} else {
		p.res = store.New(k.def.store, md, k.codec.Clone(&spec))
	}
	if s.index == nil {
		s.index = map[Key]*pending{}
	}
	if old := s.index[md.Key]; old != nil {
		*old = *p
		return
	}
	s.index[md.Key] = p
	s.puts = append(s.puts, p)
}

// Delete takes a resource of the session's owner away. Reconcilers need it
// not, because what they do not put is collected; it is for [Engine.Commit].
func (k *Kind[T]) Delete(s *Session, id ...string) {
	s.check()
	s.deletes = append(s.deletes, k.key(id))
}

func (s *Session) fail(err error) {
	if s.err == nil {
		s.err = err
	}
}

// check catches sessions that outlive their run.
func (s *Session) check() {
	if s.closed {
		panic("resource: session used after its run")
	}
}

// read gives the resource in any phase, and makes it an input.
func (s *Session) read(k Key) *store.Resource {
	s.check()
	s.needSync(reads.List{Type: k.Type, Namespace: k.Namespace})
	s.reads.AddKey(k)
	r := s.snap.Get(k)
	s.note(r)
	return r
}

// note remembers what was read, to find out who changes specs in place.
func (s *Session) note(r *store.Resource) {
	if r == nil || !s.engine.opts.CheckSpecs {
		return
	}
	if s.checked == nil {
		s.checked = map[*store.Resource]struct{}{}
	}
	s.checked[r] = struct{}{}
}

func (s *Session) needSync(lk reads.List) {
	if m := s.engine.unsynced.Load(); m != nil && s.unit != nil {
		if source, ok := (*m)[lk]; ok && source != s.owner {
			s.missing = fmt.Sprintf("waiting for source %q to know all of %s", source, lk.Type)
		}
	}
}
