package service

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// runner is a Runner that ends when told to.
type runner struct {
	id  string
	end chan error
	log *journal
}

type journal struct {
	mu    sync.Mutex
	lines []string
}

func (j *journal) add(format string, args ...any) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.lines = append(j.lines, fmt.Sprintf(format, args...))
}

func (r *runner) Run(ctx context.Context, started func(string)) error {
	r.log.add("start %s", r.id)
	started("test")
	defer r.log.add("end %s", r.id)
	select {
	case err := <-r.end:
		return err
	case <-ctx.Done():
		return nil
	}
}

func quiet() *Supervisor { return NewSupervisor(slog.New(slog.NewTextHandler(io.Discard, nil))) }

func mustAdd(t *testing.T, s *Supervisor, services ...Service) {
	t.Helper()
	for _, service := range services {
		if err := s.Add(service); err != nil {
			t.Fatal(err)
		}
		if err := s.Start(service.ID); err != nil {
			t.Fatal(err)
		}
	}
}

func state(t *testing.T, s *Supervisor, id string) Status {
	t.Helper()
	status, err := s.Get(id)
	if err != nil {
		t.Fatal(err)
	}
	return status
}

func TestSupervisor_StartsAfterNeedsAreHealthyAndStopsInReverse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, j := quiet(), &journal{}
		healthy := make(chan struct{})
		mustAdd(t, s,
			Service{ID: "kubelet", Needs: []string{"containerd"}, Runner: &runner{id: "kubelet", log: j}},
			Service{ID: "containerd", Runner: &runner{id: "containerd", log: j}, Health: &Health{
				Check: func(context.Context) error {
					select {
					case <-healthy:
						return nil
					default:
						return errors.New("no socket")
					}
				}}},
		)
		time.Sleep(3 * time.Second)
		if got := state(t, s, "kubelet"); got.State != Waiting || !strings.Contains(got.Events[len(got.Events)-1].Message, "containerd") {
			t.Errorf("kubelet = %+v, want Waiting for containerd", got)
		}
		close(healthy)
		time.Sleep(time.Second)
		if got := state(t, s, "kubelet"); !got.Ready() {
			t.Errorf("kubelet = %+v, want ready", got)
		}
		s.Shutdown(t.Context())
		want := []string{"start containerd", "start kubelet", "end kubelet", "end containerd"}
		if diff := cmp.Diff(want, j.lines); diff != "" {
			t.Errorf("order (-want +got):\n%s", diff)
		}
		if err := s.Start("kubelet"); err == nil {
			t.Error("a service starts after Shutdown")
		}
	})
}

func TestSupervisor_RestartsWithGrowingPause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, j := quiet(), &journal{}
		r := &runner{id: "x", log: j, end: make(chan error)}
		mustAdd(t, s, Service{ID: "x", Runner: r})
		begun := time.Now()
		var pauses []time.Duration
		for range 4 {
			r.end <- errors.New("broken")
			pauses = append(pauses, time.Since(begun).Round(time.Second))
			begun = time.Now()
		}
		want := []time.Duration{0, time.Second, 2 * time.Second, 4 * time.Second}
		if diff := cmp.Diff(want, pauses); diff != "" {
			t.Errorf("pauses (-want +got):\n%s", diff)
		}
		synctest.Wait()
		if got := state(t, s, "x"); got.State != Waiting || !strings.Contains(got.Events[len(got.Events)-1].Message, "broken") {
			t.Errorf("status = %+v, want Waiting with the reason", got)
		}
		s.Shutdown(t.Context())
	})
}

func TestSupervisor_EndStates(t *testing.T) {
	for _, test := range []struct {
		name    string
		service Service
		end     error
		want    State
	}{
		{"one-shot success", Service{Restart: OnFailure}, nil, Finished},
		{"one-shot failure", Service{Restart: Never}, errors.New("bad"), Failed},
		{"not needed", Service{Prepare: func(context.Context) error { return fmt.Errorf("worker: %w", ErrSkip) }}, nil, Skipped},
		{"failed first step", Service{Restart: Never, Pre: func(context.Context) error { return errors.New("bad") }}, nil, Failed},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := quiet()
				r := &runner{id: "x", log: &journal{}, end: make(chan error, 1)}
				r.end <- test.end
				test.service.ID, test.service.Runner = "x", r
				mustAdd(t, s, test.service)
				synctest.Wait()
				if got := state(t, s, "x").State; got != test.want {
					t.Errorf("state = %s, want %s", got, test.want)
				}
				s.Shutdown(t.Context())
			})
		})
	}
}

