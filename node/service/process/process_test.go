package process

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// A Reaper takes the exits of the whole process, so these tests run each
// scenario in a process of its own.
var scenarios = map[string]func() error{
	"exits":   scenarioExits,
	"orphans": scenarioOrphans,
	"rights":  scenarioRights,
	"missing": scenarioMissing,
	"others":  scenarioOthers,
	"crowd":   scenarioCrowd,
}

func TestMain(m *testing.M) {
	if os.Args[0] == ExecName {
		fmt.Fprintln(os.Stderr, Exec("/bin/sh", "/no/such/program"))
		os.Exit(ExecFailed)
	}
	if name := os.Getenv("REAPER_SCENARIO"); name != "" {
		if err := scenarios[name](); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func TestReaper(t *testing.T) {
	for name := range scenarios {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
			defer cancel()
			cmd := exec.CommandContext(ctx, "/proc/self/exe")
			cmd.Env = append(os.Environ(), "REAPER_SCENARIO="+name)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("scenario %s: %v\n%s", name, err, out)
			}
		})
	}
}

func running() (*Reaper, context.Context, context.CancelFunc) {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	r := NewReaper()
	go r.Run(ctx)
	return r, ctx, cancel
}

func sh(script string) Spec {
	return Spec{Path: "/bin/sh", Args: []string{"-c", script}}
}

func scenarioExits() error {
	r, ctx, cancel := running()
	defer cancel()
	for script, want := range map[string]Exit{
		"exit 0":     {},
		"exit 7":     {Code: 7},
		"kill -9 $$": {Code: -1, Signal: syscall.SIGKILL},
	} {
		p, err := r.Start("/proc/self/exe", sh(script))
		if err != nil {
			return err
		}
		got, err := p.Wait(ctx)
		if err != nil {
			return fmt.Errorf("wait for %q: %w", script, err)
		}
		if got != want {
			return fmt.Errorf("exit of %q = %+v, want %+v", script, got, want)
		}
	}
	return nil
}

func scenarioOrphans() error {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return err
	}
	r, ctx, cancel := running()
	defer cancel()
	p, err := r.Start("/proc/self/exe", sh("(sleep 0.05; exit 3) & (exit 4) & exit 5"))
	if err != nil {
		return err
	}
	got, err := p.Wait(ctx)
	if err != nil || got.Code != 5 {
		return fmt.Errorf("exit = %+v, %v; want code 5", got, err)
	}
	for r.Orphans() < 1 {
		if ctx.Err() != nil {
			return fmt.Errorf("orphans = %d, want at least 1", r.Orphans())
		}
		time.Sleep(time.Millisecond)
	}
	return nil
}

func scenarioRights() error {
	r, ctx, cancel := running()
	defer cancel()
	read, write, err := os.Pipe()
	if err != nil {
		return err
	}
	spec := sh("grep -E '^(NoNewPrivs|Uid|Gid|CapEff):' /proc/self/status; ulimit -n; pwd")
	spec.UID, spec.GID, spec.OpenFiles, spec.Dir, spec.Stdout = 4242, 4343, 512, "/tmp", write
	if os.Getuid() != 0 {
		spec.UID, spec.GID = 0, 0
	}
	p, err := r.Start("/proc/self/exe", spec)
	if err != nil {
		return err
	}
	write.Close()
	out, err := io.ReadAll(read)
	if err != nil {
		return err
	}
	if exit, err := p.Wait(ctx); err != nil || !exit.OK() {
		return fmt.Errorf("exit = %v, %v", exit, err)
	}
	want := []string{"NoNewPrivs:\t1", "512", "/tmp"}
	if os.Getuid() == 0 {
		want = append(want, "Uid:\t4242\t4242\t4242\t4242", "Gid:\t4343\t4343\t4343\t4343", "CapEff:\t0000000000000000")
	}
	for _, line := range want {
		if !strings.Contains(string(out), line+"\n") {
			return fmt.Errorf("output lacks %q:\n%s", line, out)
		}
	}
	return nil
}

func scenarioMissing() error {
	r, ctx, cancel := running()
	defer cancel()
	p, err := r.Start("/proc/self/exe", Spec{Path: "/no/such/program"})
	if err != nil {
		return err
	}
	if exit, err := p.Wait(ctx); err != nil || exit.Code != ExecFailed {
		return fmt.Errorf("exit = %v, %v; want code %d", exit, err, ExecFailed)
	}
	return nil
}

// What is not on Exec's list does not run, by whatever name it is called.
func scenarioOthers() error {
	r, ctx, cancel := running()
	defer cancel()
	read, write, err := os.Pipe()
	if err != nil {
		return err
	}
	for _, spec := range []Spec{
		{Path: "/bin/echo", Args: []string{"it ran"}},
		{Path: "/bin/echo", Name: "/bin/sh", Args: []string{"it ran"}},
		{Path: "/bin/../bin/sh", Args: []string{"-c", "echo it ran"}},
		{Path: "sh", Dir: "/bin", Args: []string{"-c", "echo it ran"}},
		{},
	} {
		spec.Stdout = write
		p, err := r.Start("/proc/self/exe", spec)
		if err != nil {
			return err
		}
		if exit, err := p.Wait(ctx); err != nil || exit.Code != ExecFailed {
			return fmt.Errorf("exit of %q = %v, %v; want code %d", spec.Path, exit, err, ExecFailed)
		}
	}
	write.Close()
	if out, err := io.ReadAll(read); err != nil || len(out) > 0 {
		return fmt.Errorf("output = %q, %v; want none", out, err)
	}
	return nil
}

func scenarioCrowd() error {
	r, ctx, cancel := running()
	defer cancel()
	var group sync.WaitGroup
	errs := make(chan error, 40)
	for i := range 40 {
		group.Go(func() {
			p, err := r.Start("/proc/self/exe", sh(fmt.Sprintf("exit %d", i)))
			if err != nil {
				errs <- err
				return
			}
			if exit, err := p.Wait(ctx); err != nil || exit.Code != i {
				errs <- fmt.Errorf("exit of %d = %v, %v", i, exit, err)
			}
		})
	}
	group.Wait()
	close(errs)
	return <-errs
}
