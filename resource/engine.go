package resource

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ichor-os/ichor/resource/reads"
	"github.com/ichor-os/ichor/resource/store"
)

// Options of an [Engine]. The zero value is ready for use.
type Options struct {
	Store store.Options
	// Parallel bounds how many reconcilers run at once. Mirrors and jobs do
	// not count. Default: four times GOMAXPROCS.
	Parallel int
	// RunBound is how long a run may take before it is reported as hanging,
	// with its stack, and no longer counts against Parallel. Default 5 s.
	RunBound time.Duration
	// EffectBound is the same for runs of mirrors. Their context ends then.
	// Default 1 min.
	EffectBound time.Duration
	// StopBound is how long Run waits for runs to end. Default 10 s.
	StopBound time.Duration
	// BackoffMin and BackoffMax bound the wait after a failed run. Default
	// 250 ms and 1 min.
	BackoffMin, BackoffMax time.Duration
	// LoopLimit is how often a reconciler may wake itself through its own
	// outputs, with nothing happening outside, before it is slowed down.
	// Default 16.
	LoopLimit int
	// CheckSpecs finds reconcilers that change a spec they read, at the price
	// of a copy of each spec. For tests.
	CheckSpecs bool
	// Diagnose is told what somebody should know, one at a time. It may use
	// the engine, as long as it comes back.
	Diagnose func(Diagnostic)
}

func (o *Options) defaults() {
	set := func(d *time.Duration, v time.Duration) {
		if *d <= 0 {
			*d = v
		}
	}
	set(&o.RunBound, 5*time.Second)
	set(&o.EffectBound, time.Minute)
	set(&o.StopBound, 10*time.Second)
	set(&o.BackoffMin, 250*time.Millisecond)
	set(&o.BackoffMax, time.Minute)
	if o.Parallel <= 0 {
		o.Parallel = 4 * runtime.GOMAXPROCS(0)
	}
	if o.LoopLimit <= 0 {
		o.LoopLimit = 16
	}
	if o.Diagnose == nil {
		o.Diagnose = func(Diagnostic) {}
	}
}

// Engine runs reconcilers over a store. Make it with [New], give it blocks
// with [Engine.Add], and run it with [Engine.Run].
type Engine struct {
	opts     Options
	store    *store.Store
	registry registry
	counters counters
	unsynced atomic.Pointer[map[reads.List]string]
	disk     atomic.Pointer[[]*folder]

	// The store's commit lock is always taken before mu, never after.
	mu       sync.Mutex
	names    map[string]Block
	starts   []func()
	units    map[*unit]struct{}
	byKey    map[Key]map[*unit]struct{}
	byWait   map[Key]map[*unit]struct{}
	byList   map[reads.List]map[*unit][]store.Query
	keyed    map[reads.List][]*keyed
	ended    map[Key]func() // who waits to put a key that is on its way out
	producer map[Key]*unit
	orphans  map[string]map[Key]struct{} // by owner: read from disk, put by nobody yet
	pristine store.Pristine              // with CheckSpecs

	ctx      context.Context // of Run
	running  bool
	stopping bool
	active   int
	ready    []*unit
	busy     int // units queued, running or waiting for a back-off; one more before Run
	idle     chan struct{}
	untold   []Diagnostic // the first is being told
	wg       sync.WaitGroup
}

// New makes an engine with an empty store.
func New(opts Options) *Engine {
	opts.defaults()
	e := &Engine{
		opts:     opts,
		store:    store.Open(opts.Store),
		names:    map[string]Block{},
		units:    map[*unit]struct{}{},
		byKey:    map[Key]map[*unit]struct{}{},
		byWait:   map[Key]map[*unit]struct{}{},
		byList:   map[reads.List]map[*unit][]store.Query{},
		keyed:    map[reads.List][]*keyed{},
		ended:    map[Key]func(){},
		producer: map[Key]*unit{},
		orphans:  map[string]map[Key]struct{}{},
		busy:     1, // until Run
	}
	e.store.SetHooks(store.Hooks{Settle: e.settle, Durable: e.durable, Published: e.published})
	if err := e.Register(Definitions, Namespaces); err != nil {
		panic(err) // the two kinds of this package
	}
	return e
}

// Store gives the engine's store, for watches and for the State service.
// Writers go through the engine.
func (e *Engine) Store() *store.Store { return e.store }

// Block is a part of the system that the engine runs: the result of
// [Reconciler], [ForEach], [Source], [Mirror], [Job], [Persist] or [Merge].
type Block interface {
	// Name is the block's constant name: the owner of what it puts.
	Name() string
	attach(*Engine) error
}

