package conformance

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing/synctest"
	"time"

	"github.com/ichor-os/ichor/resource"
	"github.com/ichor-os/ichor/resource/store"
)

// outside is something that mirrors act on.
type outside struct {
	mu     sync.Mutex
	things map[string]string
	fail   error
	calls  int
}

func newOutside() *outside { return &outside{things: map[string]string{}} }

func (o *outside) has() map[string]string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return maps.Clone(o.things)
}

func (o *outside) set(id, text string) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.calls++
	if o.fail != nil {
		return o.fail
	}
	o.things[id] = text
	return nil
}

func (o *outside) drop(id string) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.fail != nil {
		return o.fail
	}
	delete(o.things, id)
	return nil
}

func (o *outside) broken(err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.fail = err
}

// mirror brings ins into the outside and says so in outs.
func (o *outside) mirror(name string) resource.Block {
	return resource.Mirror(name, ins, nil,
		func(_ context.Context, s *resource.Session, r resource.Resource[textSpec]) error {
			if err := o.set(r.ID, r.Spec.Text); err != nil {
				return err
			}
			outs.Put(s, r.ID, textSpec{Text: "done"})
			return nil
		},
		func(_ context.Context, _ *resource.Session, r resource.Resource[textSpec]) error { return o.drop(r.ID) })
}

