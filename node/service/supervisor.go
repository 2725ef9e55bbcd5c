package service

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"
)

// Errors of the calls that clients make.
var (
	ErrUnknown  = errors.New("service is not registered")
	ErrRefused  = errors.New("service cannot be stopped through the API")
	ErrNotEnded = errors.New("service did not stop in time")
)

// Backoff is the pause before a service runs again: Min, then twice as long
// each time up to Max, and Min again once it ran for Reset.
type Backoff struct{ Min, Max, Reset time.Duration }

// DefaultBackoff is used by NewSupervisor.
var DefaultBackoff = Backoff{Min: time.Second, Max: 30 * time.Second, Reset: time.Minute}

// Supervisor runs services. Make it with NewSupervisor.
type Supervisor struct {
	log     *slog.Logger
	backoff Backoff

	mu       sync.Mutex
	services map[string]*supervised
	order    []string
	watchers map[chan<- Status]struct{}
	added    chan struct{} // closed and replaced when a service is added
	closed   bool
}

type supervised struct {
	Service
	status  Status
	changed chan struct{} // closed and replaced at each change
	cancel  context.CancelFunc
	done    chan struct{} // closed when the goroutine has ended; nil if none
}

// NewSupervisor makes a supervisor without services.
func NewSupervisor(log *slog.Logger) *Supervisor {
	return &Supervisor{
		log:      log,
		backoff:  DefaultBackoff,
		services: map[string]*supervised{},
		watchers: map[chan<- Status]struct{}{},
		added:    make(chan struct{}),
	}
}

// Add registers a service without starting it. An id that is there already is
// an error.
func (s *Supervisor) Add(service Service) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.services[service.ID]; ok {
		return fmt.Errorf("add service: %s: is registered already", service.ID)
	}
	entry := &supervised{Service: service, changed: make(chan struct{})}
	entry.status = Status{ID: service.ID}
	s.services[service.ID] = entry
	s.order = append(s.order, service.ID)
	close(s.added)
	s.added = make(chan struct{})
	s.record(entry, Initialized, "Service is registered")
	return nil
}

// Start starts a service that does not run; one that runs is left alone.
func (s *Supervisor) Start(id string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	entry, ok := s.services[id]
	if !ok {
		return fmt.Errorf("start service: %s: %w", id, ErrUnknown)
	}
	if s.closed {
		return fmt.Errorf("start service: %s: the node is going down", id)
	}
	if entry.done != nil {
		select {
		case <-entry.done:
		default:
			return nil
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	entry.cancel, entry.done = cancel, make(chan struct{})
	go func(done chan struct{}) {
		defer close(done)
		defer cancel()
		s.supervise(ctx, entry)
	}(entry.done)
	return nil
}

// Stop stops a service and waits until it is gone, at most for its grace and
// a little more.
func (s *Supervisor) Stop(ctx context.Context, id string) error {
	s.mu.Lock()
	entry, ok := s.services[id]
	if !ok {
		s.mu.Unlock()
		return fmt.Errorf("stop service: %s: %w", id, ErrUnknown)
	}
	cancel, done := entry.cancel, entry.done
	if entry.status.State == Running {
		s.record(entry, Stopping, "Service stops")
	}
	s.mu.Unlock()
	if done == nil {
		return nil
	}
	cancel()
	grace := entry.StopGrace
	if grace == 0 {
		grace = 30 * time.Second
	}
	timer := time.NewTimer(grace + 5*time.Second)
	defer timer.Stop()
	select {
	case <-done:
		return nil
	case <-timer.C:
		return fmt.Errorf("stop service: %s: %w", id, ErrNotEnded)
	case <-ctx.Done():
		return fmt.Errorf("stop service: %s: %w", id, ctx.Err())
	}
}

// StopByClient is Stop for services that may be stopped from outside.
func (s *Supervisor) StopByClient(ctx context.Context, id string) error {
	s.mu.Lock()
	entry, ok := s.services[id]
	s.mu.Unlock()
	if !ok {
		return fmt.Errorf("stop service: %s: %w", id, ErrUnknown)
	}
	if entry.KeepsRunning {
		return fmt.Errorf("stop service: %s: %w", id, ErrRefused)
	}
	return s.Stop(ctx, id)
}

// List gives a snapshot of all services, in the order they were added.
func (s *Supervisor) List() []Status {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := make([]Status, 0, len(s.order))
	for _, id := range s.order {
		list = append(list, s.services[id].snapshot())
	}
	return list
}

// Get gives a snapshot of one service.
func (s *Supervisor) Get(id string) (Status, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	entry, ok := s.services[id]
	if !ok {
		return Status{}, fmt.Errorf("%s: %w", id, ErrUnknown)
	}
	return entry.snapshot(), nil
}

// Watch sends each change to updates until the returned function is called. A
// full channel loses the change: give it room, and call List to catch up.
func (s *Supervisor) Watch(updates chan<- Status) (stop func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.watchers[updates] = struct{}{}
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.watchers, updates)
	}
}

