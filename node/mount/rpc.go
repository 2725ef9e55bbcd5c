package mount

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
	"google.golang.org/protobuf/types/known/emptypb"

	machinepb "github.com/ichor-os/ichor/api/machine"
)

// RPC serves the method of MachineService about mounts.
type RPC struct{}

// Mounts implements MachineService. A mount that cannot be asked for its size
// is listed without one, so that a single broken one hides none of the others.
func (RPC) Mounts(context.Context, *emptypb.Empty) (*machinepb.MountsResponse, error) {
	text, err := os.ReadFile("/proc/self/mounts")
	if err != nil {
		return nil, fmt.Errorf("read mounts: %w", err)
	}
	list := &machinepb.Mounts{}
	for _, entry := range parseMounts(string(text)) {
		stat := &machinepb.MountStat{Filesystem: entry.source, MountedOn: entry.target}
		var fs unix.Statfs_t
		if err := unix.Statfs(entry.target, &fs); err == nil {
			stat.Size = fs.Blocks * uint64(fs.Bsize)
			stat.Available = fs.Bavail * uint64(fs.Bsize)
		}
		list.Stats = append(list.Stats, stat)
	}
	return &machinepb.MountsResponse{Messages: []*machinepb.Mounts{list}}, nil
}

type mounted struct{ source, target string }

// parseMounts reads the format of fstab(5), in which the kernel writes blanks
// and backslashes as octal numbers.
func parseMounts(text string) []mounted {
	var list []mounted
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		if len(fields) >= 2 {
			list = append(list, mounted{source: unescape(fields[0]), target: unescape(fields[1])})
		}
	}
	return list
}

func unescape(field string) string {
	var out strings.Builder
	for i := 0; i < len(field); i++ {
		if field[i] == '\\' && i+4 <= len(field) {
			if n, err := strconv.ParseUint(field[i+1:i+4], 8, 8); err == nil {
				out.WriteByte(byte(n))
				i += 3
				continue
			}
		}
		out.WriteByte(field[i])
	}
	return out.String()
}
