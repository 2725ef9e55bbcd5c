package conformance

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ichor-os/ichor/resource"
	"github.com/ichor-os/ichor/resource/store"
)

// model builds a small system in which every block has a part: inputs lead to
// middles, middles (which are required) to results and to a mirror's outside,
// and one reconciler sums all results up. Some runs fail, hold or panic by
// chance.
type model struct {
	e       *resource.Engine
	outside *outside
	watches sync.WaitGroup
	chance  func(n int) bool
}

func newModel(t *testing.T, seed uint64) *model {
	t.Helper()
	var mu sync.Mutex
	rnd := rand.New(rand.NewPCG(seed, 1))
	m := &model{outside: newOutside(), chance: func(n int) bool {
		mu.Lock()
		defer mu.Unlock()
		return rnd.IntN(n) == 0
	}}
	m.e = resource.New(resource.Options{BackoffMin: time.Millisecond, BackoffMax: 4 * time.Millisecond, CheckSpecs: true})
	if err := m.e.Register(ins, mids, outs, others); err != nil {
		t.Fatal(err)
	}
	trouble := func() error {
		switch {
		case m.chance(20):
			return errors.New("by chance")
		case m.chance(50):
			panic("by chance")
		}
		return nil
	}
	desired := others.In("desired")
	err := m.e.Add(
		resource.ForEach("low", ins, func(_ context.Context, s *resource.Session, r resource.Resource[textSpec]) error {
			mids.Put(s, r.ID, textSpec{Text: r.Spec.Text + "<"})
			return trouble()
		}),
		resource.ForEach("high", mids, func(_ context.Context, s *resource.Session, r resource.Resource[textSpec]) error {
			s.Require(r)
			outs.Put(s, r.ID, textSpec{Text: r.Spec.Text + ">"})
			desired.Put(s, r.ID, textSpec{Text: r.Spec.Text})
			return trouble()
		}),
		resource.Reconciler("sum", func(_ context.Context, s *resource.Session) error {
			var all []string
			for _, r := range outs.List(s) {
				all = append(all, r.ID+"="+r.Spec.Text)
			}
			others.Put(s, "sum", textSpec{List: all})
			return trouble()
		}),
		resource.Mirror("mirror", desired, nil,
			func(_ context.Context, _ *resource.Session, r resource.Resource[textSpec]) error {
				if err := trouble(); err != nil {
					return err
				}
				return m.outside.set(r.ID, r.Spec.Text)
			},
			func(_ context.Context, _ *resource.Session, r resource.Resource[textSpec]) error {
				if err := trouble(); err != nil {
					return err
				}
				return m.outside.drop(r.ID)
			}),
	)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// client puts and removes inputs that are its own; in the end want holds them.
func (m *model) client(t *testing.T, n int, rnd *rand.Rand, want map[string]string) {
	owner := fmt.Sprintf("client%d", n)
	for i := range 150 {
		id := fmt.Sprintf("%s-%d", owner, rnd.IntN(8))
		remove := rnd.IntN(3) == 0
		err := m.e.Commit(t.Context(), owner, func(s *resource.Session) error {
			if remove {
				ins.Delete(s, id)
			} else {
				ins.Put(s, id, textSpec{Text: fmt.Sprint(i)})
			}
			return nil
		})
		if err != nil {
			t.Errorf("%s: %v", id, err)
		}
		if delete(want, id); !remove {
			want[id] = fmt.Sprint(i)
		}
	}
}

// follow applies a watch's events to a map, as a client would.
func (m *model) follow(t *testing.T, ctx context.Context, k *resource.Kind[textSpec], seen map[string]string, mu *sync.Mutex) {
	w, err := m.e.Store().Watch(store.WatchRequest{Type: k.Definition().Type, Namespace: k.Key("x").Namespace, Bootstrap: true})
	if err != nil {
		t.Fatal(err)
	}
	m.watches.Go(func() {
		defer w.Close()
		for {
			events, err := directWatch{w}.next(ctx)
			if err != nil {
				return
			}
			mu.Lock()
			for _, e := range events {
				switch e.Type {
				case store.Created, store.Updated:
					if e.Old != seen[e.ID] && e.Phase == store.Running {
						t.Errorf("event of %s says that %q was before %q, but that was %q", e.ID, e.Old, e.Text, seen[e.ID])
					}
					seen[e.ID] = e.Text
				case store.Destroyed:
					delete(seen, e.ID)
				}
			}
			mu.Unlock()
		}
	})
}

func TestModel_WhateverHappensTheEndFollowsFromTheInputs(t *testing.T) {
	for seed := range uint64(6) {
		t.Run(fmt.Sprint("seed", seed), func(t *testing.T) {
			m := newModel(t, seed)
			ctx, cancel := context.WithCancel(t.Context())
			done := make(chan error, 1)
			go func() { done <- m.e.Run(ctx) }()
			var mu sync.Mutex
			followed := map[string]string{}
			m.follow(t, ctx, outs, followed, &mu)

			wants := make([]map[string]string, 4)
			var clients sync.WaitGroup
			for n := range wants {
				wants[n] = map[string]string{}
				clients.Go(func() { m.client(t, n, rand.New(rand.NewPCG(seed, uint64(n)+10)), wants[n]) })
			}
			clients.Wait()
			want := map[string]string{}
			for _, w := range wants {
				for id, text := range w {
					want[id] = text
				}
			}
			m.settle(t)
			m.compare(t, want)

			caughtUp(t, &mu, followed, len(want))

			// And then everything goes.
			for n, w := range wants {
				err := m.e.Commit(t.Context(), fmt.Sprintf("client%d", n), func(s *resource.Session) error {
					for id := range w {
						ins.Delete(s, id)
					}
					return nil
				})
				if err != nil {
					t.Fatal(err)
				}
			}
			m.settle(t)
			m.compare(t, nil)
			if c := m.e.Counters(); c.Units != 1 { // sum
				t.Errorf("units left: %d in %+v", c.Units, m.e.Status())
			}
			caughtUp(t, &mu, followed, 0)
			cancel()
			if err := <-done; err != nil {
				t.Error(err)
			}
			m.watches.Wait()
		})
	}
}

// settle waits until nothing runs and nothing failed last.
func (m *model) settle(t *testing.T) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); time.Sleep(2 * time.Millisecond) {
		if err := m.e.Settled(t.Context()); err != nil {
			t.Fatal(err)
		}
		bad := slices.ContainsFunc(m.e.Status(), func(s resource.Status) bool { return s.State != resource.StateOK })
		if !bad {
			return
		}
	}
	t.Fatalf("it does not come to rest: %+v", m.e.Status())
}

