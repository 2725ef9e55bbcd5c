package process

import (
	"encoding/json"
	"fmt"
	"os"
	"syscall"
)

// ExecName is argv[0] under which the node's binary runs Exec.
const ExecName = "ichor-exec"

// Spec is a program to start and what it may do.
type Spec struct {
	// Path is the program, Args its arguments without argv[0].
	Path string   `json:"path"`
	Args []string `json:"args,omitempty"`
	// Name is argv[0]; the default is Path.
	Name string `json:"name,omitempty"`
	// Env is the whole environment, as KEY=VALUE.
	Env []string `json:"env,omitempty"`
	// Dir is the working directory; the default is /.
	Dir string `json:"dir,omitempty"`
	// UID and GID are the user the program runs as; Groups are further groups.
	UID    int   `json:"uid,omitempty"`
	GID    int   `json:"gid,omitempty"`
	Groups []int `json:"groups,omitempty"`
	// NewPrivileges allows set-uid programs and file capabilities. It is off
	// by default, so a program and its children keep what they start with.
	NewPrivileges bool `json:"newPrivileges,omitempty"`
	// OOMScoreAdjust is written to oom_score_adj where the kernel allows it.
	OOMScoreAdjust int `json:"oomScoreAdjust,omitempty"`
	// OpenFiles is the limit on open files; 0 keeps the inherited one.
	OpenFiles uint64 `json:"openFiles,omitempty"`
	// CgroupProcs are cgroup.procs files the program writes itself into
	// before it runs.
	CgroupProcs []string `json:"cgroupProcs,omitempty"`
	// CgroupFD is an open cgroup v2 folder to be born in; nil for none.
	CgroupFD *os.File `json:"-"`
	// Stdin, Stdout and Stderr become the program's first files; nil is
	// /dev/null. Files follow them as 3, 4, ….
	Stdin, Stdout, Stderr *os.File   `json:"-"`
	Files                 []*os.File `json:"-"`
}

// specVariable carries the Spec to Exec.
const specVariable = "ICHOR_EXEC_SPEC"

// Start runs spec as the leader of a new session. The program is started
// through Exec, so self must be the path of a binary that calls Exec when its
// argv[0] is ExecName.
func (r *Reaper) Start(self string, spec Spec) (*Process, error) {
	encoded, err := json.Marshal(spec)
	if err != nil {
		return nil, fmt.Errorf("encode process spec: %s: %w", spec.Path, err)
	}
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return nil, fmt.Errorf("start process: %s: %w", spec.Path, err)
	}
	defer null.Close()
	orNull := func(f *os.File) *os.File {
		if f == nil {
			return null
		}
		return f
	}
	attr := &os.ProcAttr{
		Dir:   "/",
		Env:   []string{specVariable + "=" + string(encoded)},
		Files: append([]*os.File{orNull(spec.Stdin), orNull(spec.Stdout), orNull(spec.Stderr)}, spec.Files...),
		Sys:   &syscall.SysProcAttr{Setsid: true},
	}
	if spec.CgroupFD != nil {
		attr.Sys.UseCgroupFD = true
		attr.Sys.CgroupFD = int(spec.CgroupFD.Fd())
	}
	child, err := r.start(self, []string{ExecName}, attr)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", spec.Path, err)
	}
	return child, nil
}
