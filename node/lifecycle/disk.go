package lifecycle

import (
	"context"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	machinepb "github.com/ichor-os/ichor/api/machine"
)

// needsDisk refuses what writes the system to a disk. A node in namespaces has
// none: what it runs lies outside, with whoever started it.
func needsDisk(what string) error {
	return status.Errorf(codes.FailedPrecondition,
		"%s needs a disk: this node runs in namespaces, with the system of the talosctl that made it: "+
			"make its cluster anew with another talosctl ('cluster destroy', 'cluster create')", what)
}

// Upgrade implements MachineService.
func (RPC) Upgrade(context.Context, *machinepb.UpgradeRequest) (*machinepb.UpgradeResponse, error) {
	return nil, needsDisk("an upgrade")
}

// Rollback implements MachineService.
func (RPC) Rollback(context.Context, *machinepb.RollbackRequest) (*machinepb.RollbackResponse, error) {
	return nil, needsDisk("a rollback")
}

// Service serves LifecycleService.
type Service struct {
	machinepb.UnimplementedLifecycleServiceServer
}

// Install implements LifecycleService.
func (Service) Install(*machinepb.LifecycleServiceInstallRequest, grpc.ServerStreamingServer[machinepb.LifecycleServiceInstallResponse]) error {
	return needsDisk("an installation")
}

// Upgrade implements LifecycleService.
func (Service) Upgrade(*machinepb.LifecycleServiceUpgradeRequest, grpc.ServerStreamingServer[machinepb.LifecycleServiceUpgradeResponse]) error {
	return needsDisk("an upgrade")
}
