package resource_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ichor-os/ichor/resource"
)

type textSpec struct {
	Text  string   `yaml:"text" protobuf:"1"`
	Count int      `yaml:"count" protobuf:"2"`
	List  []string `yaml:"list,omitempty" protobuf:"3"`
}

var (
	ins  = resource.Define[textSpec]("Inputs.test.ichor.dev", resource.Namespace("in"))
	mids = resource.Define[textSpec]("Middles.test.ichor.dev", resource.Namespace("mid"))
	outs = resource.Define[textSpec]("Outputs.test.ichor.dev", resource.Namespace("out"))
)

// world is an engine under test in a synctest bubble.
type world struct {
	*testing.T
	e    *resource.Engine
	said chan resource.Diagnostic
	stop func() error
}

// start makes an engine with the blocks and runs it until the test ends.
func start(t *testing.T, opts resource.Options, blocks ...resource.Block) *world {
	t.Helper()
	w := &world{T: t}
	w.said = make(chan resource.Diagnostic, 1000)
	opts.CheckSpecs = true
	opts.Diagnose = func(d resource.Diagnostic) {
		select {
		case w.said <- d:
		default:
		}
	}
	w.e = resource.New(opts)
	if err := w.e.Register(ins, mids, outs); err != nil {
		t.Fatal(err)
	}
	if err := w.e.Add(blocks...); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- w.e.Run(ctx) }()
	stopped := false
	w.stop = func() error { stopped = true; cancel(); return <-done }
	t.Cleanup(func() {
		if !stopped {
			if err := w.stop(); err != nil {
				t.Error(err)
			}
		}
	})
	synctest.Wait()
	return w
}

// do commits what fn puts as an outside writer, and waits until all is at rest.
func (w *world) do(fn func(s *resource.Session)) {
	w.Helper()
	if err := w.e.Commit(w.Context(), "outside", func(s *resource.Session) error { fn(s); return nil }); err != nil {
		w.Fatal(err)
	}
	synctest.Wait()
}

func (w *world) put(id, text string) {
	w.Helper()
	w.do(func(s *resource.Session) { ins.Put(s, id, textSpec{Text: text}) })
}

func (w *world) remove(id string) {
	w.Helper()
	w.do(func(s *resource.Session) { ins.Delete(s, id) })
}

// text gives the text of a resource, or - when it is absent.
func (w *world) text(k *resource.Kind[textSpec], id string) string {
	w.Helper()
	got := "-"
	err := w.e.View(w.Context(), func(s *resource.Session) error {
		if v, ok := k.Get(s, id); ok {
			got = v.Text
		}
		return nil
	})
	if err != nil {
		w.Fatal(err)
	}
	return got
}

func TestSmoke_DerivesCollectsAndRests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := start(t, resource.Options{}, resource.ForEach("copy", ins, func(_ context.Context, s *resource.Session, r resource.Resource[textSpec]) error {
			outs.Put(s, r.ID, textSpec{Text: r.Spec.Text + "!"})
			return nil
		}))
		w.put("a", "x")
		if got := w.text(outs, "a"); got != "x!" {
			t.Fatalf("got %q", got)
		}
		w.remove("a")
		if got := w.text(outs, "a"); got != "-" {
			t.Fatalf("got %q", got)
		}
		time.Sleep(time.Hour)
		t.Logf("%+v", w.e.Counters())
	})
}
