package trace_test

import (
	"strings"
	"testing"

	"github.com/ichor-os/ichor/resource/trace"
)

func TestChain_FindsLoopsOfAnyLength(t *testing.T) {
	for _, length := range []int{1, 2, 30, 500} {
		var c *trace.Chain[int]
		found := 0
		for i := range 5000 {
			if c.Loops(i%length, 16) {
				found = i
				break
			}
			c = c.Then(i % length)
		}
		if found == 0 || found > 16*length+2*512 {
			t.Errorf("a loop of %d: found after %d commits", length, found)
		}
	}
}

func TestChain_LongRowIsNoLoop(t *testing.T) {
	var c *trace.Chain[int]
	for i := range 5000 {
		if c.Loops(i, 16) {
			t.Fatalf("commit %d is taken for one of a loop", i)
		}
		c = c.Then(i)
	}
}

func TestChain_RoundNamesTheLoop(t *testing.T) {
	var c *trace.Chain[string]
	for _, s := range []string{"start", "a", "b", "c", "a"} {
		c = c.Then(s)
	}
	if got := strings.Join(c.Round("a", strings.ToUpper), " "); got != "A C B A" {
		t.Errorf("got %q, want A C B A", got)
	}
}

func TestStack_IsTheGoroutines(t *testing.T) {
	id, release, done := make(chan string), make(chan struct{}), make(chan struct{})
	go func() {
		id <- trace.Goroutine()
		parked(release)
		close(done)
	}()
	g := <-id
	if s := trace.Stack(g); !strings.Contains(s, "trace_test") {
		t.Errorf("got %q", s)
	}
	close(release)
	<-done
	if s := trace.Stack(""); s != "" {
		t.Errorf("no goroutine: got %q", s)
	}
}

func parked(release chan struct{}) { <-release }
