package machine

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"google.golang.org/protobuf/types/known/emptypb"

	machinepb "github.com/ichor-os/ichor/api/machine"
	"github.com/ichor-os/ichor/cli/target"
	"github.com/ichor-os/ichor/client"
)

// wait are the flags of commands that can wait for a node.
type wait struct {
	on      bool
	timeout time.Duration
}

func (w *wait) add(command *cobra.Command) {
	flags := command.Flags()
	flags.BoolVar(&w.on, "wait", true, "wait until it is done")
	flags.DurationVar(&w.timeout, "timeout", 30*time.Minute, "how long to wait")
	flags.Bool("debug", false, "no effect: use 'logs machined' or the console")
	_ = flags.MarkHidden("debug")
}

// errDrain says why --drain is refused.
var errDrain = errors.New("--drain: draining is not there yet: drain the node with kubectl first, and leave --drain out")

func newReboot(env environment) *cobra.Command {
	var (
		w     wait
		mode  string
		drain bool
	)
	command := &cobra.Command{
		Use:   "reboot",
		Short: "Reboot nodes",
		Args:  cobra.NoArgs,
	}
	t := target.New(command, env)
	w.add(command)
	flags := command.Flags()
	flags.StringVarP(&mode, "mode", "m", "default", "how: default, powercycle (through the firmware) or force (without ending services)")
	flags.BoolVar(&drain, "drain", false, "not there yet: evict the pods first")
	flags.Duration("drain-timeout", 5*time.Minute, "how long --drain may take")
	flags.String("progress", "auto", "no effect")
	_ = flags.MarkHidden("progress")
	command.RunE = func(cmd *cobra.Command, _ []string) error {
		if drain {
			return errDrain
		}
		value, known := machinepb.RebootRequest_Mode_value[strings.ToUpper(mode)]
		if !known {
			return fmt.Errorf("--mode: %q: use default, powercycle or force", mode)
		}
		return t.Act(cmd, func(ctx context.Context, c *client.Client, _ string) (string, error) {
			before, err := started(ctx, c)
			if err != nil {
				return "", err
			}
			if _, err := c.Machine.Reboot(ctx, &machinepb.RebootRequest{Mode: machinepb.RebootRequest_Mode(value)}); err != nil {
				return "", err
			}
			if !w.on {
				return "reboot was asked for", nil
			}
			return w.untilStarted(ctx, c, before)
		})
	}
	return command
}

// started tells one start of a node from another: it is when the first of its
// services came up.
func started(ctx context.Context, c *client.Client) (time.Time, error) {
	response, err := c.Machine.ServiceList(ctx, &emptypb.Empty{})
	if err != nil {
		return time.Time{}, err
	}
	var first time.Time
	for _, message := range response.GetMessages() {
		for _, service := range message.GetServices() {
			for _, event := range service.GetEvents().GetEvents() {
				if at := event.GetTs().AsTime(); service.GetId() == "machined" && (first.IsZero() || at.Before(first)) {
					first = at
				}
			}
		}
	}
	return first, nil
}

// untilStarted waits until the node has started again.
func (w *wait) untilStarted(ctx context.Context, c *client.Client, before time.Time) (string, error) {
	begun := time.Now()
	err := w.until(ctx, func(ctx context.Context) error {
		now, err := started(ctx, c)
		if err == nil && !now.After(before) {
			err = errors.New("it has not gone down yet")
		}
		if err != nil {
			c.Reconnect()
		}
		return err
	})
	if err != nil {
		return "", fmt.Errorf("wait for the node to start again: %w", err)
	}
	return fmt.Sprintf("rebooted in %s", time.Since(begun).Round(100*time.Millisecond)), nil
}

// until tries until there is no error any more, and gives the last one.
func (w *wait) until(ctx context.Context, try func(ctx context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, w.timeout)
	defer cancel()
	for {
		bounded, end := context.WithTimeout(ctx, 5*time.Second)
		err := try(bounded)
		end()
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(250 * time.Millisecond):
		}
	}
}

func newShutdown(env environment) *cobra.Command {
	var (
		w     wait
		force bool
	)
	command := &cobra.Command{
		Use:   "shutdown",
		Short: "Power off nodes",
		Args:  cobra.NoArgs,
	}
	t := target.New(command, env)
	w.add(command)
	command.Flags().BoolVar(&force, "force", false, "without draining the node")
	command.RunE = func(cmd *cobra.Command, _ []string) error {
		return t.Act(cmd, func(ctx context.Context, c *client.Client, _ string) (string, error) {
			if _, err := c.Machine.Shutdown(ctx, &machinepb.ShutdownRequest{Force: force}); err != nil {
				return "", err
			}
			if !w.on {
				return "shutdown was asked for", nil
			}
			if err := w.until(ctx, func(ctx context.Context) error { return away(ctx, c) }); err != nil {
				return "", fmt.Errorf("wait for the node to go: %w", err)
			}
			return "does not answer any more", nil
		})
	}
	return command
}

