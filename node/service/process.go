package service

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"syscall"
	"time"

	"github.com/ichor-os/ichor/node/service/cgroup"
	"github.com/ichor-os/ichor/node/service/process"
)

// Starter starts programs; process.Reaper is the real one.
type Starter interface {
	Start(self string, spec process.Spec) (*process.Process, error)
}

// Groups gives control groups; cgroup.Tree is the real one.
type Groups interface {
	Make(path string) (*cgroup.Place, error)
	Kill(path string) error
}

// Program is a Runner for a process with a control group of its own.
type Program struct {
	Starter Starter
	Groups  Groups
	// Group is the path of its control group, "system/apid".
	Group string
	// Spec is asked for at each start, as it may depend on what was prepared.
	Spec func() (process.Spec, error)
	// Output gets what the program prints.
	Output io.Writer
	// Grace is the time between SIGTERM and SIGKILL; 0 means 10 s.
	Grace time.Duration
	// SpareGroup leaves what the program started running when it ends, as
	// containerd's shims must.
	SpareGroup bool
}

// Run implements Runner.
func (p *Program) Run(ctx context.Context, started func(what string)) error {
	spec, err := p.Spec()
	if err != nil {
		return err
	}
	place, err := p.Groups.Make(p.Group)
	if err != nil {
		return err
	}
	defer place.Close()
	spec.CgroupProcs, spec.CgroupFD = place.Procs, place.FD

	read, write, err := os.Pipe()
	if err != nil {
		return fmt.Errorf("start program: %s: %w", spec.Path, err)
	}
	defer read.Close()
	spec.Stdout, spec.Stderr = write, write
	child, err := p.Starter.Start("/proc/self/exe", spec)
	write.Close()
	if err != nil {
		return err
	}
	var copying sync.WaitGroup
	copying.Go(func() { _, _ = io.Copy(p.Output, read) })
	started(fmt.Sprintf("process %d", child.PID))

	select {
	case <-child.Done():
		err = child.Exit().Err()
		if err != nil {
			err = fmt.Errorf("%s ended: %w", spec.Path, err)
		}
	case <-ctx.Done():
		err = p.stop(child)
	}
	if !p.SpareGroup {
		err = errors.Join(err, p.Groups.Kill(p.Group))
	}
	// A grandchild may hold the pipe open; its output is not waited for.
	_ = read.SetReadDeadline(time.Now().Add(100 * time.Millisecond))
	copying.Wait()
	return err
}

func (p *Program) stop(child *process.Process) error {
	grace := p.Grace
	if grace == 0 {
		grace = 10 * time.Second
	}
	if err := child.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case <-child.Done():
		return nil
	case <-timer.C:
	}
	if err := child.Signal(syscall.SIGKILL); err != nil {
		return err
	}
	<-child.Done()
	return nil
}
