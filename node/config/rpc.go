package config

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/ichor-os/ichor/api/applyconfig"
	machinepb "github.com/ichor-os/ichor/api/machine"
	machineconfig "github.com/ichor-os/ichor/config"
	"github.com/ichor-os/ichor/config/diff"
	"github.com/ichor-os/ichor/config/document"
	"github.com/ichor-os/ichor/config/validate"
)

// defaultTrial is how long a config is tried if the client does not say.
const defaultTrial = time.Minute

// RPC serves ApplyConfiguration.
type RPC struct {
	Keeper *Keeper
	Log    *slog.Logger
	// Mode is what the config is validated for.
	Mode document.Mode
	// Refuse say what of a valid config this node could not run with.
	Refuse []func(*machineconfig.Config) error
	// First takes the first complete config of a node in maintenance; it is
	// called once.
	First func(*machineconfig.Config)
}

// request is a call that was read.
type request struct {
	*version
	mode   machinepb.ApplyConfigurationRequest_Mode
	dryRun bool
	base   string
	bound  time.Duration
	trial  time.Duration
}

// ApplyConfiguration implements MachineService.
func (r *RPC) ApplyConfiguration(ctx context.Context, in *machinepb.ApplyConfigurationRequest) (*machinepb.ApplyConfigurationResponse, error) {
	k := r.Keeper
	if !k.mu.TryLock() {
		return nil, status.Error(codes.FailedPrecondition, "another config is being applied: try again when it is done")
	}
	defer k.mu.Unlock()
	k.confirmReached()
	q, err := read(ctx, in)
	if err != nil {
		return nil, err
	}
	if q.config.Main() == nil && k.stored != nil {
		return nil, status.Error(codes.InvalidArgument, "the config has no v1alpha1 document: apply the whole config, or use patch to change a part")
	}
	report := q.config.Validate(r.Mode, validate.Options{})
	if err := report.Err(); err != nil {
		return nil, status.Errorf(codes.InvalidArgument, "config is not valid: %v", err)
	}
	for _, refused := range r.Refuse {
		if err := refused(q.config); err != nil {
			return nil, status.Errorf(codes.InvalidArgument, "this node cannot take the config: %v", err)
		}
	}
	answer := &machinepb.ApplyConfiguration{}
	for _, warning := range report.Warnings {
		answer.Warnings = append(answer.Warnings, warning.String())
	}
	answer.Warnings = append(answer.Warnings, report.NotInForce()...)
	if k.stored == nil {
		answer.Mode, answer.ModeDetails, err = r.first(q)
	} else {
		answer.Mode, answer.ModeDetails, err = r.change(ctx, q)
	}
	if err != nil {
		return nil, err
	}
	return &machinepb.ApplyConfigurationResponse{Messages: []*machinepb.ApplyConfiguration{answer}}, nil
}

func read(ctx context.Context, in *machinepb.ApplyConfigurationRequest) (request, error) {
	v, err := newVersion(in.GetData())
	if err != nil {
		return request{}, status.Errorf(codes.InvalidArgument, "read config: %v", err)
	}
	q := request{version: v, mode: in.GetMode(), dryRun: in.GetDryRun(), bound: DefaultBound, trial: in.GetTryModeTimeout().AsDuration()}
	if q.trial <= 0 {
		q.trial = defaultTrial
	}
	if values := metadata.ValueFromIncomingContext(ctx, applyconfig.BaseKey); len(values) > 0 {
		q.base = values[0]
	}
	if values := metadata.ValueFromIncomingContext(ctx, applyconfig.BoundKey); len(values) > 0 {
		bound, err := time.ParseDuration(values[0])
		if err != nil || bound < MinBound || bound > MaxBound {
			return request{}, status.Errorf(codes.InvalidArgument, "%s: %q: want a time from %s to %s", applyconfig.BoundKey, values[0], MinBound, MaxBound)
		}
		q.bound = bound
	}
	return q, nil
}

