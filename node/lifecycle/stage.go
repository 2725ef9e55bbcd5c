package lifecycle

import (
	"context"
	"log/slog"

	"github.com/ichor-os/ichor/node/lifecycle/spec"
	servicespec "github.com/ichor-os/ichor/node/service/spec"
	"github.com/ichor-os/ichor/resource"
)

// StatusID is the id of the machine's one status.
const StatusID = "machine"

// wanted are the services whose health makes a running machine ready.
var wanted = []string{"apid", "containerd", "kubelet", "etcd", "trustd"}

// SetStage says in which stage the machine is. What is not ready in it is found
// by reconciling, see ReconcileStatus.
func SetStage(ctx context.Context, engine *resource.Engine, stage spec.Stage) error {
	return engine.Commit(ctx, "lifecycle-stage", func(s *resource.Session) error {
		stages.Put(s, StatusID, StageSpec{Stage: stage})
		return nil
	})
}

// StageSpec is the stage as whoever boots or ends the machine set it.
type StageSpec struct {
	Stage spec.Stage `yaml:"stage" protobuf:"1"`
}

var stages = resource.Define[StageSpec]("MachineStages.ichor.dev", resource.Namespace("runtime"), resource.DisplayType("MachineStage"))

// Kinds are those of this package's own.
func Kinds() []resource.AnyKind { return []resource.AnyKind{stages} }

// ReconcileStatus derives the machine's status: a machine is ready in the stage
// running when each of its services is healthy.
func ReconcileStatus(_ context.Context, s *resource.Session) error {
	stage, ok := stages.Get(s, StatusID)
	if !ok {
		return nil
	}
	status := spec.MachineStatusSpec{Stage: stage.Stage}
	status.Status.Ready = stage.Stage == spec.StageRunning || stage.Stage == spec.StageMaintenance
	if stage.Stage == spec.StageRunning {
		for _, id := range wanted {
			service, ok := servicespec.Services.Get(s, id)
			if ok && !service.Healthy {
				status.Status.Ready = false
				status.Status.UnmetConditions = append(status.Status.UnmetConditions, spec.UnmetCondition{
					Name: "services", Reason: "service " + id + " is not healthy",
				})
			}
		}
	}
	spec.MachineStatuses.Put(s, StatusID, status)
	return nil
}

// ShowStage is SetStage where nobody can act on a failure: it is logged.
func ShowStage(ctx context.Context, engine *resource.Engine, log *slog.Logger, stage spec.Stage) {
	if err := SetStage(ctx, engine, stage); err != nil {
		log.Error("stage is not shown", "stage", stage.String(), "error", err)
	}
}
