package config

import (
	"context"
	"fmt"
	"log/slog"
	"sync"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	machinepb "github.com/ichor-os/ichor/api/machine"
	machineconfig "github.com/ichor-os/ichor/config"
	"github.com/ichor-os/ichor/config/document"
	"github.com/ichor-os/ichor/config/validate"
)

// RPC serves ApplyConfiguration.
type RPC struct {
	Store Store
	Log   *slog.Logger
	// Mode is what the config is validated for.
	Mode document.Mode
	// First takes the first config of a node in maintenance; it is called once.
	First func(*machineconfig.Config)
	// Again restarts the node with the stored config.
	Again func()

	mu         sync.Mutex
	configured bool
}

// Configured says that the node has a config already.
func (r *RPC) Configured() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.configured = true
}

// ApplyConfiguration implements MachineService. A running node takes a new
// config at its next boot; changing it live is not there yet, and is refused
// rather than half done.
func (r *RPC) ApplyConfiguration(_ context.Context, in *machinepb.ApplyConfigurationRequest) (*machinepb.ApplyConfigurationResponse, error) {
	if !r.mu.TryLock() {
		return nil, status.Error(codes.FailedPrecondition, "another config is being applied: try again when it is done")
	}
	defer r.mu.Unlock()
	c, err := machineconfig.Parse(in.GetData())
	if err != nil {
		return nil, status.Errorf(codes.InvalidArgument, "read config: %v", err)
	}
	if c.Main() == nil && r.configured {
		return nil, status.Error(codes.InvalidArgument, "the config has no v1alpha1 document: apply the whole config, or use patch to change a part")
	}
	report := c.Validate(r.Mode, validate.Options{})
	if err := report.Err(); err != nil {
		return nil, status.Errorf(codes.InvalidArgument, "config is not valid: %v", err)
	}
	answer := &machinepb.ApplyConfiguration{Mode: in.GetMode()}
	for _, warning := range report.Warnings {
		answer.Warnings = append(answer.Warnings, warning.String())
	}
	answer.Warnings = append(answer.Warnings, report.NotInForce()...)
	details, after, err := r.plan(in.GetMode(), c.Main() != nil)
	if err != nil {
		return nil, err
	}
	answer.ModeDetails = details
	if in.GetDryRun() {
		answer.ModeDetails = "Dry run, nothing was changed. " + details
		return response(answer), nil
	}
	if err := r.Store.Save(in.GetData()); err != nil {
		return nil, status.Errorf(codes.Internal, "%v", err)
	}
	r.Log.Info("config is stored", "mode", in.GetMode().String())
	after(c)
	return response(answer), nil
}

// plan says what applying in the mode does, and gives what to do after the
// config is stored. A config that is not complete lacks the v1alpha1 document.
func (r *RPC) plan(mode machinepb.ApplyConfigurationRequest_Mode, complete bool) (string, func(*machineconfig.Config), error) {
	if !r.configured {
		if mode == machinepb.ApplyConfigurationRequest_TRY {
			return "", nil, status.Error(codes.FailedPrecondition, "there is no config to return to: a first config cannot be tried")
		}
		if !complete {
			return "The config is kept. The node stays in maintenance until a config with the v1alpha1 document is applied, which replaces this one.",
				func(*machineconfig.Config) {}, nil
		}
		return "The node leaves maintenance and goes on with this config.", func(c *machineconfig.Config) {
			r.configured = true
			r.First(c)
		}, nil
	}
	switch mode {
	case machinepb.ApplyConfigurationRequest_STAGED:
		return "The config is in force after the next reboot.", func(*machineconfig.Config) {}, nil
	case machinepb.ApplyConfigurationRequest_REBOOT, machinepb.ApplyConfigurationRequest_AUTO:
		return "The node reboots into this config.", func(*machineconfig.Config) { r.Again() }, nil
	}
	return "", nil, status.Error(codes.Unimplemented,
		fmt.Sprintf("mode %s is not there yet, as a config cannot be changed live: use --mode=auto (reboots) or --mode=staged", mode))
}

func response(answer *machinepb.ApplyConfiguration) *machinepb.ApplyConfigurationResponse {
	return &machinepb.ApplyConfigurationResponse{Messages: []*machinepb.ApplyConfiguration{answer}}
}
