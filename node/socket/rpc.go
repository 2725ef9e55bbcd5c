package socket

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	machinepb "github.com/ichor-os/ichor/api/machine"
)

// RPC serves the method of MachineService about connections.
type RPC struct {
	// Proc is where procfs is mounted, Named the folder of named namespaces.
	Proc, Named string
}

// Netstat implements MachineService. A namespace that goes away meanwhile is
// left out; one that is asked for by name and not there is refused.
func (r RPC) Netstat(ctx context.Context, in *machinepb.NetstatRequest) (*machinepb.NetstatResponse, error) {
	chosen, err := r.choose(in.GetNetns())
	if err != nil {
		return nil, err
	}
	var holders map[uint64]*machinepb.ConnectRecord_Process
	if in.GetFeature().GetPid() {
		if holders, err = owners(r.Proc); err != nil {
			return nil, status.Errorf(codes.Internal, "look for owners of sockets: %v", err)
		}
	}
	answer := &machinepb.Netstat{}
	for _, s := range chosen {
		for _, protocol := range wanted(in.GetL4Proto()) {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			records, err := table(filepath.Join(r.Proc, s.pid, "net", protocol), protocol, s.name)
			if err != nil {
				return nil, status.Errorf(codes.Internal, "read connections: %v", err)
			}
			for _, record := range records {
				if !matches(in.GetFilter(), record) {
					continue
				}
				record.Process = holders[record.GetInode()]
				answer.Connectrecord = append(answer.Connectrecord, record)
			}
		}
	}
	return &machinepb.NetstatResponse{Messages: []*machinepb.Netstat{answer}}, nil
}

// choose gives the namespaces that a request asks for; without a word the
// node's own.
func (r RPC) choose(in *machinepb.NetstatRequest_NetNS) ([]space, error) {
	all, err := spaces(r.Proc, r.Named)
	if err != nil {
		return nil, status.Errorf(codes.Internal, "look for network namespaces: %v", err)
	}
	if in.GetAllnetns() {
		return all, nil
	}
	var chosen []space
	if in.GetHostnetwork() || len(in.GetNetns()) == 0 {
		chosen = append(chosen, all[0])
	}
	for _, name := range in.GetNetns() {
		i := slices.IndexFunc(all, func(s space) bool { return s.name == name })
		if i < 0 {
			return nil, status.Errorf(codes.NotFound, "network namespace %q is not there, or no process lives in it", name)
		}
		chosen = append(chosen, all[i])
	}
	return chosen, nil
}

// wanted gives the protocols of a request; without one all.
func wanted(in *machinepb.NetstatRequest_L4Proto) []string {
	on := map[string]bool{
		"tcp": in.GetTcp(), "tcp6": in.GetTcp6(), "udp": in.GetUdp(), "udp6": in.GetUdp6(),
		"udplite": in.GetUdplite(), "udplite6": in.GetUdplite6(), "raw": in.GetRaw(), "raw6": in.GetRaw6(),
	}
	var out []string
	for _, protocol := range protocols {
		if on[protocol] {
			out = append(out, protocol)
		}
	}
	if len(out) == 0 {
		return protocols
	}
	return out
}

// matches tells listening sockets from connected ones. One that is not of TCP
// listens if it has no other end.
func matches(filter machinepb.NetstatRequest_Filter, r *machinepb.ConnectRecord) bool {
	listens := r.GetState() == machinepb.ConnectRecord_LISTEN || r.GetState() == machinepb.ConnectRecord_CLOSE && r.GetRemoteport() == 0
	switch filter {
	case machinepb.NetstatRequest_LISTENING:
		return listens
	case machinepb.NetstatRequest_CONNECTED:
		return !listens
	}
	return true
}

// inodeOf gives the inode of a file as text, or "".
func inodeOf(path string) string {
	info, err := os.Stat(path)
	if err != nil {
		return ""
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return ""
	}
	return strconv.FormatUint(stat.Ino, 10)
}
