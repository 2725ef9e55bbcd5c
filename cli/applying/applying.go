// Package applying is how the commands apply-config, patch and edit give a node
// a config: they show the node's plan, apply, and look whether the node can
// still be reached where that is in doubt.
package applying

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/ichor-os/ichor/api/applyconfig"
	resourcepb "github.com/ichor-os/ichor/api/cosi/resource"
	machinepb "github.com/ichor-os/ichor/api/machine"
	"github.com/ichor-os/ichor/client"
)

// Flags say how a config is applied.
type Flags struct {
	dryRun  bool
	mode    string
	timeout time.Duration
	confirm time.Duration
}

// Add adds the flags.
func (f *Flags) Add(command *cobra.Command) {
	flags := command.Flags()
	flags.BoolVar(&f.dryRun, "dry-run", false, "only say what would change")
	flags.StringVarP(&f.mode, "mode", "m", "auto", "how to apply it: auto, no-reboot, reboot, staged (at the next boot) or try (for a while)")
	flags.DurationVar(&f.timeout, "timeout", time.Minute, "when a config with --mode=try is taken back")
	flags.DurationVar(&f.confirm, "confirm-timeout", 0, "how long a config that may cut a node off waits for confirmation before it is taken back (default: the node's, 2m)")
}

// A Change is a config for a node.
type Change struct {
	Text []byte
	// Base is the text of the config that it was made of; nil if it was not. A
	// node whose config is another one by now refuses it.
	Base []byte
	// Say tells the user something ahead of the result.
	Say func(text string)
}

// Apply gives one node a config and says what the node did with it.
func (f *Flags) Apply(ctx context.Context, c *client.Client, config Change) (string, error) {
	request, err := f.request(config.Text)
	if err != nil {
		return "", err
	}
	if config.Base != nil {
		ctx = metadata.AppendToOutgoingContext(ctx, applyconfig.BaseKey, applyconfig.Digest(config.Base))
	}
	if f.confirm > 0 {
		ctx = metadata.AppendToOutgoingContext(ctx, applyconfig.BoundKey, f.confirm.String())
	}
	var waits time.Duration
	if !f.dryRun {
		if waits, err = showPlan(ctx, c, request, config.Say); err != nil {
			return "", err
		}
	}
	response, err := c.Machine.ApplyConfiguration(ctx, request)
	if waits > 0 && status.Code(err) == codes.Unavailable {
		config.Say("the connection ended before the answer came: " + err.Error())
		return follow(ctx, c, waits)
	}
	if err != nil {
		return "", err
	}
	var said []string
	mode := request.Mode
	for _, message := range response.GetMessages() {
		for _, warning := range message.GetWarnings() {
			said = append(said, "WARNING: "+warning)
		}
		if details := message.GetModeDetails(); details != "" {
			said = append(said, details)
		}
		mode = message.GetMode()
	}
	if len(said) == 0 {
		said = []string{"the config is applied"}
	}
	if waits == 0 {
		return strings.Join(said, "\n"), nil
	}
	if mode != machinepb.ApplyConfigurationRequest_NO_REBOOT {
		return strings.Join(append(said, "After the reboot any call of an administrator confirms it."), "\n"), nil
	}
	config.Say(strings.Join(said, "\n"))
	return follow(ctx, c, waits)
}

func (f *Flags) request(text []byte) (*machinepb.ApplyConfigurationRequest, error) {
	name := strings.ToUpper(strings.ReplaceAll(f.mode, "-", "_"))
	mode, known := machinepb.ApplyConfigurationRequest_Mode_value[name]
	if !known {
		return nil, fmt.Errorf("--mode: %q: use auto, no-reboot, reboot, staged or try", f.mode)
	}
	return &machinepb.ApplyConfigurationRequest{
		Data: text, Mode: machinepb.ApplyConfigurationRequest_Mode(mode), DryRun: f.dryRun, TryModeTimeout: durationpb.New(f.timeout),
	}, nil
}

// showPlan asks the node what the config takes, and shows it. The config waits
// for confirmation that long, 0 is not. A node that does not make plans says
// nothing of one.
func showPlan(ctx context.Context, c *client.Client, request *machinepb.ApplyConfigurationRequest, say func(string)) (time.Duration, error) {
	dry := &machinepb.ApplyConfigurationRequest{Data: request.Data, Mode: request.Mode, DryRun: true, TryModeTimeout: request.TryModeTimeout}
	var header metadata.MD
	response, err := c.Machine.ApplyConfiguration(ctx, dry, grpc.Header(&header))
	if err != nil {
		return 0, err
	}
	for _, message := range response.GetMessages() {
		if _, plan, ok := strings.Cut(message.GetModeDetails(), "\n\nPlan:\n"); ok {
			plan, _, _ = strings.Cut(plan, "\n\nDifferences:\n")
			say("plan\n  " + strings.ReplaceAll(strings.TrimSpace(plan), "\n", "\n  "))
		}
	}
	waits := header.Get(applyconfig.BoundKey)
	if len(waits) == 0 {
		return 0, nil
	}
	bound, err := time.ParseDuration(waits[0])
	if err != nil {
		return 0, fmt.Errorf("read the node's answer: %s: %w", applyconfig.BoundKey, err)
	}
	return bound, nil
}

// How long a node is looked for after a change, beyond the time that it waits
// itself, and how often it is asked.
const (
	afterBound = time.Minute
	askEach    = time.Second
	askBound   = 5 * time.Second
)

// follow asks the node whether its config waits for confirmation, which confirms
// it, until it does not any more.
func follow(ctx context.Context, c *client.Client, bound time.Duration) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, bound+afterBound)
	defer cancel()
	var last error
	for {
		waits, err := diagnostic(ctx, c, applyconfig.Unconfirmed)
		if err == nil && waits == "" {
			break
		}
		last = err
		timer := time.NewTimer(askEach)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return "", fmt.Errorf("the node did not answer within %s after the change; if it was cut off, the last good config is back by itself: look at it with `talosctl get diagnostics`: %w", bound+afterBound, last)
		}
	}
	reverted, err := diagnostic(ctx, c, applyconfig.Reverted)
	if err != nil {
		return "", err
	}
	if reverted != "" {
		return "", fmt.Errorf("the node took the config back: %s", reverted)
	}
	return "The node can still be reached: the config stays.", nil
}

// diagnostic gives the text of a diagnostic, or "" if it is not there.
func diagnostic(ctx context.Context, c *client.Client, id string) (string, error) {
	bounded, cancel := context.WithTimeout(ctx, askBound)
	defer cancel()
	found, err := c.Resources.Get(bounded, &resourcepb.GetRequest{Namespace: "runtime", Type: "Diagnostics.runtime.talos.dev", Id: id})
	if status.Code(err) == codes.NotFound {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	return found.GetResource().GetSpec().GetYamlSpec(), nil
}