// first takes a config on a node that has none.
func (r *RPC) first(q request) (machinepb.ApplyConfigurationRequest_Mode, string, error) {
	k, mode := r.Keeper, q.mode
	if mode == machinepb.ApplyConfigurationRequest_TRY {
		return mode, "", status.Error(codes.FailedPrecondition, "there is no config to return to: a first config cannot be tried")
	}
	if mode == machinepb.ApplyConfigurationRequest_AUTO {
		mode = machinepb.ApplyConfigurationRequest_NO_REBOOT
	}
	complete := q.config.Main() != nil
	details := "The node leaves maintenance and goes on with this config."
	if !complete {
		details = "The config is kept. The node stays in maintenance until a config with the v1alpha1 document is applied, which replaces this one."
	}
	if q.dryRun {
		return mode, "Dry run, nothing was changed. " + details, nil
	}
	if err := k.Disk.Write(storedFile, q.text); err != nil {
		return mode, "", status.Errorf(codes.Internal, "%v", err)
	}
	r.Log.Info("config is stored", "mode", mode.String())
	if complete {
		k.stored = q.version
		k.forget()
		r.First(q.config)
	}
	return mode, details, nil
}

// change takes a config on a node that has one.
func (r *RPC) change(ctx context.Context, q request) (machinepb.ApplyConfigurationRequest_Mode, string, error) {
	k := r.Keeper
	if k.active == nil {
		return q.mode, "", status.Error(codes.FailedPrecondition, "the node is not yet up with its config: try again in a moment")
	}
	if err := k.checkBase(q.base); err != nil {
		return q.mode, "", err
	}
	c, err := k.consider(q)
	if err != nil {
		return q.mode, "", err
	}
	if c.cuts {
		_ = grpc.SetHeader(ctx, metadata.Pairs(applyconfig.BoundKey, c.bound.String()))
	}
	if q.dryRun {
		return c.mode, "Dry run, nothing was changed. " + c.will() + "\n" + c.describe(), nil
	}
	if err := k.apply(ctx, c); err != nil {
		return c.mode, "", err
	}
	r.Log.Info("config is applied", "mode", c.mode.String(), "keys", strings.Join(c.keys(), ", "))
	return c.mode, c.will(), nil
}

// checkBase refuses a change that began with a config that is not the stored one
// any more.
func (k *Keeper) checkBase(base string) error {
	if base == "" {
		return nil
	}
	text, err := k.stored.config.Encode()
	if err != nil {
		return status.Errorf(codes.Internal, "encode config: %v", err)
	}
	if base != applyconfig.Digest(text) {
		return status.Error(codes.Aborted, "the node's config was changed by somebody else since it was read: read it again, and repeat the change on what it is now")
	}
	return nil
}

// text is the plan and what differs, for people.
func (c *change) describe() string {
	var b strings.Builder
	b.WriteString("\nPlan:\n")
	_ = c.plan.Write(&b)
	if changes := machineconfig.Diff(c.from.config, c.config); len(changes) > 0 {
		b.WriteString("\nDifferences:\n")
		_ = diff.Write(&b, changes)
	}
	return strings.TrimRight(b.String(), "\n")
}

// will says in a few sentences what happens.
func (c *change) will() string {
	var said string
	switch c.mode {
	case machinepb.ApplyConfigurationRequest_STAGED:
		said = "The config is in force after the next reboot."
	case machinepb.ApplyConfigurationRequest_REBOOT:
		said = "The node reboots into this config."
	case machinepb.ApplyConfigurationRequest_TRY:
		said = fmt.Sprintf("The config is in force without a reboot, for %s: then the one of before comes back, unless a config is applied meanwhile.", c.trial)
	default:
		said = "The config is in force without a reboot."
		if restarts := c.plan.Restarts(); len(restarts) > 0 {
			said = "The config is in force without a reboot; what restarts: " + strings.Join(restarts, ", ") + "."
		}
		if c.plan.Empty() {
			said = "Nothing changes."
		}
	}
	if c.cuts {
		said += fmt.Sprintf(" It may cut the node off from the network (%s): it stays if an administrator calls the node within %s after that, or all works as before; otherwise the last good config comes back.",
			strings.Join(c.keys(), ", "), c.bound)
	}
	return said
}
