package conformance

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing/synctest"
	"time"

	"github.com/ichor-os/ichor/resource"
	"github.com/ichor-os/ichor/resource/store"
)

var engineCases = []testCase{
	{name: "P01_ReadsAreInputs/GetListSelectorAndAbsence", run: func(w *world) {
		var get, list, selected, absent runs
		w.add(
			resource.Reconciler("get", func(_ context.Context, s *resource.Session) error {
				get.add()
				ins.Get(s, "a")
				return nil
			}),
			resource.Reconciler("list", func(_ context.Context, s *resource.Session) error {
				list.add()
				ins.List(s)
				return nil
			}),
			resource.Reconciler("selected", func(_ context.Context, s *resource.Session) error {
				selected.add()
				ins.List(s, resource.Label("on", "yes"))
				return nil
			}),
			resource.Reconciler("absent", func(_ context.Context, s *resource.Session) error {
				absent.add()
				if _, ok := ins.Get(s, "later"); ok {
					others.Get(s, "b")
				}
				return nil
			}),
		)
		count := func(what string, want [4]int) {
			w.Helper()
			w.same(what, [4]int{get.since(), list.since(), selected.since(), absent.since()}, want)
		}
		count("at the start", [4]int{1, 1, 1, 1})
		w.put(ins, "a", "1")
		count("a appears", [4]int{1, 1, 0, 0})
		w.put(ins, "a", "1")
		count("a with the same content", [4]int{0, 0, 0, 0})
		w.put(others, "b", "1")
		count("another kind", [4]int{0, 0, 0, 0})
		w.put(ins, "z", "1", "on", "no")
		count("a label that is not selected", [4]int{0, 1, 0, 0})
		w.put(ins, "z", "1", "on", "yes")
		count("a label that begins to match", [4]int{0, 1, 1, 0})
		w.put(ins, "z", "1", "on", "no")
		count("a label that ceases to match", [4]int{0, 1, 1, 0})
		w.put(ins, "later", "1")
		count("what was absent appears", [4]int{0, 1, 0, 1})
		w.put(others, "b", "2")
		count("what the last run read beyond it", [4]int{0, 0, 0, 1})
		w.remove(ins, "later")
		count("it goes: seen once, as absent", [4]int{0, 1, 0, 1})
		w.put(others, "b", "3")
		count("no longer read", [4]int{0, 0, 0, 0})
	}},
	{name: "P01_ReadsAreInputs/OldAndNewReadsCountAfterHoldAndError", run: func(w *world) {
		var n runs
		bad := resource.Hold("waiting")
		w.add(resource.Reconciler("r", func(_ context.Context, s *resource.Session) error {
			n.add()
			if mode, _ := ins.Get(s, "mode"); mode.Text == "bad" {
				others.Get(s, "new")
				return bad
			}
			others.Get(s, "old")
			return nil
		}))
		for what, err := range map[string]error{"hold": resource.Hold("waiting"), "error": errors.New("broken")} {
			w.put(ins, "mode", "good "+what)
			bad = err
			w.put(ins, "mode", "bad")
			n.since()
			for _, id := range []string{"old", "new"} {
				w.put(others, id, what)
				if got := n.since(); got != 1 {
					w.Errorf("after a %s, change of what the %s run read: %d runs, want 1", what, id, got)
				}
			}
		}
	}},
	{name: "P01_ReadsAreInputs/ChangeDuringARunCausesAnother", run: func(w *world) {
		var n runs
		w.put(ins, "a", "1")
		w.add(resource.Reconciler("r", func(_ context.Context, s *resource.Session) error {
			if n.add() == 1 {
				// Before the run reads a, but after its snapshot.
				err := w.e.Commit(w.Context(), "meanwhile", func(s *resource.Session) error {
					others.Put(s, "b", textSpec{Text: "2"})
					return nil
				})
				if err != nil {
					return err
				}
			}
			v, _ := others.Get(s, "b")
			outs.Put(s, "x", textSpec{Text: "saw " + v.Text})
			return nil
		}))
		w.is(outs, "x", "saw 2")
		w.same("runs", n.since(), 2)
	}},
	{name: "P02_OutputsAreCollectedOnlyAfterAGoodRun", run: func(w *world) {
		w.add(resource.Reconciler("r", func(_ context.Context, s *resource.Session) error {
			in, ok := ins.Get(s, "a")
			switch {
			case !ok:
				return nil
			case in.Text == "hold":
				return resource.Hold("not yet")
			case in.Text == "fail":
				return errors.New("broken")
			}
			for _, id := range strings.Fields(in.Text) {
				outs.Put(s, id, textSpec{Text: "from a"})
			}
			return nil
		}))
		w.put(ins, "a", "x y")
		w.put(ins, "a", "hold")
		w.is(outs, "y", "from a")
		w.state("r", resource.StateHold, "not yet")
		w.put(ins, "a", "fail")
		w.is(outs, "y", "from a")
		w.state("r", resource.StateFailed, "broken")
		w.put(ins, "a", "x")
		w.is(outs, "x", "from a")
		w.is(outs, "y", "-")
		w.state("r", resource.StateOK, "")
		w.remove(ins, "a")
		w.is(outs, "x", "-")
	}},
	{name: "P02_OutputsAreCollected/TornDownWhileAFinalizerHoldsThem", run: func(w *world) {
		w.add(resource.ForEach("r", ins, copyTo(outs, "!")))
		w.put(ins, "a", "x")
		w.must(w.e.Store().Commit(nil, func(tx *store.Tx) error { return tx.Hold(outs.Key("a"), "me") }))
		synctest.Wait()
		w.remove(ins, "a")
		w.is(outs, "a", "x! tearingDown")
		w.must(w.e.Store().Commit(nil, func(tx *store.Tx) error { tx.Release(outs.Key("a"), "me"); return nil }))
		synctest.Wait()
		w.is(outs, "a", "-")
	}},
	{name: "P03_OneWriterPerKey", run: func(w *world) {
		put := func(name, gate string) resource.Block {
			return resource.Reconciler(name, func(_ context.Context, s *resource.Session) error {
				if _, ok := ins.Get(s, gate); ok {
					outs.Put(s, "key", textSpec{Text: "by " + name})
					outs.Put(s, "other-"+name, textSpec{})
				}
				return nil
			})
		}
		w.add(put("one", "a"), put("two", "b"))
		w.put(ins, "a", "")
		w.put(ins, "b", "")
		w.is(outs, "key", "by one")
		w.is(outs, "other-two", "-") // all or nothing
		said := w.diagnostics("conflict")
		if len(said) == 0 || !strings.Contains(said[0].Message, `"one"`) || !strings.Contains(said[0].Message, `"two"`) {
			w.Errorf("conflict: got %+v, want one that names both", said)
		}
		w.remove(ins, "a")
		w.is(outs, "key", "by two") // at once: the key is an input of the loser

		w.put(outs, "mine", "by a client")
		err := w.e.Commit(w.Context(), "someone", func(s *resource.Session) error {
			outs.Put(s, "mine", textSpec{})
			return nil
		})
		if !errors.Is(err, store.ErrOwner) {
			w.Errorf("write what a client has: got %v, want %v", err, store.ErrOwner)
		}
		cur, err := w.b.get(outs.Key("key"))
		w.must(err)
		w.same("owner", cur.Owner, "two")
		if _, err := w.b.update(cur, nil); !errors.Is(err, store.ErrOwner) {
			w.Errorf("client writes what a reconciler has: got %v, want %v", err, store.ErrOwner)
		}
		if _, err := w.b.teardown(outs.Key("key")); !errors.Is(err, store.ErrOwner) {
			w.Errorf("client tears down what a reconciler has: got %v, want %v", err, store.ErrOwner)
		}
		if err := w.b.destroy(outs.Key("key")); !errors.Is(err, store.ErrOwner) {
			w.Errorf("client destroys what a reconciler has: got %v, want %v", err, store.ErrOwner)
		}
	}},
	{name: "P03_OneWriterPerKey/KeysOfOneBlockAreTwoWriters", run: func(w *world) {
		w.add(resource.ForEach("each", ins, func(_ context.Context, s *resource.Session, r resource.Resource[textSpec]) error {
			outs.Put(s, "same", textSpec{Text: r.ID})
			return nil
		}))
		w.put(ins, "a", "")
		w.put(ins, "b", "")
		w.is(outs, "same", "a")
		if s := w.status("each[b]"); s.State != resource.StateFailed || !strings.Contains(s.Reason, "each[a]") {
			w.Errorf("got %+v, want a failure that names each[a]", s)
		}
		w.remove(ins, "a")
		w.is(outs, "same", "b")
	}},
	{name: "P04_AtomicView", run: func(w *world) {
		var torn atomic.Int32
		w.add(
			resource.Reconciler("pair", func(_ context.Context, s *resource.Session) error {
				v, _ := ins.Get(s, "a")
				mids.Put(s, "left", v)
				mids.Put(s, "right", v)
				return nil
			}),
			resource.Reconciler("reader", func(_ context.Context, s *resource.Session) error {
				l, _ := mids.Get(s, "left")
				for range 3 {
					r, _ := mids.Get(s, "right")
					if l.Text != r.Text {
						torn.Add(1)
					}
				}
				return nil
			}),
		)
		go func() {
			for range 200 {
				s := w.e.Store().Snapshot()
				l, r := s.Get(mids.Key("left")), s.Get(mids.Key("right"))
				if l != nil && r != nil && l.Spec.(*textSpec).Text != r.Spec.(*textSpec).Text {
					torn.Add(1)
				}
			}
		}()
		for i := range 100 {
			w.put(ins, "a", fmt.Sprint(i))
		}
		w.same("torn views", torn.Load(), int32(0))
	}},
	{name: "P04_AtomicView/NothingOfAFailedRunIsSeen", run: func(w *world) {
		w.add(resource.Reconciler("r", func(_ context.Context, s *resource.Session) error {
			outs.Put(s, "x", textSpec{Text: "half"})
			if _, ok := ins.Get(s, "go"); !ok {
				return errors.New("broken")
			}
			return nil
		}))
		w.is(outs, "x", "-")
		w.put(ins, "go", "")
		w.is(outs, "x", "half")
	}},
	{name: "P05_TearingDown/GetTreatsItAsAbsentAndPutWaits", run: func(w *world) {
		w.add(resource.ForEach("r", ins, copyTo(outs, "")))
		w.put(ins, "a", "1")
		w.must(w.e.Store().Commit(nil, func(tx *store.Tx) error { return tx.Hold(outs.Key("a"), "me") }))
		w.remove(ins, "a")
		w.is(outs, "a", "1 tearingDown")
		w.view(func(s *resource.Session) {
			if _, ok := outs.Get(s, "a"); ok {
				w.Error("Get shows a resource in tearingDown")
			}
			w.same("List", len(outs.List(s)), 0)
		})
		w.put(ins, "a", "2")
		w.is(outs, "a", "1 tearingDown")
		if s := w.status("r[a]"); s.State != resource.StateHold || !strings.Contains(s.Reason, outs.Key("a").String()) {
			w.Errorf("status: got %+v, want a hold that names the key", s)
		}
		w.must(w.e.Store().Commit(nil, func(tx *store.Tx) error { tx.Release(outs.Key("a"), "me"); return nil }))
		synctest.Wait()
		w.is(outs, "a", "2")
		r, err := w.b.get(outs.Key("a"))
		w.must(err)
		w.same("version", r.Version.String(), "1")
		w.state("r[a]", resource.StateOK, "")
	}},
	{name: "P05_TearingDown/RequireGivesReverseOrder", run: func(w *world) {
		watch := w.watch(store.WatchRequest{Type: mids.Definition().Type, Namespace: "mid"})
		above := w.watch(store.WatchRequest{Type: outs.Definition().Type, Namespace: "out"})
		w.add(
			resource.ForEach("low", ins, copyTo(mids, "")),
			resource.ForEach("high", mids, func(_ context.Context, s *resource.Session, r resource.Resource[textSpec]) error {
				s.Require(r)
				outs.Put(s, r.ID, r.Spec)
				return nil
			}),
		)
		w.put(ins, "a", "x")
		mid, err := w.b.get(mids.Key("a"))
		w.must(err)
		w.same("finalizers", mid.Finalizers, []string{"high[a]"})
		w.must(w.e.Store().Commit(nil, func(tx *store.Tx) error { return tx.Hold(outs.Key("a"), "me") }))
		w.remove(ins, "a")
		w.is(mids, "a", "x tearingDown") // lives while outs/a does
		w.is(outs, "a", "x tearingDown")
		w.must(w.e.Store().Commit(nil, func(tx *store.Tx) error { tx.Release(outs.Key("a"), "me"); return nil }))
		synctest.Wait()
		w.is(outs, "a", "-")
		w.is(mids, "a", "-")
		for _, events := range [][]event{watch.take(4), above.take(4)} {
			w.same("last event", events[3].Type, store.Destroyed)
		}
		w.same("units left", w.e.Counters().Units, 0)
	}},
	{name: "P05_TearingDown/RequireOfALeavingResourceRunsAnew", run: func(w *world) {
		var n runs
		w.add(resource.Reconciler("r", func(_ context.Context, s *resource.Session) error {
			x, ok := ins.Resource(s, "a")
			if !ok {
				return nil
			}
			if n.add() == 1 {
				w.must(w.e.Store().Commit(nil, func(tx *store.Tx) error { return tx.Destroy(x.Key, "") }))
			}
			s.Require(x)
			outs.Put(s, "x", x.Spec)
			return nil
		}))
		w.put(ins, "a", "1")
		w.is(outs, "x", "-")
		w.put(ins, "a", "2")
		w.is(outs, "x", "2")
	}},
	{name: "P06_Quiescence/SystemComesToRest", run: func(w *world) {
		w.add(
			resource.ForEach("one", ins, copyTo(mids, "1")),
			resource.ForEach("two", mids, copyTo(outs, "2")),
			resource.Reconciler("self", func(_ context.Context, s *resource.Session) error {
				v, _ := others.Get(s, "count")
				if len(v.Text) < 3 {
					v.Text += "x"
				}
				others.Put(s, "count", v)
				return nil
			}),
		)
		w.put(ins, "a", "x")
		w.is(outs, "a", "x12")
		w.is(others, "count", "xxx")
		before := w.e.Counters()
		time.Sleep(24 * time.Hour)
		after := w.e.Counters()
		w.same("runs in a quiet day", after.Runs-before.Runs, uint64(0))
		w.same("loops", len(w.diagnostics("loop")), 0)
		w.must(w.e.Settled(w.Context()))
	}},
	{name: "P06_Quiescence/LoopIsNamedAndSlowedDown", run: func(w *world) {
		w.add(
			resource.Reconciler("ping", func(_ context.Context, s *resource.Session) error {
				v, _ := outs.Get(s, "pong")
				if len(v.Text) > 1<<10 {
					v.Text = ""
				}
				mids.Put(s, "ping", textSpec{Text: v.Text + "."})
				return nil
			}),
			resource.Reconciler("pong", func(_ context.Context, s *resource.Session) error {
				v, _ := mids.Get(s, "ping")
				outs.Put(s, "pong", textSpec{Text: v.Text + "."})
				return nil
			}),
		)
		said := w.diagnostics("loop")
		if len(said) == 0 || !strings.Contains(said[0].Message, "ping") || !strings.Contains(said[0].Message, "pong") {
			w.Fatalf("got %+v, want a loop that names both", said)
		}
		time.Sleep(10 * time.Minute)
		before := w.e.Counters().Runs
		time.Sleep(10 * time.Minute)
		if n := w.e.Counters().Runs - before; n == 0 || n > 50 {
			w.Errorf("%d runs in ten minutes, want a few", n)
		}
		w.same("loops are counted", w.e.Counters().Loops > 0, true)
	}},
	{name: "P07_Isolation/PanicStopsOnlyThatOne", run: func(w *world) {
		var n runs
		w.add(
			resource.ForEach("each", ins, func(_ context.Context, s *resource.Session, r resource.Resource[textSpec]) error {
				if r.Spec.Text == "panic" {
					n.add()
					panic("boom")
				}
				outs.Put(s, r.ID, r.Spec)
				return nil
			}),
		)
		w.put(ins, "bad", "panic")
		w.put(ins, "good", "1")
		w.is(outs, "good", "1")
		time.Sleep(time.Hour)
		if got := n.since(); got < 10 || got > 80 {
			w.Errorf("%d runs of the panicking one in an hour, want a growing back-off up to a minute", got)
		}
		said := w.diagnostics("panic")
		if len(said) == 0 || said[0].Name != "each[bad]" || !strings.Contains(said[0].Message, "boom") || !strings.Contains(said[0].Stack, "conformance") {
			w.Errorf("got %+v, want the panic of each[bad] with its stack", said)
		}
		w.put(ins, "bad", "2")
		time.Sleep(time.Minute)
		w.is(outs, "bad", "2")
	}},
	{name: "P07_Isolation/DiagnosticsMayBecomeResources", run: func(w *world) {
		w.heard = func(d resource.Diagnostic) {
			w.must(w.e.Commit(w.Context(), "diagnostics", func(s *resource.Session) error {
				outs.Put(s, "told", textSpec{Text: d.Name + ": " + d.Kind, List: []string{fmt.Sprint(len(w.e.Status()))}})
				return nil
			}))
		}
		w.add(resource.Reconciler("r", func(context.Context, *resource.Session) error { panic("boom") }))
		w.is(outs, "told", "r: panic")
	}},
	{name: "P07_Isolation/HangIsReportedAndTakesNoSlot", opts: resource.Options{Parallel: 1}, run: func(w *world) {
		release := make(chan struct{})
		w.add(resource.ForEach("each", ins, func(_ context.Context, s *resource.Session, r resource.Resource[textSpec]) error {
			if r.Spec.Text == "hang" {
				<-release
			}
			outs.Put(s, r.ID, r.Spec)
			return nil
		}))
		w.put(ins, "bad", "hang")
		w.put(ins, "good", "1")
		w.is(outs, "good", "-") // the only slot is taken
		time.Sleep(6 * time.Second)
		w.is(outs, "good", "1")
		said := w.diagnostics("hang")
		if len(said) != 1 || said[0].Name != "each[bad]" || !strings.Contains(said[0].Stack, "engine_test.go") {
			w.Errorf("got %+v, want the hang of each[bad] with its stack", said)
		}
		close(release)
		synctest.Wait()
		w.is(outs, "bad", "hang")
		w.put(ins, "more", "2")
		w.is(outs, "more", "2")
	}},
	{name: "P08_Order/WatchersSeeEveryChangeInOrder", run: func(w *world) {
		watch := w.watch(store.WatchRequest{Type: outs.Definition().Type, Namespace: "out"})
		w.add(resource.ForEach("r", ins, copyTo(outs, "")))
		const n = 300
		for i := range n {
			w.put(ins, "a", name("", i))
		}
		last := ""
		for _, e := range watch.take(n) {
			if e.Old != last {
				w.Fatalf("event after %q says that %q became %q", last, e.Old, e.Text)
			}
			last = e.Text
		}
		w.same("last", last, name("", n-1))
	}},
	{name: "P08_Order/SlowWatcherGetsAnErrorAndResyncs", opts: resource.Options{Store: store.Options{WatchBuffer: 10}}, run: func(w *world) {
		req := store.WatchRequest{Type: ins.Definition().Type, Namespace: "in"}
		slow := w.watch(req)
		pad := strings.Repeat("x", 16<<10) // fills what the transport holds
		for i := range 60 {
			w.put(ins, "a", pad+name("", i)) // never blocks
		}
		ctx, cancel := context.WithTimeout(w.Context(), time.Minute)
		defer cancel()
		var err error
		for err == nil {
			_, err = slow.watcher.next(ctx)
		}
		if !errors.Is(err, store.ErrSlow) {
			w.Fatalf("got %v, want %v", err, store.ErrSlow)
		}
		req.Bootstrap = true
		again := w.watch(req).take(2)
		w.same("resynced", again[0].Text, pad+name("", 59))
		w.same("counted", w.e.Counters().SlowWatchers, uint64(1))
	}},
	{name: "P09_WakeUps/SignalDuringARunCausesAnother", run: func(w *world) {
		var sig resource.Signal
		var n runs
		w.add(resource.Reconciler("r", func(_ context.Context, s *resource.Session) error {
			if n.add() == 1 {
				sig.Notify()
			}
			s.WakeOn(&sig)
			return nil
		}))
		w.same("runs at the start", n.since(), 2)
		sig.Notify()
		sig.Notify()
		synctest.Wait()
		if got := n.since(); got < 1 || got > 2 {
			w.Errorf("%d runs after two signals, want one or two", got)
		}
	}},
	{name: "P09_WakeUps/TimersBelongToTheirRun", run: func(w *world) {
		var n runs
		w.add(resource.Reconciler("r", func(_ context.Context, s *resource.Session) error {
			n.add()
			if v, ok := ins.Get(s, "every"); ok {
				d, err := time.ParseDuration(v.Text)
				if err != nil {
					return err
				}
				s.WakeAfter(d)
			}
			outs.Put(s, "now", textSpec{Text: s.Now().UTC().Format(time.TimeOnly)})
			return nil
		}))
		w.put(ins, "every", "1m")
		n.since()
		time.Sleep(10*time.Minute + time.Second)
		w.same("runs in ten minutes", n.since(), 10)
		w.is(outs, "now", "00:10:00")
		w.put(ins, "every", "1h") // the minute of the run before is forgotten
		n.since()
		time.Sleep(30 * time.Minute)
		w.same("runs in half an hour", n.since(), 0)
		w.remove(ins, "every")
		n.since()
		time.Sleep(3 * time.Hour)
		w.same("runs without a timer", n.since(), 0)
	}},
	{name: "P10_Shutdown/WaitsForRuns", run: func(w *world) {
		var ended atomic.Bool
		w.add(resource.ForEach("r", ins, func(ctx context.Context, _ *resource.Session, _ resource.Resource[textSpec]) error {
			<-ctx.Done()
			time.Sleep(time.Second)
			ended.Store(true)
			return nil
		}))
		w.put(ins, "a", "")
		w.must(w.stop())
		w.same("run ended", ended.Load(), true)
	}},
	{name: "P10_Shutdown/IsBoundedAndNamesWhatHangs", run: func(w *world) {
		release := make(chan struct{})
		w.add(resource.ForEach("r", ins, func(context.Context, *resource.Session, resource.Resource[textSpec]) error {
			<-release
			return nil
		}))
		w.put(ins, "a", "")
		began := time.Now()
		err := w.stop()
		if err == nil || !strings.Contains(err.Error(), "r[a]") {
			w.Errorf("got %v, want an error that names r[a]", err)
		}
		w.same("took", time.Since(began), 10*time.Second)
		close(release)
	}},
	{name: "P10_Shutdown/TearsDownNoMirror", run: func(w *world) {
		outside := newOutside()
		w.add(outside.mirror("m"))
		w.put(ins, "a", "1")
		w.must(w.stop())
		w.same("outside", outside.has(), map[string]string{"a": "1"})
	}},
	{name: "P11_Cost/ChangeWakesItsDependantsOnly", run: func(w *world) {
		const n = 200
		w.add(resource.ForEach("r", ins, copyTo(outs, "")))
		for i := range n {
			w.put(ins, name("k", i), "1")
		}
		before := w.e.Counters()
		w.put(ins, name("k", 7), "2")
		after := w.e.Counters()
		w.same("runs", after.Runs-before.Runs, uint64(1))
		w.same("changes", after.Changes-before.Changes, uint64(2))
	}},
	{name: "P11_Cost/SpecsAreImmutableOncePut", run: func(w *world) {
		shared := []string{"a"}
		w.add(
			resource.Reconciler("writer", func(_ context.Context, s *resource.Session) error {
				mids.Put(s, "x", textSpec{List: shared})
				shared[0] = "changed by the writer"
				return nil
			}),
			resource.Reconciler("culprit", func(_ context.Context, s *resource.Session) error {
				if v, ok := mids.Get(s, "x"); ok {
					v.List[0] = "changed by a reader"
					outs.Put(s, "x", v)
				}
				return nil
			}),
		)
		w.view(func(s *resource.Session) {
			v, _ := mids.Get(s, "x")
			w.same("spec", v.List, []string{"a"})
		})
		said := w.diagnostics("mutation")
		if len(said) == 0 || said[0].Name != "culprit" || !strings.Contains(said[0].Message, mids.Key("x").String()) {
			w.Errorf("got %+v, want a mutation by culprit", said)
		}
		w.is(outs, "x", "-")
	}},
	{name: "P12_NamesAreOwners", run: func(w *world) {
		w.add(resource.ForEach("a-constant-name", ins, copyTo(outs, "")))
		w.put(ins, "a", "")
		r, err := w.b.get(outs.Key("a"))
		w.must(err)
		w.same("owner", r.Owner, "a-constant-name")
		nop := func(context.Context, *resource.Session) error { return nil }
		for _, bad := range []string{"a-constant-name", "", "with[brackets]"} {
			if err := w.e.Add(resource.Reconciler(bad, nop)); err == nil {
				w.Errorf("name %q: got no error", bad)
			}
		}
		err = w.e.Commit(w.Context(), "a-constant-name", func(*resource.Session) error { return nil })
		if err == nil {
			w.Error("commit in a block's name: got no error")
		}
	}},
}
