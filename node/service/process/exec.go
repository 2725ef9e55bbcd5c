package process

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// Exec applies the Spec it was started with to itself and becomes the program,
// which must be one of programs: the node's binary lies in a root where nothing
// starts what its caller names, and anybody who can run it can give it a Spec.
// It returns only on failure; the caller prints the error and exits with
// ExecFailed.
func Exec(programs ...string) error {
	runtime.LockOSThread()
	var spec Spec
	if err := json.Unmarshal([]byte(os.Getenv(specVariable)), &spec); err != nil {
		return fmt.Errorf("decode process spec: %w", err)
	}
	if !slices.Contains(programs, spec.Path) {
		return fmt.Errorf("run program: %q: is not one that a node starts", spec.Path)
	}
	if err := prepare(spec); err != nil {
		return fmt.Errorf("prepare process: %s: %w", spec.Path, err)
	}
	name := spec.Name
	if name == "" {
		name = spec.Path
	}
	if err := syscall.Exec(spec.Path, append([]string{name}, spec.Args...), spec.Env); err != nil {
		return fmt.Errorf("run program: %s: %w", spec.Path, err)
	}
	return nil
}

// ExecFailed is the exit code of a child whose program could not be run.
const ExecFailed = 126

func prepare(spec Spec) error {
	pid := strconv.Itoa(os.Getpid())
	for _, procs := range spec.CgroupProcs {
		if err := os.WriteFile(procs, []byte(pid), 0); err != nil {
			return fmt.Errorf("join cgroup: %w", err)
		}
	}
	if spec.OOMScoreAdjust != 0 {
		err := os.WriteFile("/proc/self/oom_score_adj", []byte(strconv.Itoa(spec.OOMScoreAdjust)), 0)
		// Without CAP_SYS_RESOURCE a node may not lower its score.
		if err != nil && !errors.Is(err, unix.EACCES) && !errors.Is(err, unix.EPERM) {
			return fmt.Errorf("set oom score: %w", err)
		}
	}
	if spec.OpenFiles != 0 {
		if err := limitOpenFiles(spec.OpenFiles); err != nil {
			return err
		}
	}
	dir := spec.Dir
	if dir == "" {
		dir = "/"
	}
	if err := os.Chdir(dir); err != nil {
		return err
	}
	if spec.UID != 0 || spec.GID != 0 {
		if err := syscall.Setgroups(spec.Groups); err != nil {
			return fmt.Errorf("set groups: %w", err)
		}
		if err := syscall.Setresgid(spec.GID, spec.GID, spec.GID); err != nil {
			return fmt.Errorf("set group: %d: %w", spec.GID, err)
		}
		if err := syscall.Setresuid(spec.UID, spec.UID, spec.UID); err != nil {
			return fmt.Errorf("set user: %d: %w", spec.UID, err)
		}
	}
	if !spec.NewPrivileges {
		if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
			return fmt.Errorf("give up new privileges: %w", err)
		}
	}
	return nil
}

// limitOpenFiles sets both limits, or the hard limit where that is lower and
// may not be raised.
func limitOpenFiles(want uint64) error {
	err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &syscall.Rlimit{Cur: want, Max: want})
	if !errors.Is(err, syscall.EPERM) {
		return err
	}
	var have syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &have); err != nil {
		return fmt.Errorf("read limit of open files: %w", err)
	}
	have.Cur = min(want, have.Max)
	return syscall.Setrlimit(syscall.RLIMIT_NOFILE, &have)
}