func TestSupervisor_HealthFollowsChecks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := quiet()
		var mu sync.Mutex
		var failure error
		mustAdd(t, s, Service{ID: "x", Runner: &runner{id: "x", log: &journal{}}, Health: &Health{Check: func(context.Context) error {
			mu.Lock()
			defer mu.Unlock()
			return failure
		}}})
		time.Sleep(time.Second)
		if got := state(t, s, "x").Health; !got.Known || !got.Healthy {
			t.Errorf("health = %+v, want healthy", got)
		}
		mu.Lock()
		failure = errors.New("refused")
		mu.Unlock()
		time.Sleep(6 * time.Second)
		if got := state(t, s, "x").Health; got.Healthy || got.Message != "refused" {
			t.Errorf("health = %+v, want unhealthy with the reason", got)
		}
		s.Shutdown(t.Context())
	})
}

func TestSupervisor_RefusesWhatClientsMayNotDo(t *testing.T) {
	s := quiet()
	mustAdd(t, s, Service{ID: "machined", KeepsRunning: true, Runner: &runner{id: "machined", log: &journal{}}})
	if err := s.StopByClient(t.Context(), "machined"); !errors.Is(err, ErrRefused) {
		t.Errorf("stop machined = %v, want refused", err)
	}
	if err := s.StopByClient(t.Context(), "nothing"); !errors.Is(err, ErrUnknown) {
		t.Errorf("stop nothing = %v, want unknown", err)
	}
	if err := s.Add(Service{ID: "machined"}); err == nil {
		t.Error("a second service of the same id is accepted")
	}
	s.Shutdown(t.Context())
}

func TestSupervisor_AwaitsAServiceThatIsAddedLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := quiet()
		done := make(chan error, 1)
		go func() { done <- s.Await(t.Context(), "late", Status.Ready) }()
		synctest.Wait()
		mustAdd(t, s, Service{ID: "other", Runner: &runner{id: "other", log: &journal{}}})
		mustAdd(t, s, Service{ID: "late", Runner: &runner{id: "late", log: &journal{}}})
		if err := <-done; err != nil {
			t.Errorf("await = %v", err)
		}
		s.Shutdown(t.Context())
	})
}

func TestSupervisor_WatchersSeeChanges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := quiet()
		updates := make(chan Status, 16)
		stop := s.Watch(updates)
		mustAdd(t, s, Service{ID: "x", Runner: &runner{id: "x", log: &journal{}}})
		synctest.Wait()
		s.Shutdown(t.Context())
		stop()
		close(updates)
		var got []State
		for u := range updates {
			if len(got) == 0 || got[len(got)-1] != u.State {
				got = append(got, u.State)
			}
		}
		if diff := cmp.Diff([]State{Initialized, Running, Stopping, Finished}, got); diff != "" {
			t.Errorf("states (-want +got):\n%s", diff)
		}
	})
}

func TestPause_StaysShortForWhatKeepsRunning(t *testing.T) {
	for keeps, want := range map[bool]time.Duration{true: keptBackoff, false: DefaultBackoff.Max} {
		synctest.Test(t, func(t *testing.T) {
			s := quiet()
			log := &journal{}
			r := &runner{id: "door", end: make(chan error), log: log}
			mustAdd(t, s, Service{ID: "door", Runner: r, KeepsRunning: keeps})
			var pause time.Duration
			for range 8 { // 1 s, twice as long each time
				r.end <- errors.New("killed")
				begun := time.Now()
				if err := s.Await(t.Context(), "door", func(st Status) bool { return st.State == Waiting }); err != nil {
					t.Fatal(err)
				}
				if err := s.Await(t.Context(), "door", func(st Status) bool { return st.State == Running }); err != nil {
					t.Fatal(err)
				}
				pause = time.Since(begun)
			}
			if pause != want {
				t.Errorf("keeps running %v: the last pause is %s, want %s", keeps, pause, want)
			}
			s.Shutdown(t.Context())
		})
	}
}
