package conformance

import (
	"context"
	"errors"
	"regexp"
	"testing/synctest"
	"time"

	"github.com/ichor-os/ichor/resource"
	"github.com/ichor-os/ichor/resource/store"
)

var storeCases = []testCase{
	{name: "S01_VersionsCountFromOneAndTimesMove", run: func(w *world) {
		made, err := w.b.create(seen{Metadata: store.Metadata{Key: ins.Key("a")}, Spec: textSpec{Text: "x"}})
		w.must(err)
		w.same("version", made.Version.String(), "1")
		time.Sleep(time.Minute)
		made.Spec.Text = "y"
		next, err := w.b.update(made, nil)
		w.must(err)
		w.same("version", next.Version.String(), "2")
		w.same("created", next.Created.Equal(made.Created), true)
		w.same("updated later by", next.Updated.Sub(made.Updated), time.Minute)
		again, err := w.b.update(next, nil)
		w.must(err)
		w.same("version after the same content", again.Version.String(), "2")
	}},
	{name: "S02_ErrorsSayWhatIsWrong", run: func(w *world) {
		running, tearing := store.Running, store.TearingDown
		w.put(ins, "a", "x")
		have, err := w.b.get(ins.Key("a"))
		w.must(err)
		old := have
		old.Version = 7
		resource := func(id string) seen { return seen{Metadata: store.Metadata{Key: ins.Key(id)}} }
		held := resource("held")
		held.Finalizers = []string{"me"}
		_, err = w.b.create(held)
		w.must(err)
		for what, c := range map[string]struct {
			err  error
			want error
		}{
			"get of nothing":       {second(w.b.get(ins.Key("no"))), store.ErrNotFound},
			"create twice":         {second(w.b.create(resource("a"))), store.ErrExists},
			"update of nothing":    {second(w.b.update(resource("no"), nil)), store.ErrNotFound},
			"update of an old":     {second(w.b.update(old, nil)), store.ErrConflict},
			"update in a phase":    {second(w.b.update(have, &tearing)), store.ErrPhase},
			"update in its phase":  {second(w.b.update(have, &running)), nil},
			"destroy of nothing":   {w.b.destroy(ins.Key("no")), store.ErrNotFound},
			"destroy of a held":    {w.b.destroy(ins.Key("held")), store.ErrConflict},
			"tear down of nothing": {second(w.b.teardown(ins.Key("no"))), store.ErrNotFound},
		} {
			if !errors.Is(c.err, c.want) {
				w.Errorf("%s: got %v, want %v", what, c.err, c.want)
			}
		}
	}},
	{name: "S03_QueriesByLabelAndID", run: func(w *world) {
		w.put(ins, "a1", "", "tier", "db", "n", "9")
		w.put(ins, "a2", "", "tier", "web", "n", "10")
		w.put(ins, "b1", "")
		term := func(op store.Op, key string, invert bool, values ...string) store.Query {
			return store.Query{Labels: []store.LabelQuery{{{Key: key, Op: op, Values: values, Invert: invert}}}}
		}
		for what, c := range map[string]struct {
			q    store.Query
			want []string
		}{
			"all":            {store.Query{}, []string{"a1", "a2", "b1"}},
			"exists":         {term(store.Exists, "tier", false), []string{"a1", "a2"}},
			"not exists":     {term(store.NotExists, "tier", false), []string{"b1"}},
			"exists, not":    {term(store.Exists, "tier", true), []string{"b1"}},
			"equal":          {term(store.Equal, "tier", false, "db"), []string{"a1"}},
			"equal, not":     {term(store.Equal, "tier", true, "db"), []string{"a2", "b1"}},
			"in":             {term(store.In, "tier", false, "db", "web"), []string{"a1", "a2"}},
			"less as text":   {term(store.Less, "n", false, "9"), []string{"a2"}},
			"less":           {term(store.LessNumeric, "n", false, "10"), []string{"a1"}},
			"less or equal":  {term(store.LessOrEqualNumeric, "n", false, "10"), []string{"a1", "a2"}},
			"up to, as text": {term(store.LessOrEqual, "n", false, "10"), []string{"a2"}},
			"id":             {store.Query{ID: regexp.MustCompile("1$")}, []string{"a1", "b1"}},
			"one of queries": {store.Query{Labels: []store.LabelQuery{
				{{Key: "tier", Op: store.Equal, Values: []string{"db"}}},
				{{Key: "tier", Op: store.Equal, Values: []string{"web"}}},
			}}, []string{"a1", "a2"}},
		} {
			got, err := w.b.list(ins.Definition().Type, "in", c.q)
			w.must(err)
			w.same(what, ids(got), c.want)
		}
	}},
	{name: "S04_WatchBootstrapsThenFollows", run: func(w *world) {
		w.put(ins, "a", "1")
		w.put(ins, "b", "1")
		watch := w.watch(store.WatchRequest{Type: ins.Definition().Type, Namespace: "in", Bootstrap: true})
		w.put(ins, "a", "2")
		w.remove(ins, "b")
		w.same("events", watch.take(6), []event{
			{Type: store.Created, ID: "a", Text: "1"},
			{Type: store.Created, ID: "b", Text: "1"},
			{Type: store.Bootstrapped},
			{Type: store.Updated, ID: "a", Text: "2", Old: "1"},
			{Type: store.Updated, ID: "b", Text: "1", Old: "1", Phase: store.TearingDown},
			{Type: store.Destroyed, ID: "b", Text: "1", Phase: store.TearingDown},
		})
	}},
	{name: "S05_WatchOfOneBeginsWithItsState", run: func(w *world) {
		req := store.WatchRequest{Type: ins.Definition().Type, Namespace: "in", ID: "a"}
		watch := w.watch(req)
		w.put(ins, "b", "other")
		w.put(ins, "a", "1")
		w.same("absent at first", watch.take(2), []event{
			{Type: store.Destroyed, ID: "a"}, {Type: store.Created, ID: "a", Text: "1"},
		})
		w.same("present", w.watch(req).take(1), []event{{Type: store.Created, ID: "a", Text: "1"}})
	}},
	{name: "S06_WatchByQueryCreatesAndDestroysAtItsEdge", run: func(w *world) {
		watch := w.watch(store.WatchRequest{Type: ins.Definition().Type, Namespace: "in", Query: store.Query{
			Labels: []store.LabelQuery{{{Key: "on", Op: store.Exists}}},
		}})
		w.put(ins, "a", "1")
		w.put(ins, "a", "2", "on", "")
		w.put(ins, "a", "3", "on", "")
		w.put(ins, "a", "4")
		w.put(ins, "a", "5")
		w.put(ins, "z", "end", "on", "")
		w.same("events", watch.take(4), []event{
			{Type: store.Created, ID: "a", Text: "2"},
			{Type: store.Updated, ID: "a", Text: "3", Old: "2"},
			{Type: store.Destroyed, ID: "a", Text: "4"},
			{Type: store.Created, ID: "z", Text: "end"},
		})
	}},
	{name: "S07_BookmarksResumeWithoutLossOrRepeat", run: func(w *world) {
		req := store.WatchRequest{Type: ins.Definition().Type, Namespace: "in", BootstrapBookmark: true}
		watch := w.watch(req)
		w.put(ins, "a", "1")
		w.put(ins, "a", "2")
		events := watch.raw(3)
		w.same("first", events[0].Type, store.Noop)
		w.put(ins, "a", "3")
		for i, want := range []string{"1", "2", "3"} {
			req := store.WatchRequest{Type: req.Type, Namespace: "in", From: events[i].Bookmark}
			w.same("after event", w.watch(req).take(1)[0].Text, want)
		}
		_, err := w.b.watch(store.WatchRequest{Type: req.Type, Namespace: "in", From: []byte("0123456789abcdef")})
		if !errors.Is(err, store.ErrBookmark) && !errors.Is(err, store.ErrConflict) {
			w.Errorf("foreign bookmark: got %v, want a refusal", err)
		}
	}},
	{name: "S08_BookmarkTooOldIsRefused", opts: resource.Options{Store: store.Options{History: 4}}, run: func(w *world) {
		req := store.WatchRequest{Type: ins.Definition().Type, Namespace: "in", BootstrapBookmark: true}
		mark := w.watch(req).raw(1)[0].Bookmark
		for i := range 5 {
			w.put(ins, name("a", i), "")
		}
		_, err := w.b.watch(store.WatchRequest{Type: req.Type, Namespace: "in", From: mark})
		if !errors.Is(err, store.ErrBookmark) && !errors.Is(err, store.ErrConflict) {
			w.Errorf("got %v, want a refusal", err)
		}
	}},
	{name: "S09_TailGivesTheLastEvents", run: func(w *world) {
		for i := range 5 {
			w.put(ins, "a", name("", i))
		}
		got := w.watch(store.WatchRequest{Type: ins.Definition().Type, Namespace: "in", Tail: 2}).take(2)
		w.same("events", got, []event{
			{Type: store.Updated, ID: "a", Text: "003", Old: "002"},
			{Type: store.Updated, ID: "a", Text: "004", Old: "003"},
		})
	}},
	{name: "S10_TeardownAndDestroyWaitsForFinalizers", run: func(w *world) {
		held := seen{Metadata: store.Metadata{Key: ins.Key("a"), Finalizers: []string{"me"}}}
		_, err := w.b.create(held)
		w.must(err)
		done := make(chan error, 1)
		go func() { done <- w.b.teardownAndDestroy(w.Context(), ins.Key("a")) }()
		synctest.Wait()
		w.is(ins, "a", " tearingDown")
		cur, err := w.b.get(ins.Key("a"))
		w.must(err)
		cur.Finalizers = nil
		_, err = w.b.update(cur, nil)
		w.must(err)
		w.must(<-done)
		w.is(ins, "a", "-")

		_, err = w.b.create(held)
		w.must(err)
		ctx, cancel := context.WithTimeout(w.Context(), time.Second)
		defer cancel()
		if err := w.b.teardownAndDestroy(ctx, ins.Key("a")); !errors.Is(err, context.DeadlineExceeded) {
			w.Errorf("held for ever: got %v, want the deadline", err)
		}
	}},
	{name: "S11_KindsAndNamespacesAreResources", run: func(w *world) {
		got, err := w.b.get(resource.Definitions.Key("inputs.test.ichor.dev"))
		w.must(err)
		w.same("owner", got.Owner, "registry")
		_, err = w.b.get(resource.Namespaces.Key("in"))
		w.must(err)
		w.view(func(s *resource.Session) {
			d, _ := resource.Definitions.Get(s, "resourcedefinitions.meta.cosi.dev")
			w.same("definition of definitions", d, resource.DefinitionSpec{
				Type: "ResourceDefinitions.meta.cosi.dev", DisplayType: "ResourceDefinition", DefaultNamespace: "meta",
				Aliases: []string{"api-resources"}, AllAliases: []string{"api-resources", "resourcedefinition", "rd", "rds"},
				PrintColumns: []resource.PrintColumn{{Name: "Aliases", JSONPath: "{.aliases[:]}"}},
			})
		})
	}},
	{name: "S12_TearingDownIsFinal", run: func(w *world) {
		_, err := w.b.create(seen{Metadata: store.Metadata{Key: ins.Key("a"), Finalizers: []string{"me"}}})
		w.must(err)
		_, err = w.b.teardown(ins.Key("a"))
		w.must(err)
		cur, err := w.b.get(ins.Key("a"))
		w.must(err)
		cur.Phase = store.Running
		if _, err := w.b.update(cur, nil); !errors.Is(err, store.ErrPhase) {
			w.Errorf("back to running: got %v, want %v", err, store.ErrPhase)
		}
	}},
}

