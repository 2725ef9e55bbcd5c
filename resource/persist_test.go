package resource_test

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ichor-os/ichor/resource"
)

type pairSpec struct {
	N int `yaml:"n" protobuf:"1"`
}

var pairs = resource.Define[pairSpec]("Pairs.test.ichor.dev")

const writerFolder = "ICHOR_TEST_WRITER_FOLDER"

func TestMain(m *testing.M) {
	if dir := os.Getenv(writerFolder); dir != "" {
		writer(dir)
		return
	}
	os.Exit(m.Run())
}

// writer is the child that gets killed: it commits pairs and says each number
// that is committed.
func writer(dir string) {
	e := resource.New(resource.Options{})
	fatal := func(err error) {
		if err != nil {
			fmt.Println("error:", err)
			os.Exit(1)
		}
	}
	fatal(e.Add(resource.Persist("disk", dir, pairs)))
	ctx := context.Background()
	n := 0
	fatal(e.View(ctx, func(s *resource.Session) error {
		l, _ := pairs.Get(s, "left")
		n = l.N
		return nil
	}))
	for {
		n++
		fatal(e.Commit(ctx, "writer", func(s *resource.Session) error {
			pairs.Put(s, "left", pairSpec{n})
			pairs.Put(s, "right", pairSpec{n})
			return nil
		}))
		fmt.Println(n)
	}
}

// load gives the pair that is on disk.
func load(t *testing.T, dir string) (left, right int) {
	t.Helper()
	var said []string
	e := resource.New(resource.Options{Diagnose: func(d resource.Diagnostic) { said = append(said, d.Message) }})
	if err := e.Add(resource.Persist("disk", dir, pairs)); err != nil {
		t.Fatal(err)
	}
	if len(said) > 0 {
		t.Errorf("the folder is damaged: %q", said)
	}
	err := e.View(t.Context(), func(s *resource.Session) error {
		l, _ := pairs.Get(s, "left")
		r, _ := pairs.Get(s, "right")
		left, right = l.N, r.N
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return left, right
}

func TestPersist_KilledAtAnyMomentLosesNothingThatWasVisible(t *testing.T) {
	dir := t.TempDir()
	for round := range 15 {
		child := exec.Command(os.Args[0])
		child.Env = append(os.Environ(), writerFolder+"="+dir)
		out, err := child.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		last := 0
		time.AfterFunc(time.Duration(20+rand.IntN(60))*time.Millisecond, func() { child.Process.Kill() })
		for lines.Scan() {
			if _, err := fmt.Sscan(lines.Text(), &last); err != nil {
				t.Fatalf("child: %s", lines.Text())
			}
		}
		child.Wait()
		left, right := load(t, dir)
		if left != right || left < last {
			t.Fatalf("round %d: on disk %d and %d, said to be visible %d", round, left, right, last)
		}
	}
	if left, _ := load(t, dir); left == 0 {
		t.Error("the children committed nothing")
	}
}

func TestPersist_DamagedCopyFallsBackAndSaysSo(t *testing.T) {
	dir := t.TempDir()
	e := resource.New(resource.Options{})
	if err := e.Add(resource.Persist("disk", dir, pairs)); err != nil {
		t.Fatal(err)
	}
	for n := range 3 {
		put(t, e, n)
	}
	files, err := filepath.Glob(filepath.Join(dir, "resources-*"))
	if err != nil || len(files) != 2 {
		t.Fatalf("got %q, %v", files, err)
	}
	if err := os.Truncate(files[1], 100); err != nil {
		t.Fatal(err)
	}
	var said []string
	e = resource.New(resource.Options{Diagnose: func(d resource.Diagnostic) { said = append(said, d.Kind+": "+d.Message) }})
	if err := e.Add(resource.Persist("disk", dir, pairs)); err != nil {
		t.Fatal(err)
	}
	if len(said) != 1 || !strings.Contains(said[0], "disk: copy "+files[1]+" is damaged") {
		t.Errorf("said %q", said)
	}
	if got := number(t, e); got != 1 {
		t.Errorf("got %d, want the copy before, 1", got)
	}
}

func TestPersist_NothingIsVisibleWhenTheDiskRefuses(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "disk")
	e := resource.New(resource.Options{})
	if err := e.Add(resource.Persist("disk", dir, pairs)); err != nil {
		t.Fatal(err)
	}
	put(t, e, 1)
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	err := e.Commit(t.Context(), "test", func(s *resource.Session) error {
		pairs.Put(s, "left", pairSpec{2})
		return nil
	})
	if err == nil {
		t.Fatal("got no error")
	}
	if got := number(t, e); got != 1 {
		t.Errorf("visible: %d, want 1", got)
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	put(t, e, 3)
	if got := number(t, e); got != 3 {
		t.Errorf("visible once the disk is back: %d, want 3", got)
	}
}

func put(t *testing.T, e *resource.Engine, n int) {
	t.Helper()
	err := e.Commit(t.Context(), "test", func(s *resource.Session) error {
		pairs.Put(s, "left", pairSpec{n})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func number(t *testing.T, e *resource.Engine) (n int) {
	t.Helper()
	err := e.View(t.Context(), func(s *resource.Session) error {
		v, _ := pairs.Get(s, "left")
		n = v.N
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}
