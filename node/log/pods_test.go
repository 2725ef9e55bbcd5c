package log

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

const stamp = "2026-01-02T03:04:05.123456789Z stdout "

// podLog makes a log of a container and gives its path.
func podLog(t *testing.T, folder string, lines ...string) string {
	t.Helper()
	path := filepath.Join(folder, "shop_web-0_1234/app/0.log")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(strings.Join(lines, "")), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestPods_CopiesTheTextOfLines(t *testing.T) {
	folder := t.TempDir()
	podLog(t, folder, stamp+"F one\n", stamp+"P tw", "\n", stamp+"F o\n", stamp+"F \n", "no such format\n", stamp+"F last")
	for name, test := range map[string]struct {
		tail int
		want string
	}{
		"all":            {TailAll, "one\ntwo\n\nno such format\nlast\n"},
		"two":            {2, "no such format\nlast\n"},
		"more than kept": {99, "one\ntwo\n\nno such format\nlast\n"},
		"none":           {0, ""},
	} {
		var out bytes.Buffer
		if err := (Pods{Folder: folder}).Copy(t.Context(), "shop/web-0:app", test.tail, false, &out); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(test.want, out.String()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestPods_TailReadsBackOverBlocks(t *testing.T) {
	folder := t.TempDir()
	var lines []string
	for i := range 3000 {
		lines = append(lines, fmt.Sprintf("%sF %d %s\n", stamp, i, strings.Repeat("x", 30)))
	}
	podLog(t, folder, lines...)
	var out bytes.Buffer
	if err := (Pods{Folder: folder}).Copy(t.Context(), "shop/web-0:app", 2000, false, &out); err != nil {
		t.Fatal(err)
	}
	if got := strings.Count(out.String(), "\n"); got != 2000 || !strings.HasPrefix(out.String(), "1000 ") {
		t.Errorf("%d lines from %.10q, want 2000 from 1000", got, out.String())
	}
}

func TestPods_RefusesNamesThatAreNone(t *testing.T) {
	folder := t.TempDir()
	podLog(t, folder, "x\n")
	for _, id := range []string{"", "etcd", "shop/web-0", "shop/web-0:nope", "shop/*:app", "../shop/web-0:app", "shop/web-0:../../x"} {
		if _, err := (Pods{Folder: folder}).Find(id); !errors.Is(err, ErrNotRegistered) {
			t.Errorf("%q: %v, want ErrNotRegistered", id, err)
		}
	}
	if got, err := (Pods{Folder: folder}).IDs(); err != nil || !cmp.Equal(got, []string{"shop/web-0:app"}) {
		t.Errorf("ids = %v, %v", got, err)
	}
}

// output is a writer that tells of each write.
type output struct {
	mu   sync.Mutex
	text string
	more chan struct{}
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	o.text += string(p)
	o.mu.Unlock()
	o.more <- struct{}{}
	return len(p), nil
}

func TestPods_FollowsOverARotation(t *testing.T) {
	folder := t.TempDir()
	path := podLog(t, folder, stamp+"F one\n")
	out := &output{more: make(chan struct{}, 9)}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	done := make(chan error, 1)
	go func() { done <- Pods{Folder: folder}.Copy(ctx, "shop/web-0:app", TailAll, true, out) }()
	await := func() {
		select {
		case <-out.more:
		case <-ctx.Done():
			t.Fatalf("nothing comes after %q", out.text)
		}
	}
	await()
	if err := os.Rename(path, path+".20260102-030405"); err != nil {
		t.Fatal(err)
	}
	podLog(t, folder, stamp+"F two\n")
	await()
	cancel()
	if err := <-done; err != nil || out.text != "one\ntwo\n" {
		t.Errorf("followed %q, %v; want both lines", out.text, err)
	}
}

func TestParseID_DropsTheShortID(t *testing.T) {
	for in, want := range map[string]string{"a/b:c": "a/b:c", "a/b:c:0123abcd4567": "a/b:c", "etcd": "etcd", "a/b:c:d:e": "a/b:c:d:e"} {
		if got := parseID(in); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
}
