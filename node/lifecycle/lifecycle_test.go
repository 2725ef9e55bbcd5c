package lifecycle

import (
	"context"
	"io"
	"log/slog"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"

	machinepb "github.com/ichor-os/ichor/api/machine"

	"github.com/ichor-os/ichor/node/lifecycle/spec"
	servicespec "github.com/ichor-os/ichor/node/service/spec"
	"github.com/ichor-os/ichor/resource"
)

func TestReconcileStatus_IsReadyWhenServicesAreHealthy(t *testing.T) {
	engine := resource.New(resource.Options{})
	if err := engine.Register(append(append(Kinds(), spec.Kinds()...), servicespec.Kinds()...)...); err != nil {
		t.Fatal(err)
	}
	if err := engine.Add(resource.Reconciler("machine-status", ReconcileStatus)); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	ended := make(chan error, 1)
	go func() { ended <- engine.Run(ctx) }()
	defer func() { stop(); <-ended }()

	for _, step := range []struct {
		name    string
		stage   spec.Stage
		healthy map[string]bool
		ready   bool
		unmet   []string
	}{
		{"booting", spec.StageBooting, nil, false, nil},
		{"maintenance", spec.StageMaintenance, nil, true, nil},
		{"etcd is not healthy", spec.StageRunning, map[string]bool{"apid": true, "etcd": false}, false, []string{"service etcd is not healthy"}},
		{"all are healthy", spec.StageRunning, map[string]bool{"apid": true, "etcd": true}, true, nil},
	} {
		err := engine.Commit(ctx, "services", func(s *resource.Session) error {
			for id, healthy := range step.healthy {
				servicespec.Services.Put(s, id, servicespec.ServiceSpec{Running: true, Healthy: healthy})
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := SetStage(ctx, engine, step.stage); err != nil {
			t.Fatal(err)
		}
		if err := engine.Settled(ctx); err != nil {
			t.Fatal(err)
		}
		err = engine.View(ctx, func(s *resource.Session) error {
			got, _ := spec.MachineStatuses.Get(s, StatusID)
			var unmet []string
			for _, condition := range got.Status.UnmetConditions {
				unmet = append(unmet, condition.Reason)
			}
			if got.Stage != step.stage || got.Status.Ready != step.ready {
				t.Errorf("%s: status = %+v, want stage %s, ready %v", step.name, got, step.stage, step.ready)
			}
			if diff := cmp.Diff(step.unmet, unmet); diff != "" {
				t.Errorf("%s: unmet (-want +got):\n%s", step.name, diff)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

func TestEnds_TheFirstRequestCounts(t *testing.T) {
	ends := NewEnds(slog.New(slog.NewTextHandler(io.Discard, nil)))
	ends.Request(Reboot)
	ends.Request(PowerOff)
	if got := <-ends.Requested(); got != Reboot {
		t.Errorf("end = %s, want reboot", got)
	}
}

func TestWithoutADisk_TheSystemIsNotReplaced(t *testing.T) {
	for name, call := range map[string]func() error{
		"upgrade":                          func() error { _, err := RPC{}.Upgrade(t.Context(), nil); return err },
		"rollback":                         func() error { _, err := RPC{}.Rollback(t.Context(), nil); return err },
		"install":                          func() error { return Service{}.Install(nil, nil) },
		"upgrade of the lifecycle service": func() error { return Service{}.Upgrade(nil, nil) },
	} {
		if err := call(); status.Code(err) != codes.FailedPrecondition || !strings.Contains(err.Error(), "needs a disk") || !strings.Contains(err.Error(), "cluster create") {
			t.Errorf("%s = %v, want FailedPrecondition that says what it needs and what to do", name, err)
		}
	}
}

func TestEnds_TellHowTheMachineEnds(t *testing.T) {
	for _, test := range []struct {
		end      End
		sequence string
		command  int64
	}{{Reboot, "reboot", 0x1234567}, {PowerOff, "shutdown", 0x4321fedc}} {
		var events []proto.Message
		ends := NewEnds(quiet)
		ends.Publish = func(_ string, event proto.Message) { events = append(events, event) }
		ends.Request(test.end)
		ends.Request(Reboot) // comes second and counts for nothing
		want := []proto.Message{
			&machinepb.SequenceEvent{Sequence: test.sequence, Action: machinepb.SequenceEvent_START},
			&machinepb.RestartEvent{Cmd: test.command},
		}
		if diff := cmp.Diff(want, events, protocmp.Transform()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.sequence, diff)
		}
	}
}
