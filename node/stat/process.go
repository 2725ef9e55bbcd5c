package stat

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/prometheus/procfs"
	"google.golang.org/protobuf/types/known/emptypb"

	machinepb "github.com/ichor-os/ichor/api/machine"
)

// Processes implements MachineService. A process that ends while it is looked
// at is left out.
func (r RPC) Processes(ctx context.Context, _ *emptypb.Empty) (*machinepb.ProcessesResponse, error) {
	files, err := r.proc()
	if err != nil {
		return nil, err
	}
	all, err := files.AllProcs()
	if err != nil {
		return nil, unread("processes", err)
	}
	answer := &machinepb.Process{}
	for _, p := range all {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if info := r.process(p); info != nil {
			answer.Processes = append(answer.Processes, info)
		}
	}
	return &machinepb.ProcessesResponse{Messages: []*machinepb.Process{answer}}, nil
}

// process describes one process; nil if it is gone.
func (r RPC) process(p procfs.Proc) *machinepb.ProcessInfo {
	s, err := p.Stat()
	if err != nil {
		return nil
	}
	info := &machinepb.ProcessInfo{
		Pid: int32(s.PID), Ppid: int32(s.PPID), State: s.State, Threads: int32(s.NumThreads), CpuTime: s.CPUTime(),
		VirtualMemory: uint64(s.VirtualMemory()), ResidentMemory: uint64(s.ResidentMemory()), Command: s.Comm,
	}
	// Kernel threads and zombies have neither.
	if path, err := p.Executable(); err == nil {
		info.Executable = path
	}
	if args, err := p.CmdLine(); err == nil {
		info.Args = strings.Join(args, " ")
	}
	label, err := os.ReadFile(filepath.Join(r.Proc, strconv.Itoa(p.PID), "attr", "current"))
	if err == nil {
		info.Label = strings.TrimRight(string(label), "\x00\n")
	}
	return info
}
