package time

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

func TestWaiter_WaitsForTheTimeAndTellsOfSteps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &world{offset: func(n int) (time.Duration, error) {
			if n < 5 {
				return 0, errors.New("network is unreachable")
			}
			if n == 5 {
				return time.Hour, nil
			}
			return 0, nil
		}}
		waiter := NewWaiter()
		engine, _ := run(t, &Sync{Clock: w, Ask: w.ask}, "")
		if err := engine.Add(waiter.Reconciler()); err != nil {
			t.Fatal(err)
		}
		bounded, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		if err := waiter.Wait(bounded); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("wait before there is an answer: %v", err)
		}
		if err := waiter.Wait(t.Context()); err != nil {
			t.Error(err)
		}
		synctest.Wait()
		select {
		case <-waiter.Stepped():
		default:
			t.Error("nobody is told of the step")
		}
		after(24 * time.Hour)
		select {
		case <-waiter.Stepped():
			t.Error("somebody is told of a step that was none")
		default:
		}
	})
}
