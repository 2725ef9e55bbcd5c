package platform

import (
	"context"
	"os"
	"runtime"

	"google.golang.org/protobuf/types/known/emptypb"

	machinepb "github.com/ichor-os/ichor/api/machine"
	"github.com/ichor-os/ichor/version"
)

// RPC serves the methods of MachineService that say what the node is.
type RPC struct {
	// Name and Mode are the platform's, "container" both in namespaces.
	Name, Mode string
}

// Version implements MachineService. The tag is the contract's version, by
// which clients decide whether they can speak to the node.
func (r RPC) Version(context.Context, *emptypb.Empty) (*machinepb.VersionResponse, error) {
	return &machinepb.VersionResponse{Messages: []*machinepb.Version{{
		Version: &machinepb.VersionInfo{
			Tag:       version.Contract,
			GoVersion: runtime.Version(),
			Os:        runtime.GOOS,
			Arch:      runtime.GOARCH,
		},
		Platform: &machinepb.PlatformInfo{Name: r.Name, Mode: r.Mode},
		Features: &machinepb.FeaturesInfo{Rbac: true},
	}}}, nil
}

// Hostname implements MachineService.
func (r RPC) Hostname(context.Context, *emptypb.Empty) (*machinepb.HostnameResponse, error) {
	name, err := os.Hostname()
	if err != nil {
		return nil, err
	}
	return &machinepb.HostnameResponse{Messages: []*machinepb.Hostname{{Hostname: name}}}, nil
}
