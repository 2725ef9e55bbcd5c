// Package lifecycle moves a machine from one stage of its life to the next:
// booting, maintenance, installing, running, and from there to its end by
// reboot, shutdown, reset or upgrade.
//
// An End says how the machine should come to rest; whoever runs as PID 1 waits
// for one, stops what runs in order, and calls Finish.
package lifecycle

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// End is how a machine stops running.
type End int

const (
	// Reboot starts the machine again.
	Reboot End = iota
	// PowerOff turns the machine off.
	PowerOff
)

func (e End) String() string {
	if e == PowerOff {
		return "power off"
	}
	return "reboot"
}

// command is what reboot(2) is called with.
func (e End) command() int64 {
	if e == PowerOff {
		return unix.LINUX_REBOOT_CMD_POWER_OFF
	}
	return unix.LINUX_REBOOT_CMD_RESTART
}

// Finish ends every process but this one, writes everything to disk and leaves
// the machine to the kernel. In a PID namespace the kernel ends PID 1 by SIGHUP
// for a reboot and by SIGINT for a power-off, which the launcher outside tells
// apart. It returns only on failure.
func Finish(end End, grace time.Duration) error {
	KillAll(grace)
	unix.Sync()
	if err := unix.Reboot(int(end.command())); err != nil {
		return fmt.Errorf("%s: %w", end, err)
	}
	// The kernel ends PID 1 from here; in the meantime nothing may go on.
	select {}
}

// KillAll asks every other process of the PID namespace to end, waits up to
// grace for that, and kills the rest. It must run in PID 1: elsewhere it would
// reach processes that are not the machine's, so it does nothing.
func KillAll(grace time.Duration) {
	if os.Getpid() != 1 {
		return
	}
	_ = syscall.Kill(-1, syscall.SIGTERM)
	for deadline := time.Now().Add(grace); time.Now().Before(deadline) && othersRun(); {
		time.Sleep(20 * time.Millisecond)
	}
	for range 50 {
		err := syscall.Kill(-1, syscall.SIGKILL)
		if errors.Is(err, syscall.ESRCH) || !othersRun() {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// othersRun reports whether a process with user memory besides this one is
// left; kernel threads and zombies have no command line.
func othersRun() bool {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return true
	}
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil || pid == os.Getpid() {
			continue
		}
		if line, err := os.ReadFile("/proc/" + entry.Name() + "/cmdline"); err == nil && len(line) > 0 {
			return true
		}
	}
	return false
}
