package log

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func lines(from, to int) string {
	var b strings.Builder
	for i := from; i <= to; i++ {
		fmt.Fprintf(&b, "line %d\n", i)
	}
	return b.String()
}

func TestLogReader_StartsWithTheLastLines(t *testing.T) {
	for _, test := range []struct {
		name, written string
		tail          int
		want          string
	}{
		{"all", lines(1, 3), TailAll, lines(1, 3)},
		{"none", lines(1, 3), 0, ""},
		{"last two", lines(1, 3), 2, lines(2, 3)},
		{"more than there are", lines(1, 3), 9, lines(1, 3)},
		{"unfinished line counts", "a\nb", 1, "b"},
		{"empty log", "", 5, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			l := NewStore().Open("x")
			fmt.Fprint(l, test.written)
			got, err := io.ReadAll(l.Reader(t.Context(), test.tail, false))
			if err != nil || string(got) != test.want {
				t.Errorf("read = %q, %v; want %q", got, err, test.want)
			}
		})
	}
}

func TestLog_KeepsItsBoundAndWholeLines(t *testing.T) {
	l := NewStore().Open("x")
	last := 0
	for written := 0; written < 3*RingSize; last++ {
		n, _ := fmt.Fprintf(l, "line %d\n", last+1)
		written += n
	}
	got, err := io.ReadAll(l.Reader(t.Context(), TailAll, false))
	if err != nil {
		t.Fatal(err)
	}
	if len(got) > RingSize || len(got) < RingSize-64 {
		t.Errorf("kept %d bytes, want nearly %d", len(got), RingSize)
	}
	if !strings.HasPrefix(string(got), "line ") || !strings.HasSuffix(string(got), fmt.Sprintf("line %d\n", last)) {
		t.Errorf("kept lines begin %q and end %q, want whole lines up to %d", got[:20], got[len(got)-20:], last)
	}
}

func TestLog_KeepsTheEndOfAnOversizedWrite(t *testing.T) {
	l := NewStore().Open("x")
	fmt.Fprint(l, "before\n")
	fmt.Fprint(l, strings.Repeat("x", 2*RingSize)+"\nend\n")
	fmt.Fprint(l, "after\n")
	got, err := io.ReadAll(l.Reader(t.Context(), 2, false))
	if err != nil || string(got) != "end\nafter\n" {
		t.Errorf("read = %q, %v; want the last two lines", got, err)
	}
}

func TestLogReader_FollowsUntilItsContextEnds(t *testing.T) {
	l := NewStore().Open("x")
	fmt.Fprint(l, "one\n")
	ctx, cancel := context.WithCancel(t.Context())
	r := l.Reader(ctx, TailAll, true)
	buffer := make([]byte, 64)
	if n, err := r.Read(buffer); err != nil || string(buffer[:n]) != "one\n" {
		t.Fatalf("read = %q, %v; want one", buffer[:n], err)
	}
	done := make(chan string)
	go func() {
		n, _ := r.Read(buffer)
		done <- string(buffer[:n])
	}()
	fmt.Fprint(l, "two\n")
	if got := <-done; got != "two\n" {
		t.Errorf("followed %q, want two", got)
	}
	cancel()
	if _, err := r.Read(buffer); !errors.Is(err, io.EOF) {
		t.Errorf("error after the end = %v, want EOF", err)
	}
}

func TestStore_NamesTheUnknownLog(t *testing.T) {
	_, err := NewStore().Get("nothing")
	if !errors.Is(err, ErrNotRegistered) || err.Error() != `log "nothing" was not registered` {
		t.Errorf("error = %v", err)
	}
}

func TestStore_PersistsFromTheBeginningAndRotates(t *testing.T) {
	folder := t.TempDir()
	s := NewStore()
	fmt.Fprint(s.Open("etcd"), "early\n")
	if err := s.Persist(folder); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(folder, "etcd.log")
	if got, err := os.ReadFile(path); err != nil || string(got) != "early\n" {
		t.Errorf("file = %q, %v; want what was in memory", got, err)
	}
	chunk := strings.Repeat("y", 1<<20)
	for range 9 {
		fmt.Fprint(s.Open("etcd"), chunk)
	}
	s.Close()
	for _, name := range []string{path, path + ".1"} {
		if info, err := os.Stat(name); err != nil || info.Size() > FileSize {
			t.Errorf("%s: %v, %v; want at most %d bytes", name, info, err, FileSize)
		}
	}
}