func second[T any](_ T, err error) error { return err }

// watching is a watch of a test.
type watching struct {
	w       *world
	watcher watcher
	rest    []event
}

func (w *world) watch(req store.WatchRequest) *watching {
	w.Helper()
	watcher, err := w.b.watch(req)
	w.must(err)
	w.Cleanup(watcher.close)
	synctest.Wait()
	return &watching{w: w, watcher: watcher}
}

// raw takes n events.
func (g *watching) raw(n int) []event {
	g.w.Helper()
	ctx, cancel := context.WithTimeout(g.w.Context(), time.Minute)
	defer cancel()
	for len(g.rest) < n {
		more, err := g.watcher.next(ctx)
		if err != nil {
			g.w.Fatalf("watch after %d of %d events: %v", len(g.rest), n, err)
		}
		g.rest = append(g.rest, more...)
	}
	out := g.rest[:n]
	g.rest = g.rest[n:]
	return out
}

// take is raw without the bookmarks.
func (g *watching) take(n int) []event {
	g.w.Helper()
	out := []event{}
	for _, e := range g.raw(n) {
		if len(e.Bookmark) == 0 {
			g.w.Errorf("event %+v has no bookmark", e)
		}
		e.Bookmark = nil
		out = append(out, e)
	}
	return out
}
