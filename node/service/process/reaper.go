// Package process starts programs and collects their exits in a way that also
// works in PID 1.
//
// PID 1 inherits every orphan of its namespace and must wait for all of them,
// so it calls wait4(-1); a second waiter for a single child would lose its exit
// to that call. A Reaper is therefore the only waiter of its process: it starts
// children, hands each exit to the one who started the child, and buries the
// rest. Code that runs in PID 1 never uses os/exec.
//
// What a child gets (user, cgroup, limits) is described by a Spec and applied
// by Exec, a tiny program that runs in the child before the real one.
package process

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// Exit is how a process ended.
type Exit struct {
	// Code is the exit code, or -1 when a signal ended the process.
	Code int
	// Signal ended the process, or is 0.
	Signal syscall.Signal
}

// OK reports whether the process ended by itself with code 0.
func (e Exit) OK() bool { return e.Code == 0 && e.Signal == 0 }

func (e Exit) String() string {
	if e.Signal != 0 {
		return fmt.Sprintf("killed by signal %d (%s)", int(e.Signal), e.Signal)
	}
	return fmt.Sprintf("exit code %d", e.Code)
}

// Err is nil for a clean exit and describes any other.
func (e Exit) Err() error {
	if e.OK() {
		return nil
	}
	return errors.New(e.String())
}

// Process is a running child of a Reaper.
type Process struct {
	// PID is the child's process id as this namespace sees it.
	PID  int
	done chan struct{}
	exit Exit
}

// Done is closed when the process has ended and was reaped.
func (p *Process) Done() <-chan struct{} { return p.done }

// Exit is valid once Done is closed.
func (p *Process) Exit() Exit { return p.exit }

// Wait blocks until the process ended or ctx is done.
func (p *Process) Wait(ctx context.Context) (Exit, error) {
	select {
	case <-p.done:
		return p.exit, nil
	case <-ctx.Done():
		return Exit{}, ctx.Err()
	}
}

// Signal sends sig to the process group that the child leads. A process that
// is gone already is no error.
func (p *Process) Signal(sig syscall.Signal) error {
	select {
	case <-p.done:
		return nil
	default:
	}
	err := syscall.Kill(-p.PID, sig)
	if errors.Is(err, syscall.ESRCH) {
		err = syscall.Kill(p.PID, sig)
	}
	if err != nil && !errors.Is(err, syscall.ESRCH) {
		return fmt.Errorf("signal process: %d: %w", p.PID, err)
	}
	return nil
}

// Reaper is the only waiter of this process's children.
type Reaper struct {
	mu       sync.Mutex
	children map[int]*Process
	orphans  uint64
}

// NewReaper makes a Reaper; Run must be called once for it to work.
func NewReaper() *Reaper {
	return &Reaper{children: map[int]*Process{}}
}

// Run reaps until ctx is done. It is level-triggered: it looks for exits once
// at the start and after each SIGCHLD, until none is left.
func (r *Reaper) Run(ctx context.Context) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGCHLD)
	defer signal.Stop(signals)
	for {
		r.reap()
		select {
		case <-signals:
		case <-ctx.Done():
			return
		}
	}
}

// Orphans counts the processes that were reaped for nobody.
func (r *Reaper) Orphans() uint64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.orphans
}

func (r *Reaper) reap() {
	// The lock is also held from before a fork until the child is known, so
	// an exit never arrives for a child that is not yet in the table.
	r.mu.Lock()
	defer r.mu.Unlock()
	for {
		var status unix.WaitStatus
		pid, err := unix.Wait4(-1, &status, unix.WNOHANG, nil)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil || pid <= 0 {
			return
		}
		child, ok := r.children[pid]
		if !ok {
			r.orphans++
			continue
		}
		delete(r.children, pid)
		child.exit = exitOf(status)
		close(child.done)
	}
}

func exitOf(status unix.WaitStatus) Exit {
	if status.Signaled() {
		return Exit{Code: -1, Signal: status.Signal()}
	}
	return Exit{Code: status.ExitStatus()}
}

// start forks and registers the child under the lock.
func (r *Reaper) start(path string, argv []string, attr *os.ProcAttr) (*Process, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	started, err := os.StartProcess(path, argv, attr)
	if err != nil {
		return nil, fmt.Errorf("start process: %s: %w", path, err)
	}
	child := &Process{PID: started.Pid, done: make(chan struct{})}
	r.children[child.PID] = child
	// Only the pidfd is given back; the Reaper waits for the child.
	_ = started.Release()
	return child, nil
}