// Add gives blocks to the engine, before or while it runs. Names are owners on
// the wire, so two blocks must not share one.
func (e *Engine) Add(blocks ...Block) error {
	for _, b := range blocks {
		if err := e.claim(b); err != nil {
			return fmt.Errorf("add block %q: %w", b.Name(), err)
		}
		if err := b.attach(e); err != nil {
			return fmt.Errorf("add block %q: %w", b.Name(), err)
		}
	}
	return nil
}

func (e *Engine) claim(b Block) error {
	name := b.Name()
	if name == "" || strings.ContainsAny(name, "[]\x00") {
		return errors.New("a name must not be empty or contain brackets")
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.names[name] != nil {
		return errors.New("the name is taken by another block")
	}
	e.names[name] = b
	return nil
}

// onStart runs f now if the engine runs, or else when it starts.
func (e *Engine) onStart(f func()) {
	e.mu.Lock()
	if !e.running {
		e.starts = append(e.starts, f)
		e.mu.Unlock()
		return
	}
	e.mu.Unlock()
	f()
}

// Run runs the blocks until ctx ends, then waits for their runs, at most
// Options.StopBound. It takes nothing down: what mirrors made stays. The error
// names the runs that did not end. An engine runs once.
func (e *Engine) Run(ctx context.Context) error {
	runCtx, cancel := context.WithCancel(ctx)
	defer cancel()
	e.mu.Lock()
	if e.running || e.stopping {
		e.mu.Unlock()
		return errors.New("run engine: it ran already")
	}
	e.running = true
	e.ctx = runCtx
	starts := e.starts
	e.starts = nil
	for u := range e.units {
		e.markDirty(u, nil)
	}
	e.addBusy(-1)
	e.mu.Unlock()
	for _, f := range starts {
		f()
	}
	<-ctx.Done()
	return e.stop(cancel)
}

func (e *Engine) stop(cancel func()) error {
	e.mu.Lock()
	e.stopping = true
	e.ready = nil
	for u := range e.units {
		u.stopTimers()
	}
	e.mu.Unlock()
	cancel()
	done := make(chan struct{})
	go func() { e.wg.Wait(); close(done) }()
	bound := time.NewTimer(e.opts.StopBound)
	defer bound.Stop()
	select {
	case <-done:
		return nil
	case <-bound.C:
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	var stuck []string
	for u := range e.units {
		if u.running {
			stuck = append(stuck, u.name)
		}
	}
	slices.Sort(stuck)
	return fmt.Errorf("stop engine: not ended within %s: %s", e.opts.StopBound, strings.Join(stuck, ", "))
}

// background runs f in a goroutine that Run waits for. It does nothing when
// the engine is stopping.
func (e *Engine) background(f func(ctx context.Context)) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.stopping || !e.running {
		return
	}
	e.wg.Add(1)
	ctx := e.ctx
	go func() { defer e.wg.Done(); f(ctx) }()
}

// spawn runs f in a goroutine that Run waits for. Engine.mu is held.
func (e *Engine) spawn(f func()) {
	if e.stopping {
		return
	}
	e.wg.Add(1)
	go func() { defer e.wg.Done(); f() }()
}

// View runs fn with a session that reads the present state and cannot write.
func (e *Engine) View(ctx context.Context, fn func(s *Session) error) error {
	s := e.session(ctx, nil, "")
	defer func() { s.closed = true }()
	if err := fn(s); err != nil {
		return err
	}
	if s.err == nil && len(s.puts)+len(s.deletes)+len(s.requires) > 0 {
		return errors.New("view resources: a view cannot write")
	}
	return s.err
}

// Commit runs fn once and commits what it put and deleted, for writers that
// are no reconcilers: RPC methods, launchers, tests. What it puts is owned by
// owner and stays until it is deleted. It returns when the changes are
// visible, and on disk where their kind is persistent.
func (e *Engine) Commit(ctx context.Context, owner string, fn func(s *Session) error) error {
	if e.isBlock(owner) {
		return fmt.Errorf("commit resources: %q is the name of a block", owner)
	}
	s := e.session(ctx, nil, owner)
	defer func() { s.closed = true }()
	if err := fn(s); err != nil {
		return err
	}
	if s.err != nil {
		return s.err
	}
	return e.commitOutside(s)
}

func (e *Engine) isBlock(name string) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.names[name] != nil
}

func (e *Engine) session(ctx context.Context, u *unit, owner string) *Session {
	return &Session{engine: e, unit: u, owner: owner, ctx: ctx, snap: e.store.Snapshot(), now: time.Now()}
}

// Settled waits until the engine runs, and no reconciler does or is about to:
// the system is at rest. Timers, sources and watchers do not count.
func (e *Engine) Settled(ctx context.Context) error {
	for {
		e.mu.Lock()
		if e.busy == 0 {
			e.mu.Unlock()
			return nil
		}
		if e.idle == nil {
			e.idle = make(chan struct{})
		}
		idle := e.idle
		e.mu.Unlock()
		select {
		case <-idle:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
