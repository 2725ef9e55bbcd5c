package lifecycle

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	machinepb "github.com/ichor-os/ichor/api/machine"
)

var quiet = slog.New(slog.DiscardHandler)

// kept is a Wipes in memory.
type kept struct {
	pending []byte
	all     bool
}

func (k *kept) Pending() []byte     { return k.pending }
func (k *kept) Keep(p []byte) error { k.pending = p; return nil }
func (k *kept) Done(all bool) error { k.pending, k.all = nil, all; return nil }

func node() (RPC, *kept, *[]string) {
	events, wipes := &[]string{}, &kept{}
	ends := NewEnds(quiet)
	ends.Publish = func(actor string, event proto.Message) {
		if e, ok := event.(*machinepb.SequenceEvent); ok && actor != "" {
			*events = append(*events, e.GetSequence()+" "+e.GetAction().String())
		}
	}
	return RPC{Ends: ends, Wipes: wipes, Leave: func(context.Context) error { return nil }}, wipes, events
}

// place makes folders with something in them.
func place(t *testing.T) map[string]string {
	t.Helper()
	folders := map[string]string{labelState: t.TempDir(), labelEphemeral: t.TempDir()}
	for _, folder := range folders {
		if err := os.MkdirAll(filepath.Join(folder, "a/b"), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, "a/b/secret"), []byte("x"), 0o400); err != nil {
			t.Fatal(err)
		}
	}
	return folders
}

func left(t *testing.T, folder string) int {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	return len(entries)
}

func TestReset_WipesWhatWasAskedFor(t *testing.T) {
	part := func(labels ...string) (list []*machinepb.ResetPartitionSpec) {
		for _, label := range labels {
			list = append(list, &machinepb.ResetPartitionSpec{Label: label, Wipe: true})
		}
		return list
	}
	for name, test := range map[string]struct {
		request                *machinepb.ResetRequest
		state, ephemeral, meta bool
		end                    End
	}{
		"everything":     {&machinepb.ResetRequest{}, true, true, true, PowerOff},
		"and reboot":     {&machinepb.ResetRequest{Reboot: true}, true, true, true, Reboot},
		"ephemeral only": {&machinepb.ResetRequest{SystemPartitionsToWipe: part("EPHEMERAL"), Reboot: true}, false, true, false, Reboot},
		"state and meta": {&machinepb.ResetRequest{SystemPartitionsToWipe: part("STATE", "META")}, true, false, true, PowerOff},
	} {
		r, wipes, events := node()
		folders := place(t)
		answer, err := r.Reset(t.Context(), test.request)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if answer.GetMessages()[0].GetActorId() == "" || !slices.Equal(*events, []string{"reset START"}) {
			t.Errorf("%s: actor %q, events %v", name, answer.GetMessages()[0].GetActorId(), *events)
		}
		if got := <-r.Ends.Requested(); got != test.end {
			t.Errorf("%s: end = %s, want %s", name, got, test.end)
		}
		if left(t, folders[labelState]) == 0 || left(t, folders[labelEphemeral]) == 0 {
			t.Errorf("%s: something is wiped while the node runs", name)
		}
		// The second call finds nothing to do.
		for range 2 {
			if err := Erase(wipes, folders, quiet); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
		got := []bool{left(t, folders[labelState]) == 0, left(t, folders[labelEphemeral]) == 0, wipes.all}
		if diff := cmp.Diff([]bool{test.state, test.ephemeral, test.meta}, got); diff != "" {
			t.Errorf("%s: state, ephemeral, meta wiped (-want +got):\n%s", name, diff)
		}
	}
}

func TestReset_RefusesAndChangesNothing(t *testing.T) {
	for name, test := range map[string]struct {
		request *machinepb.ResetRequest
		want    codes.Code
	}{
		"unknown partition": {&machinepb.ResetRequest{SystemPartitionsToWipe: []*machinepb.ResetPartitionSpec{{Label: "BOOT", Wipe: true}}}, codes.InvalidArgument},
		"user disks":        {&machinepb.ResetRequest{UserDisksToWipe: []string{"/dev/sdb"}}, codes.FailedPrecondition},
		"user disks mode":   {&machinepb.ResetRequest{Mode: machinepb.ResetRequest_USER_DISKS}, codes.FailedPrecondition},
		"etcd stays":        {&machinepb.ResetRequest{Graceful: true}, codes.FailedPrecondition},
	} {
		r, wipes, events := node()
		r.Leave = func(context.Context) error { return errors.New("no quorum") }
		_, err := r.Reset(t.Context(), test.request)
		if status.Code(err) != test.want || wipes.pending != nil || len(*events) > 0 {
			t.Errorf("%s: %v, kept %q, events %v; want %s and nothing", name, err, wipes.pending, *events, test.want)
		}
	}
}

func TestErase_GoesOnAfterAFailure(t *testing.T) {
	r, wipes, _ := node()
	if _, err := r.Reset(t.Context(), &machinepb.ResetRequest{}); err != nil {
		t.Fatal(err)
	}
	folders := place(t)
	broken := map[string]string{labelState: folders[labelState], labelEphemeral: filepath.Join(t.TempDir(), "missing")}
	if err := Erase(wipes, broken, quiet); err == nil || wipes.pending == nil {
		t.Errorf("erase = %v, kept %q; want a failure that is kept", err, wipes.pending)
	}
	if left(t, folders[labelState]) != 0 {
		t.Error("a failure on one partition keeps another from being wiped")
	}
	if err := Erase(wipes, folders, quiet); err != nil || wipes.pending != nil || left(t, folders[labelEphemeral]) != 0 {
		t.Errorf("second erase = %v, kept %q", err, wipes.pending)
	}
}

func TestEnds_TellTheFirstRequestAndRefuseOthers(t *testing.T) {
	r, _, events := node()
	first, err := r.Reboot(t.Context(), nil)
	if err != nil || first.GetMessages()[0].GetActorId() == "" {
		t.Fatalf("reboot = %v, %v", first, err)
	}
	if _, err := r.Shutdown(t.Context(), nil); status.Code(err) != codes.FailedPrecondition {
		t.Errorf("shutdown during a reboot = %v, want FailedPrecondition", err)
	}
	r.Ends.Request(PowerOff)
	if got := <-r.Ends.Requested(); got != Reboot || !slices.Equal(*events, []string{"reboot START"}) {
		t.Errorf("end = %s, events %v", got, *events)
	}
}