var blockCases = []testCase{
	{name: "Source/ReadersHoldUntilItIsSynced", run: func(w *world) {
		feeds := make(chan *resource.Feed[textSpec], 1)
		w.add(
			resource.Source("links", mids, func(ctx context.Context, f *resource.Feed[textSpec]) error {
				feeds <- f
				<-ctx.Done()
				return ctx.Err()
			}),
			resource.Reconciler("reader", func(_ context.Context, s *resource.Session) error {
				outs.Put(s, "n", textSpec{Text: strings.Repeat("i", len(mids.List(s)))})
				return nil
			}),
		)
		w.is(outs, "n", "-")
		w.state("reader", resource.StateHold, `waiting for source "links" to know all of Middles.test.ichor.dev`)
		f := <-feeds
		w.must(f.Put(resource.Item[textSpec]{ID: "a"}))
		synctest.Wait()
		w.is(outs, "n", "-")
		w.must(f.Replace(resource.Item[textSpec]{ID: "a"}, resource.Item[textSpec]{ID: "b"}))
		synctest.Wait()
		w.is(outs, "n", "ii")
		w.must(f.Update([]resource.Item[textSpec]{{ID: "c"}}, []string{"a", "b"}))
		synctest.Wait()
		w.is(outs, "n", "i")
	}},
	{name: "Source/EmptyReplaceEndsTheHold", run: func(w *world) {
		w.add(
			resource.Source("links", mids, func(ctx context.Context, f *resource.Feed[textSpec]) error {
				if err := f.Replace(); err != nil {
					return err
				}
				<-ctx.Done()
				return nil
			}),
			resource.Reconciler("reader", func(_ context.Context, s *resource.Session) error {
				_, ok := mids.Get(s, "x")
				outs.Put(s, "x", textSpec{Text: map[bool]string{true: "there", false: "absent"}[ok]})
				return nil
			}),
		)
		w.is(outs, "x", "absent")
	}},
	{name: "Source/StartsAnewAndReplaces", run: func(w *world) {
		var n runs
		w.add(resource.Source("s", mids, func(_ context.Context, f *resource.Feed[textSpec]) error {
			switch n.add() {
			case 1:
				if err := f.Replace(resource.Item[textSpec]{ID: "a"}, resource.Item[textSpec]{ID: "b"}); err != nil {
					return err
				}
				return errors.New("lost")
			case 2:
				panic("boom")
			}
			if err := f.Replace(resource.Item[textSpec]{ID: "b"}); err != nil {
				return err
			}
			<-w.Context().Done()
			return nil
		}))
		w.is(mids, "a", "") // stays while the source is away
		time.Sleep(time.Minute)
		w.is(mids, "a", "-")
		w.is(mids, "b", "")
		w.same("told", len(w.diagnostics("source")), 2)
		w.must(w.e.Settled(w.Context()))
	}},
	{name: "Source/PutOfALeavingKeyWaits", run: func(w *world) {
		var feed *resource.Feed[textSpec]
		w.add(resource.Source("s", mids, func(ctx context.Context, f *resource.Feed[textSpec]) error {
			feed = f
			<-ctx.Done()
			return nil
		}))
		w.must(feed.Replace(resource.Item[textSpec]{ID: "a", Spec: textSpec{Text: "1"}}))
		w.must(w.e.Store().Commit(nil, func(tx *store.Tx) error { return tx.Hold(mids.Key("a"), "me") }))
		w.must(feed.Delete("a"))
		w.must(feed.Put(resource.Item[textSpec]{ID: "a", Spec: textSpec{Text: "2"}}))
		w.is(mids, "a", "1 tearingDown")
		w.must(w.e.Store().Commit(nil, func(tx *store.Tx) error { tx.Release(mids.Key("a"), "me"); return nil }))
		synctest.Wait()
		w.is(mids, "a", "2")
	}},
	{name: "Mirror/EnsuresAndRemovesUnderAFinalizer", run: func(w *world) {
		o := newOutside()
		w.add(o.mirror("m"))
		w.put(ins, "a", "1")
		w.same("outside", o.has(), map[string]string{"a": "1"})
		w.is(outs, "a", "done")
		r, err := w.b.get(ins.Key("a"))
		w.must(err)
		w.same("finalizers", r.Finalizers, []string{"m[a]"})
		w.same("calls", o.calls, 1)
		w.put(ins, "a", "2")
		w.same("outside", o.has(), map[string]string{"a": "2"})

		o.broken(errors.New("busy"))
		if w.remove(ins, "a") {
			w.Error("the resource went while the outside still has it")
		}
		w.is(ins, "a", "2 tearingDown")
		w.is(outs, "a", "done")
		o.broken(nil)
		time.Sleep(time.Minute)
		w.same("outside", o.has(), map[string]string{})
		w.is(outs, "a", "-")
		w.must(w.b.destroy(ins.Key("a")))
		synctest.Wait()
		w.same("units left", w.e.Counters().Units, 0)
	}},
	{name: "Mirror/DriftRunsEnsureAgain", run: func(w *world) {
		o := newOutside()
		var feed *resource.Feed[textSpec]
		w.add(
			resource.Source("observed", mids, func(ctx context.Context, f *resource.Feed[textSpec]) error {
				feed = f
				<-ctx.Done()
				return nil
			}),
			resource.Mirror("m", ins, mids,
				func(_ context.Context, _ *resource.Session, r resource.Resource[textSpec]) error {
					return o.set(r.ID, r.Spec.Text)
				},
				func(_ context.Context, _ *resource.Session, r resource.Resource[textSpec]) error { return o.drop(r.ID) }),
		)
		w.put(ins, "a", "1")
		w.same("before the source is synced", o.has(), map[string]string{})
		w.must(feed.Replace())
		synctest.Wait()
		w.same("after", o.has(), map[string]string{"a": "1"})
		w.must(o.set("a", "drifted"))
		w.must(feed.Put(resource.Item[textSpec]{ID: "a", Spec: textSpec{Text: "drifted"}}))
		synctest.Wait()
		w.same("healed", o.has(), map[string]string{"a": "1"})
	}},
	{name: "Job/RunsOncePerRequestWithProgress", run: func(w *world) {
		var n runs
		step := make(chan struct{})
		w.add(resource.Job("job", ins, func(ctx context.Context, s *resource.Session, r resource.Resource[textSpec]) error {
			n.add()
			outs.Put(s, r.ID, textSpec{Text: "half of " + r.Spec.Text})
			if err := s.Publish(); err != nil {
				return err
			}
			<-step
			others.Get(s, "unrelated")
			outs.Put(s, r.ID, textSpec{Text: "all of " + r.Spec.Text})
			return nil
		}))
		w.put(ins, "a", "x")
		w.is(outs, "a", "half of x")
		w.put(ins, "a", "y") // during the run: the next one sees it
		w.is(outs, "a", "half of x")
		step <- struct{}{}
		synctest.Wait()
		w.is(outs, "a", "half of y")
		step <- struct{}{}
		synctest.Wait()
		w.is(outs, "a", "all of y")
		w.same("runs", n.since(), 2)
		w.put(others, "unrelated", "")
		w.put(ins, "a", "y")
		time.Sleep(time.Hour)
		w.same("runs after the end", n.since(), 0)
		w.is(outs, "a", "all of y")
		w.remove(ins, "a")
		w.is(outs, "a", "-")
	}},
	{name: "Job/RequestStaysWhileItRuns", run: func(w *world) {
		step := make(chan struct{})
		w.add(resource.Job("job", ins, func(ctx context.Context, _ *resource.Session, _ resource.Resource[textSpec]) error {
			<-step
			return ctx.Err()
		}))
		w.put(ins, "a", "x")
		w.same("gone at once", w.remove(ins, "a"), false)
		w.is(ins, "a", "x tearingDown")
		close(step)
		synctest.Wait()
		w.must(w.b.destroy(ins.Key("a")))
	}},
	{name: "Job/CancelOnChangeIsExplicitAndTimeBounded", run: func(w *world) {
		var mu sync.Mutex
		var ended []string
		ends := func() []string { mu.Lock(); defer mu.Unlock(); return slices.Clone(ended) }
		wait := func(ctx context.Context, _ *resource.Session, r resource.Resource[textSpec]) error {
			if r.Spec.Text == "last" {
				return nil
			}
			<-ctx.Done()
			mu.Lock()
			defer mu.Unlock()
			ended = append(ended, r.Spec.Text)
			return ctx.Err()
		}
		w.add(resource.Job("job", ins, wait, resource.CancelOnChange(), resource.Timeout(time.Hour)))
		w.put(ins, "a", "1")
		w.put(ins, "a", "2")
		w.same("ended by a change", ends(), []string{"1"})
		time.Sleep(61 * time.Minute)
		w.same("ended by the bound", ends(), []string{"1", "2"})
		w.put(ins, "a", "last")
		w.state("job[a]", resource.StateOK, "")
	}},
	{name: "Job/IsDoneOnceItsOutputsAreVisible", run: func(w *world) {
		var n runs
		var feed *resource.Feed[textSpec]
		w.put(outs, "a", "in the way")
		w.add(
			resource.Source("source", mids, func(ctx context.Context, f *resource.Feed[textSpec]) error {
				feed = f
				<-ctx.Done()
				return nil
			}),
			resource.Job("job", ins, func(_ context.Context, s *resource.Session, r resource.Resource[textSpec]) error {
				if n.add() == 3 {
					// Wakes everything that runs, this job too.
					if err := feed.Replace(); err != nil {
						return err
					}
				}
				outs.Put(s, r.ID, textSpec{Text: "done"})
				return nil
			}))
		w.put(ins, "a", "x")
		w.is(outs, "a", "in the way")
		w.remove(outs, "a")
		time.Sleep(time.Minute)
		w.is(outs, "a", "done")
		// It met the resource of another, then its end, and then none.
		w.same("runs", n.since(), 3)
	}},
	{name: "Job/FailureIsTriedAgain", run: func(w *world) {
		var n runs
		w.add(resource.Job("job", ins, func(_ context.Context, s *resource.Session, r resource.Resource[textSpec]) error {
			if n.add() < 3 {
				return errors.New("no luck")
			}
			if _, ok := others.Get(s, "gate"); !ok {
				return resource.Hold("gate is closed")
			}
			outs.Put(s, r.ID, textSpec{Text: "done"})
			return nil
		}))
		w.put(ins, "a", "x")
		w.state("job[a]", resource.StateFailed, "no luck")
		time.Sleep(time.Minute)
		w.state("job[a]", resource.StateHold, "gate is closed")
		w.put(others, "gate", "")
		w.is(outs, "a", "done")
	}},
	{name: "Merge/LowestLayerFirst", run: func(w *world) {
		w.add(resource.Merge("merge", mids, "mid", "final", []string{"default", "cmdline", "machine"},
			func(low, high textSpec) textSpec {
				if high.Text != "" {
					low.Text = high.Text
				}
				low.List = append(append([]string{}, low.List...), high.List...)
				return low
			}))
		final := mids.In("final")
		layer := func(id, text string, list ...string) {
			w.Helper()
			w.must(w.e.Commit(w.Context(), "config", func(s *resource.Session) error {
				mids.Put(s, id, textSpec{Text: text, List: list})
				return nil
			}))
			synctest.Wait()
		}
		layer("machine/eth0", "m", "3")
		layer("default/eth0", "d", "1")
		layer("cmdline/eth0", "", "2")
		layer("cmdline/eth1/sub", "c")
		w.is(final, "eth0", "m")
		w.is(final, "eth1/sub", "c")
		w.view(func(s *resource.Session) {
			v, _ := final.Get(s, "eth0")
			w.same("list", v.List, []string{"1", "2", "3"})
		})
		w.must(w.e.Commit(w.Context(), "config", func(s *resource.Session) error {
			mids.Delete(s, "machine/eth0")
			return nil
		}))
		synctest.Wait()
		w.is(final, "eth0", "d")
		layer("unknown/eth0", "?")
		if s := w.status("merge[unknown/eth0]"); s.State != resource.StateFailed {
			w.Errorf("unknown layer: got %+v, want a failure", s)
		}
		w.is(final, "eth0", "d")
	}},
	{name: "Persist/SurvivesARestart", run: func(w *world) {
		dir := w.TempDir()
		w.add(resource.Persist("disk", dir, ins, mids), resource.ForEach("r", ins, copyTo(mids, "!")))
		w.put(ins, "a", "1", "label", "x")
		w.put(ins, "a", "2", "label", "x")
		w.put(ins, "b", "1")
		w.put(others, "c", "not persistent")
		before, err := w.b.get(ins.Key("a"))
		w.must(err)
		w.must(w.stop())

		e := resource.New(resource.Options{})
		w.must(e.Register(ins, mids))
		w.must(e.Add(resource.Persist("disk", dir, ins, mids)))
		after, err := direct{e}.get(ins.Key("a"))
		w.must(err)
		w.same("resource", after, before)
		_, err = direct{e}.get(others.Key("c"))
		w.same("others", errors.Is(err, store.ErrNotFound), true)

		// What a reconciler put in the life before is collected when it
		// does not put it now.
		w.must(e.Add(resource.ForEach("r", ins, func(_ context.Context, s *resource.Session, r resource.Resource[textSpec]) error {
			if r.ID == "a" {
				mids.Put(s, r.ID, r.Spec)
			}
			return nil
		})))
		ctx, cancel := context.WithCancel(w.Context())
		done := make(chan error, 1)
		go func() { done <- e.Run(ctx) }()
		synctest.Wait()
		got, err := direct{e}.list(mids.Definition().Type, "mid", store.Query{})
		w.must(err)
		w.same("outputs of the life before", ids(got), []string{"a"})
		cancel()
		w.must(<-done)
	}},
	{name: "Persist/WhenTheDiskRefusesNothingIsLetGo", run: func(w *world) {
		dir := filepath.Join(w.TempDir(), "disk")
		w.add(
			resource.Persist("disk", dir, mids),
			resource.Reconciler("r", func(_ context.Context, s *resource.Session) error {
				if x, ok := ins.Resource(s, "required"); ok {
					s.Require(x)
					mids.Put(s, "output", x.Spec)
				}
				if v, ok := others.Get(s, "side"); ok {
					outs.Put(s, "side", v)
				}
				return nil
			}))
		w.put(others, "side", "1")
		w.put(ins, "required", "x")
		w.must(w.e.Store().Commit(nil, func(tx *store.Tx) error { return tx.Hold(outs.Key("side"), "me") }))
		w.remove(others, "side")
		w.must(os.RemoveAll(dir))
		w.remove(ins, "required")
		// The end of one output must not let go what the other still needs.
		w.must(w.e.Store().Commit(nil, func(tx *store.Tx) error { tx.Release(outs.Key("side"), "me"); return nil }))
		synctest.Wait()
		w.is(mids, "output", "x")
		if s := w.status("r"); s.State != resource.StateFailed {
			w.Errorf("got %+v, want a failure", s)
		}
		held, err := w.b.get(ins.Key("required"))
		w.must(err)
		w.same("finalizers while the output lives", held.Finalizers, []string{"r"})
		w.must(os.Mkdir(dir, 0o700))
		time.Sleep(time.Minute)
		w.is(mids, "output", "-")
		r, err := w.b.get(ins.Key("required"))
		w.must(err)
		w.same("finalizers", len(r.Finalizers), 0)
	}},
	{name: "Persist/WhatWasPutBeforeTheDiskCameIsWritten", run: func(w *world) {
		dir := w.TempDir()
		w.put(ins, "a", "early")
		w.add(resource.Persist("disk", dir, ins))
		e := resource.New(resource.Options{})
		w.must(e.Add(resource.Persist("disk", dir, ins)))
		got, err := direct{e}.get(ins.Key("a"))
		w.must(err)
		w.same("text", got.Spec.Text, "early")
	}},
}
