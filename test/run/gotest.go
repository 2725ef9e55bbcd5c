package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// A tally counts tests and their outcomes.
type tally struct{ passed, failed, skipped int }

func (t *tally) String() string {
	return fmt.Sprintf("%d passed, %d failed, %d skipped", t.passed, t.failed, t.skipped)
}

// event is a line of `go test -json`; see `go doc test2json`.
type event struct {
	Action      string
	Package     string
	ImportPath  string
	Test        string
	Output      string
	Elapsed     float64
	FailedBuild string
}

// goTest runs `go test -json` with args, prints a line a package and the whole
// output of what failed, and counts each test and subtest.
func goTest(ctx context.Context, t *tally, env []string, args ...string) error {
	cmd := command(ctx, "go", append([]string{"test", "-json"}, args...)...)
	cmd.Env = append(os.Environ(), env...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		return fmt.Errorf("go test: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("go test: %w", err)
	}
	before := *t
	readErr := countEvents(out, os.Stdout, t)
	err = cmd.Wait()
	if err != nil && t.failed == before.failed {
		t.failed++ // a build that fails is no test event
	}
	return errors.Join(readErr, err)
}

// countEvents reads test events from r, writes what a person wants to see to w.
func countEvents(r io.Reader, w io.Writer, t *tally) error {
	outputs := map[string]*strings.Builder{}
	lines := bufio.NewReaderSize(r, 1<<20)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 {
			var e event
			if json.Unmarshal(line, &e) != nil {
				fmt.Fprintf(w, "%s", line)
			} else {
				countEvent(e, w, t, outputs)
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read test output: %w", err)
		}
	}
}

func countEvent(e event, w io.Writer, t *tally, outputs map[string]*strings.Builder) {
	key := e.Package + "\x00" + e.Test
	switch e.Action {
	case "build-output":
		fmt.Fprint(w, e.Output)
	case "output":
		if e.Test == "" {
			// The package's own closing line, and what TestMain prints.
			if !strings.HasPrefix(e.Output, "PASS") && !strings.Contains(e.Output, "[no test files]") {
				fmt.Fprint(w, e.Output)
			}
			return
		}
		if outputs[key] == nil {
			outputs[key] = &strings.Builder{}
		}
		outputs[key].WriteString(e.Output)
	case "pass", "fail", "skip":
		if e.Test != "" {
			switch e.Action {
			case "pass":
				t.passed++
			case "fail":
				t.failed++
			case "skip":
				t.skipped++
			}
			if b := outputs[key]; b != nil && e.Action != "pass" {
				fmt.Fprint(w, b.String())
			}
			delete(outputs, key)
		}
	}
}

// check runs one command as a step that counts as one test.
func check(ctx context.Context, t *tally, name string, args ...string) error {
	cmd := command(ctx, name, args...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	return count(t, cmd.Run())
}

// count adds one test with err as its outcome and hands err on.
func count(t *tally, err error) error {
	if err != nil {
		t.failed++
	} else {
		t.passed++
	}
	return err
}

// grace is how long an interrupted step may take to clean up.
const grace = time.Minute

// command makes a command in a process group of its own, so that an
// interruption ends what it started too. It is SIGINT, for which the go command
// waits until its children have ended; a test of nodes uses that to end them.
func command(ctx context.Context, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Stderr = os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error {
		group := -cmd.Process.Pid
		time.AfterFunc(grace, func() { _ = syscall.Kill(group, syscall.SIGKILL) })
		return syscall.Kill(group, syscall.SIGINT)
	}
	cmd.WaitDelay = grace + 5*time.Second
	return cmd
}

func repositoryRoot(ctx context.Context) (string, error) {
	out, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}").Output()
	if err != nil {
		return "", fmt.Errorf("find the repository: go list -m: %w", err)
	}
	return strings.TrimSpace(string(out)), nil
}