// away is nil when a node does not answer.
func away(ctx context.Context, c *client.Client) error {
	if _, err := c.Machine.Version(ctx, &emptypb.Empty{}); err == nil {
		return errors.New("it still answers")
	}
	return nil
}

// resetFlags are the flags of `reset`.
type resetFlags struct {
	wait
	graceful, reboot bool
	labels, disks    []string
	mode             string
}

func newReset(env environment) *cobra.Command {
	f := &resetFlags{}
	command := &cobra.Command{
		Use:   "reset",
		Short: "Wipe nodes, so that they are as before their installation",
		Args:  cobra.NoArgs,
	}
	t := target.New(command, env)
	t.AddInsecure(command, "i")
	f.add(command)
	flags := command.Flags()
	flags.BoolVar(&f.graceful, "graceful", true, "leave etcd and the cluster first")
	flags.BoolVar(&f.reboot, "reboot", false, "reboot instead of powering off")
	flags.StringSliceVar(&f.labels, "system-labels-to-wipe", nil, "labels of the system's partitions to wipe instead of the disk")
	flags.StringSliceVar(&f.disks, "user-disks-to-wipe", nil, "further disks to wipe")
	flags.StringVar(&f.mode, "wipe-mode", "all", "what to wipe: all, system-disk or user-disks")
	command.RunE = func(cmd *cobra.Command, _ []string) error {
		request, err := f.request()
		if err != nil {
			return err
		}
		return t.Act(cmd, func(ctx context.Context, c *client.Client, _ string) (string, error) { return f.run(ctx, c, request) })
	}
	return command
}

func (f *resetFlags) request() (*machinepb.ResetRequest, error) {
	mode, known := machinepb.ResetRequest_WipeMode_value[strings.ToUpper(strings.ReplaceAll(f.mode, "-", "_"))]
	if !known {
		return nil, fmt.Errorf("--wipe-mode: %q: use all, system-disk or user-disks", f.mode)
	}
	request := &machinepb.ResetRequest{
		Graceful: f.graceful, Reboot: f.reboot, UserDisksToWipe: f.disks, Mode: machinepb.ResetRequest_WipeMode(mode),
	}
	for _, label := range f.labels {
		request.SystemPartitionsToWipe = append(request.SystemPartitionsToWipe, &machinepb.ResetPartitionSpec{Label: label, Wipe: true})
	}
	return request, nil
}

func (f *resetFlags) run(ctx context.Context, c *client.Client, request *machinepb.ResetRequest) (string, error) {
	if _, err := c.Machine.Reset(ctx, request); err != nil {
		return "", err
	}
	if !f.on {
		return "reset was asked for", nil
	}
	// Afterwards the node is another one: it does not know this caller.
	if err := f.until(ctx, func(ctx context.Context) error { return away(ctx, c) }); err != nil {
		return "", fmt.Errorf("wait for the node to go: %w", err)
	}
	return "is reset: it does not answer as this cluster's node any more", nil
}

func newRollback(env environment) *cobra.Command {
	command := &cobra.Command{
		Use:   "rollback",
		Short: "Go back to the system that nodes ran before their upgrade",
		Args:  cobra.NoArgs,
	}
	t := target.New(command, env)
	command.RunE = func(cmd *cobra.Command, _ []string) error {
		return t.Act(cmd, func(ctx context.Context, c *client.Client, _ string) (string, error) {
			_, err := c.Machine.Rollback(ctx, &machinepb.RollbackRequest{})
			return "rolls back", err
		})
	}
	return command
}

// newRestart restarts containers; services have `service ID restart`.
func newRestart(env environment) *cobra.Command {
	var e engine
	command := &cobra.Command{
		Use:   "restart <id>",
		Short: "Restart a container's process",
		Args:  cobra.ExactArgs(1),
	}
	t := target.New(command, env)
	e.add(command)
	command.RunE = func(cmd *cobra.Command, args []string) error {
		return t.Act(cmd, func(ctx context.Context, c *client.Client, _ string) (string, error) {
			_, err := c.Machine.Restart(ctx, &machinepb.RestartRequest{Namespace: e.namespace(), Id: args[0], Driver: e.driver()})
			return "restarted " + args[0], err
		})
	}
	return command
}