// caughtUp waits until a watcher, which has a goroutine of its own, has seen
// what the store has.
func caughtUp(t *testing.T, mu *sync.Mutex, followed map[string]string, want int) {
	t.Helper()
	n := -1
	for deadline := time.Now().Add(10 * time.Second); n != want && time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		mu.Lock()
		n = len(followed)
		mu.Unlock()
	}
	if n != want {
		t.Errorf("a watcher knows %d resources, want %d", n, want)
	}
}

func (m *model) compare(t *testing.T, inputs map[string]string) {
	t.Helper()
	var left []string
	results, sum := map[string]string{}, []string{}
	for r := range m.e.Store().Snapshot().All() {
		if r.Phase != store.Running {
			left = append(left, fmt.Sprintf("%s held by %q", r.Key, r.Finalizers))
		}
		switch {
		case r.Key.Type == outs.Definition().Type:
			results[r.ID] = r.Spec.(*textSpec).Text
		case r.ID == "sum":
			sum = r.Spec.(*textSpec).List
		}
	}
	if len(left) > 0 {
		t.Errorf("left in tearingDown: %s", strings.Join(left, "; "))
	}
	wantSum := []string{}
	has := m.outside.has()
	for id, text := range inputs {
		wantSum = append(wantSum, id+"="+text+"<>")
		if results[id] != text+"<>" || has[id] != text+"<" {
			t.Errorf("%s: input %q, result %q, outside %q", id, text, results[id], has[id])
		}
	}
	slices.Sort(wantSum)
	if !slices.Equal(sum, wantSum) {
		t.Errorf("sum: got %q, want %q", sum, wantSum)
	}
	if len(results) != len(inputs) || len(has) != len(inputs) {
		t.Errorf("%d inputs, %d results, %d outside", len(inputs), len(results), len(has))
	}
}
