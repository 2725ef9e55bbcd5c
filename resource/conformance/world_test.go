package conformance

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/ichor-os/ichor/resource"
	"github.com/ichor-os/ichor/resource/codec"
	"github.com/ichor-os/ichor/resource/store"
)

type textSpec struct {
	Text string   `yaml:"text" protobuf:"1"`
	List []string `yaml:"list,omitempty" protobuf:"2"`
}

var textCodec = func() *codec.Codec[textSpec] {
	c, err := codec.New[textSpec]()
	if err != nil {
		panic(err)
	}
	return c
}()

// The kinds of the suite: clients write ins and others, reconcilers the rest.
var (
	ins    = resource.Define[textSpec]("Inputs.test.ichor.dev", resource.Namespace("in"), resource.ClientWrites())
	others = resource.Define[textSpec]("Others.test.ichor.dev", resource.Namespace("in"), resource.ClientWrites())
	mids   = resource.Define[textSpec]("Middles.test.ichor.dev", resource.Namespace("mid"), resource.ClientWrites())
	outs   = resource.Define[textSpec]("Results.test.ichor.dev", resource.Namespace("out"), resource.ClientWrites())
)

// world is an engine under test in a synctest bubble, with a client.
type world struct {
	*testing.T
	e    *resource.Engine
	b    backend
	stop func() error

	mu    sync.Mutex
	said  []resource.Diagnostic
	heard func(resource.Diagnostic) // also told, when it is set
}

type testCase struct {
	name string
	opts resource.Options
	run  func(w *world)
}

func TestConformance(t *testing.T) {
	var cases []testCase
	cases = append(cases, storeCases...)
	cases = append(cases, engineCases...)
	cases = append(cases, blockCases...)
	for name, dial := range backends {
		for _, c := range cases {
			t.Run(c.name+"/"+name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					w := &world{T: t}
					opts := c.opts
					opts.CheckSpecs = true
					opts.Diagnose = func(d resource.Diagnostic) {
						w.mu.Lock()
						defer w.mu.Unlock()
						w.said = append(w.said, d)
						if w.heard != nil {
							w.heard(d)
						}
					}
					w.e = resource.New(opts)
					w.must(w.e.Register(ins, others, mids, outs))
					w.b = dial(t, w.e)
					ctx, cancel := context.WithCancel(t.Context())
					done := make(chan error, 1)
					go func() { done <- w.e.Run(ctx) }()
					var once sync.Once
					var err error
					w.stop = func() error {
						once.Do(func() { cancel(); err = <-done })
						return err
					}
					t.Cleanup(func() { w.stop() })
					synctest.Wait()
					c.run(w)
				})
			})
		}
	}
}

func (w *world) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

// add gives blocks to the running engine and waits for rest.
func (w *world) add(blocks ...resource.Block) {
	w.Helper()
	w.must(w.e.Add(blocks...))
	synctest.Wait()
}

// put creates or updates a resource as a client, and waits for rest.
func (w *world) put(k *resource.Kind[textSpec], id, text string, labels ...string) {
	w.Helper()
	s := seen{Metadata: store.Metadata{Key: k.Key(id)}, Spec: textSpec{Text: text}}
	for i := 0; i+1 < len(labels); i += 2 {
		if s.Labels == nil {
			s.Labels = map[string]string{}
		}
		s.Labels[labels[i]] = labels[i+1]
	}
	cur, err := w.b.get(s.Key)
	switch {
	case errors.Is(err, store.ErrNotFound):
		_, err = w.b.create(s)
	case err == nil:
		s.Version, s.Finalizers = cur.Version, cur.Finalizers
		_, err = w.b.update(s, nil)
	}
	w.must(err)
	synctest.Wait()
}

// remove tears a client's resource down and, when nobody holds it, destroys
// it. It waits for rest.
func (w *world) remove(k *resource.Kind[textSpec], id string) (gone bool) {
	w.Helper()
	ready, err := w.b.teardown(k.Key(id))
	w.must(err)
	synctest.Wait()
	if cur, err := w.b.get(k.Key(id)); err == nil {
		ready = len(cur.Finalizers) == 0
	}
	if ready {
		w.must(w.b.destroy(k.Key(id)))
		synctest.Wait()
	}
	return ready
}

// text gives a resource's text with its phase unless it is running, or - .
func (w *world) text(k *resource.Kind[textSpec], id string) string {
	w.Helper()
	r, err := w.b.get(k.Key(id))
	switch {
	case errors.Is(err, store.ErrNotFound):
		return "-"
	case err != nil:
		w.Fatal(err)
	}
	if r.Phase != store.Running {
		return r.Spec.Text + " " + r.Phase.String()
	}
	return r.Spec.Text
}

func (w *world) is(k *resource.Kind[textSpec], id, want string) {
	w.Helper()
	if got := w.text(k, id); got != want {
		w.Errorf("%s: got %q, want %q", k.Key(id), got, want)
	}
}

// status gives the status of a unit.
func (w *world) status(name string) resource.Status {
	w.Helper()
	for _, s := range w.e.Status() {
		if s.Name == name {
			return s
		}
	}
	w.Fatalf("no unit %q in %+v", name, w.e.Status())
	return resource.Status{}
}

func (w *world) state(name string, want resource.State, reason string) {
	w.Helper()
	s := w.status(name)
	if s.State != want || s.Reason != reason {
		w.Errorf("status of %s: got %s %q, want %s %q", name, s.State, s.Reason, want, reason)
	}
}

// diagnostics gives what was said of a kind.
func (w *world) diagnostics(kind string) (out []resource.Diagnostic) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, d := range w.said {
		if d.Kind == kind {
			out = append(out, d)
		}
	}
	return out
}

func (w *world) same(what string, got, want any) {
	w.Helper()
	if d := cmp.Diff(want, got); d != "" {
		w.Errorf("%s (-want +got):\n%s", what, d)
	}
}

// runs counts calls of a reconciler.
type runs struct {
	mu sync.Mutex
	n  int
}

func (r *runs) add() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.n++
	return r.n
}

// since gives the number of calls since the last since.
func (r *runs) since() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := r.n
	r.n = 0
	return n
}

// copyTo makes a reconciler function that puts each input's text, marked, into
// another kind.
func copyTo(k *resource.Kind[textSpec], mark string) resource.Each[textSpec] {
	return func(_ context.Context, s *resource.Session, r resource.Resource[textSpec]) error {
		k.Put(s, r.ID, textSpec{Text: r.Spec.Text + mark})
		return nil
	}
}

// view runs fn with a session that reads.
func (w *world) view(fn func(s *resource.Session)) {
	w.Helper()
	w.must(w.e.View(w.Context(), func(s *resource.Session) error { fn(s); return nil }))
}

func ids(list []seen) []string {
	out := []string{}
	for _, s := range list {
		out = append(out, s.ID)
	}
	return out
}

func name(prefix string, n int) string { return fmt.Sprintf("%s%03d", prefix, n) }
