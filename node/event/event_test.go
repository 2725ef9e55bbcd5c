package event

import (
	"testing"
	"time"

	machinepb "github.com/ichor-os/ichor/api/machine"
)

func TestLog_KeepsTheNewestInOrder(t *testing.T) {
	var l Log
	for range kept + 50 {
		if err := l.Publish("", &machinepb.RestartEvent{Cmd: 1}); err != nil {
			t.Fatal(err)
		}
	}
	events, changed := l.Since("")
	if len(events) != kept {
		t.Fatalf("kept %d events, want %d", len(events), kept)
	}
	for i := 1; i < len(events); i++ {
		if events[i].ID <= events[i-1].ID {
			t.Fatalf("id %s comes after %s", events[i].ID, events[i-1].ID)
		}
	}
	if got := events[0].Data.GetTypeUrl(); got != "talos/runtime/machine.RestartEvent" {
		t.Errorf("type URL = %s", got)
	}
	last := events[len(events)-1].ID
	if err := l.Publish("me", &machinepb.RestartEvent{}); err != nil {
		t.Fatal(err)
	}
	<-changed
	if more, _ := l.Since(last); len(more) != 1 || more[0].Actor != "me" {
		t.Errorf("since the last = %+v, want the one that came", more)
	}
}

func TestTail_CountsByNumberIDAndTime(t *testing.T) {
	now := time.Now()
	history := []Event{{ID: "1", Time: now.Add(-time.Hour)}, {ID: "2", Time: now.Add(-time.Minute)}, {ID: "3", Time: now}}
	for name, test := range map[string]struct {
		in   *machinepb.EventsRequest
		want int
	}{
		"none":        {&machinepb.EventsRequest{}, 0},
		"last two":    {&machinepb.EventsRequest{TailEvents: 2}, 2},
		"more":        {&machinepb.EventsRequest{TailEvents: 9}, 3},
		"all":         {&machinepb.EventsRequest{TailEvents: -1}, 3},
		"after an id": {&machinepb.EventsRequest{TailId: "1"}, 2},
		"seconds":     {&machinepb.EventsRequest{TailSeconds: 90}, 2},
	} {
		if got := len(tail(test.in, history, now)); got != test.want {
			t.Errorf("%s: %d events, want %d", name, got, test.want)
		}
	}
}