// Await blocks until ok holds for the service's status or ctx is done. The
// service may be added later.
func (s *Supervisor) Await(ctx context.Context, id string, ok func(Status) bool) error {
	for {
		s.mu.Lock()
		entry, known := s.services[id]
		changed := s.added
		if known {
			if ok(entry.snapshot()) {
				s.mu.Unlock()
				return nil
			}
			changed = entry.changed
		}
		s.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Shutdown stops every service, those that others need last, and lets none
// start again. ctx bounds the whole.
func (s *Supervisor) Shutdown(ctx context.Context) {
	s.mu.Lock()
	s.closed = true
	remaining := slices.Clone(s.order)
	s.mu.Unlock()
	for len(remaining) > 0 {
		needed := map[string]bool{}
		for _, id := range remaining {
			for _, need := range append(slices.Clone(s.services[id].Needs), s.services[id].Uses...) {
				needed[need] = true
			}
		}
		var now, later []string
		for _, id := range remaining {
			if needed[id] {
				later = append(later, id)
			} else {
				now = append(now, id)
			}
		}
		if len(now) == 0 {
			now, later = later, nil // a circle: stop what is left together
		}
		var group sync.WaitGroup
		for _, id := range now {
			group.Go(func() {
				if err := s.Stop(ctx, id); err != nil {
					s.log.Error("service does not stop", "service", id, "error", err)
				}
			})
		}
		group.Wait()
		remaining = later
	}
}

func (e *supervised) snapshot() Status {
	status := e.status
	status.Events = slices.Clone(e.status.Events)
	return status
}

// record changes the state; the caller holds the lock.
func (s *Supervisor) record(entry *supervised, state State, message string) {
	event := Event{Time: time.Now(), State: state, Message: message}
	entry.status.State = state
	entry.status.Events = append(entry.status.Events, event)
	if extra := len(entry.status.Events) - eventsKept; extra > 0 {
		entry.status.Events = slices.Clone(entry.status.Events[extra:])
	}
	s.announce(entry)
}

func (s *Supervisor) announce(entry *supervised) {
	close(entry.changed)
	entry.changed = make(chan struct{})
	for watcher := range s.watchers {
		select {
		case watcher <- entry.snapshot():
		default:
		}
	}
}

func (s *Supervisor) set(entry *supervised, state State, format string, args ...any) {
	message := fmt.Sprintf(format, args...)
	s.mu.Lock()
	s.record(entry, state, message)
	s.mu.Unlock()
	s.log.Info("service", "service", entry.ID, "state", string(state), "message", message)
}

func (s *Supervisor) setHealth(entry *supervised, health HealthStatus) {
	s.mu.Lock()
	old := entry.status.Health
	same := old.Known == health.Known && old.Healthy == health.Healthy && old.Message == health.Message
	if !same {
		entry.status.Health = health
		s.announce(entry)
	}
	s.mu.Unlock()
	if old.Known != health.Known || old.Healthy != health.Healthy {
		s.log.Info("service health", "service", entry.ID, "known", health.Known, "healthy", health.Healthy, "message", health.Message)
	}
}
