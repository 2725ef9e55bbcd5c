package lifecycle

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	machinepb "github.com/ichor-os/ichor/api/machine"
)

// Wipes keeps which partitions are to be wiped, so that a wipe that was cut
// short goes on at the next start. META is a good place.
type Wipes interface {
	// Pending gives what was kept, or nil.
	Pending() []byte
	// Keep keeps it, durably, before anything is wiped.
	Keep([]byte) error
	// Done forgets it, and with all everything else in META.
	Done(all bool) error
}

// Labels of partitions that a reset may wipe.
const (
	labelState     = "STATE"
	labelEphemeral = "EPHEMERAL"
	labelMeta      = "META"
)

// Folders are where the partitions of a node in namespaces lie.
var Folders = map[string]string{labelState: "/system/state", labelEphemeral: "/var"}

// wipe is what Wipes keeps.
type wipe struct {
	Labels []string `json:"labels"`
}

// Reset implements MachineService. A graceful one leaves etcd first. What is to
// be wiped is kept before the machine goes down; it is wiped when nothing runs
// any more, and what is left of it at the next start.
func (r RPC) Reset(ctx context.Context, in *machinepb.ResetRequest) (*machinepb.ResetResponse, error) {
	plan, err := planReset(in)
	if err != nil {
		return nil, err
	}
	if name := r.Ends.Sequence(); name != "" {
		return nil, r.errEnds()
	}
	if in.GetGraceful() {
		if err := r.Leave(ctx); err != nil {
			return nil, status.Errorf(codes.FailedPrecondition, "leave etcd: %v: with --graceful=false the node is reset without that", err)
		}
	}
	text, err := json.Marshal(plan)
	if err == nil {
		err = r.Wipes.Keep(text)
	}
	if err != nil {
		return nil, status.Errorf(codes.Internal, "keep what to wipe: %v", err)
	}
	id, end := actor(), PowerOff
	if in.GetReboot() {
		end = Reboot
	}
	if !r.Ends.begin(end, "reset", id) {
		return nil, errors.Join(r.errEnds(), r.Wipes.Done(false))
	}
	return &machinepb.ResetResponse{Messages: []*machinepb.Reset{{ActorId: id}}}, nil
}

// planReset says what a request wipes, or why it cannot.
func planReset(in *machinepb.ResetRequest) (wipe, error) {
	if in.GetMode() == machinepb.ResetRequest_USER_DISKS || len(in.GetUserDisksToWipe()) > 0 {
		return wipe{}, status.Error(codes.FailedPrecondition, "wiping user disks needs a disk: a node in namespaces has none")
	}
	plan := wipe{}
	for _, p := range in.GetSystemPartitionsToWipe() {
		if !slices.Contains([]string{labelState, labelEphemeral, labelMeta}, p.GetLabel()) {
			return wipe{}, status.Errorf(codes.InvalidArgument, "partition %q cannot be wiped: there are %s, %s and %s",
				p.GetLabel(), labelState, labelEphemeral, labelMeta)
		}
		if p.GetWipe() {
			plan.Labels = append(plan.Labels, p.GetLabel())
		}
	}
	if len(in.GetSystemPartitionsToWipe()) == 0 {
		plan.Labels = []string{labelEphemeral, labelState, labelMeta}
	}
	return plan, nil
}

// Erase wipes what a reset asked for, if one did. It must run when nothing else
// runs: at the end of the machine, or at its start. A crash leaves the rest to
// the next call.
func Erase(wipes Wipes, folders map[string]string, log *slog.Logger) error {
	text := wipes.Pending()
	if text == nil {
		return nil
	}
	var plan wipe
	if err := json.Unmarshal(text, &plan); err != nil {
		return fmt.Errorf("read what to wipe: %w", err)
	}
	var failures error
	for _, label := range []string{labelEphemeral, labelState} {
		if slices.Contains(plan.Labels, label) {
			log.Info("partition is wiped", "label", label)
			failures = errors.Join(failures, empty(folders[label]))
		}
	}
	if failures != nil {
		return fmt.Errorf("wipe: %w", failures)
	}
	return wipes.Done(slices.Contains(plan.Labels, labelMeta))
}

// empty removes what is in a folder, but not the folder. It goes on after a
// failure, so that as little as can be is left.
func empty(folder string) error {
	if err := detach(folder); err != nil {
		return err
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	var failures error
	for _, entry := range entries {
		if err := os.RemoveAll(filepath.Join(folder, entry.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
			failures = errors.Join(failures, err)
		}
	}
	return failures
}

// detach unmounts what is mounted below a folder, so that nothing is removed
// that only shows there.
func detach(folder string) error {
	table, err := os.ReadFile("/proc/self/mounts")
	if errors.Is(err, fs.ErrNotExist) {
		return nil // the very start of a node: nothing is mounted yet
	}
	if err != nil {
		return err
	}
	lines := strings.Split(string(table), "\n")
	for _, line := range slices.Backward(lines) {
		fields := strings.Fields(line)
		if len(fields) < 2 || !strings.HasPrefix(fields[1], folder+"/") {
			continue
		}
		target := strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`).Replace(fields[1])
		if err := unix.Unmount(target, unix.MNT_DETACH); err != nil && !errors.Is(err, unix.EINVAL) && !errors.Is(err, unix.ENOENT) {
			return fmt.Errorf("unmount: %s: %w", target, err)
		}
	}
	return nil
}
