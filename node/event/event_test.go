package event

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"

	machinepb "github.com/ichor-os/ichor/api/machine"
)

func task(name string) *machinepb.TaskEvent { return &machinepb.TaskEvent{Task: name} }

func nameOf(t *testing.T, e *machinepb.Event) string {
	t.Helper()
	var got machinepb.TaskEvent
	if err := proto.Unmarshal(e.GetData().GetValue(), &got); err != nil {
		t.Fatal(err)
	}
	return got.GetTask()
}

// collect reads until nothing more comes.
func collect(t *testing.T, r *Ring, tail Tail, meanwhile func()) []string {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var names []string
	done := make(chan error, 1)
	go func() {
		done <- r.Follow(ctx, tail, func(e *machinepb.Event) error {
			names = append(names, nameOf(t, e))
			return nil
		})
	}()
	synctest.Wait()
	if meanwhile != nil {
		meanwhile()
		synctest.Wait()
	}
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("follow ended with %v", err)
	}
	return names
}

func TestRing_Tails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := NewRing(time.Now)
		r.Publish("", task("a"))
		time.Sleep(time.Minute)
		r.Publish("reboot-1", task("b"))
		r.Publish("", task("c"))
		time.Sleep(time.Second)
		r.Publish("reboot-1", task("d"))
		ids := make([]string, 0, 4)
		for _, e := range r.kept {
			ids = append(ids, e.event.GetId())
		}
		if !slices.IsSorted(ids) || len(slices.Compact(slices.Clone(ids))) != 4 {
			t.Errorf("ids = %v, want them sorted and different", ids)
		}
		for name, test := range map[string]struct {
			tail Tail
			want []string
		}{
			"none":             {Tail{}, nil},
			"all":              {Tail{Count: -1}, []string{"a", "b", "c", "d"}},
			"last two":         {Tail{Count: 2}, []string{"c", "d"}},
			"more than kept":   {Tail{Count: 9}, []string{"a", "b", "c", "d"}},
			"after an id":      {Tail{AfterID: ids[1]}, []string{"c", "d"}},
			"after the last":   {Tail{AfterID: ids[3]}, nil},
			"of half a minute": {Tail{Since: 30 * time.Second}, []string{"b", "c", "d"}},
			"of one actor":     {Tail{Count: -1, Actor: "reboot-1"}, []string{"b", "d"}},
			"last of an actor": {Tail{Count: 1, Actor: "reboot-1"}, []string{"d"}},
		} {
			if diff := cmp.Diff(test.want, collect(t, r, test.tail, nil)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", name, diff)
			}
		}
	})
}

func TestRing_FollowersGetWhatComes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := NewRing(time.Now)
		r.Publish("", task("before"))
		publish := func() {
			r.Publish("x", task("one"))
			r.Publish("y", task("two"))
		}
		if diff := cmp.Diff([]string{"one", "two"}, collect(t, r, Tail{}, publish)); diff != "" {
			t.Errorf("all (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff([]string{"two"}, collect(t, r, Tail{Actor: "y"}, publish)); diff != "" {
			t.Errorf("one actor's (-want +got):\n%s", diff)
		}
	})
}

func TestRing_SlowFollowerLosesTheOldestAndHoldsNobodyUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := NewRing(time.Now)
		first := true
		var names []string
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		more := make(chan struct{})
		go func() {
			done <- r.Follow(ctx, Tail{}, func(e *machinepb.Event) error {
				if first {
					first = false
					<-more
				}
				names = append(names, e.GetId())
				return nil
			})
		}()
		synctest.Wait()
		for i := range 5 * Capacity {
			r.Publish("", task(fmt.Sprint(i)))
		}
		synctest.Wait()
		close(more)
		synctest.Wait()
		cancel()
		<-done
		if got := len(names); got < Capacity || got > 2*Capacity || !slices.IsSorted(names) {
			t.Errorf("got %d events, want about %d in order", got, Capacity)
		}
		if len(r.kept) > 2*Capacity {
			t.Errorf("ring holds %d events", len(r.kept))
		}
	})
}

func TestRing_NamesTheMessageAsClientsExpect(t *testing.T) {
	r := NewRing(time.Now)
	r.Publish("a", task("x"))
	e := r.kept[0].event
	if got, want := e.GetData().GetTypeUrl(), "talos/runtime/machine.TaskEvent"; got != want || e.GetActorId() != "a" {
		t.Errorf("type = %s, actor = %s; want %s and a", got, e.GetActorId(), want)
	}
}
