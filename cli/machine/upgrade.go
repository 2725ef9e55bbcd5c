package machine

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	machinepb "github.com/ichor-os/ichor/api/machine"
	"github.com/ichor-os/ichor/cli/target"
	"github.com/ichor-os/ichor/client"
	"github.com/ichor-os/ichor/config/generate"
)

func newUpgrade(env environment) *cobra.Command {
	var (
		w       wait
		request machinepb.UpgradeRequest
		mode    string
	)
	command := &cobra.Command{
		Use:   "upgrade",
		Short: "Replace the system of nodes",
		Args:  cobra.NoArgs,
	}
	t := target.New(command, env)
	t.AddInsecure(command, "") // -i is the image
	w.add(command)
	flags := command.Flags()
	flags.StringVarP(&request.Image, "image", "i", generate.DefaultInstallImage, "installer image of the new system")
	flags.BoolVarP(&request.Stage, "stage", "s", false, "install at the next reboot")
	flags.BoolVarP(&request.Force, "force", "f", false, "skip the checks of etcd and disks")
	flags.BoolVarP(&request.Preserve, "preserve", "p", true, "always so: data is kept")
	flags.StringVarP(&mode, "reboot-mode", "m", "default", "how to reboot: default or powercycle")
	for _, name := range []string{"drain", "legacy", "no-reboot"} {
		flags.Bool(name, false, "not there yet")
		_ = flags.MarkHidden(name)
	}
	for _, name := range []string{"namespace", "progress"} {
		flags.String(name, "", "no effect")
		_ = flags.MarkHidden(name)
	}
	flags.Duration("drain-timeout", 5*time.Minute, "no effect")
	_ = flags.MarkHidden("drain-timeout")
	command.RunE = func(cmd *cobra.Command, _ []string) error {
		for _, name := range []string{"drain", "legacy", "no-reboot"} {
			if on, _ := flags.GetBool(name); on {
				return errors.New("--" + name + ": is not there yet")
			}
		}
		value, known := machinepb.UpgradeRequest_RebootMode_value[strings.ToUpper(mode)]
		if !known {
			return fmt.Errorf("--reboot-mode: %q: use default or powercycle", mode)
		}
		request.RebootMode = machinepb.UpgradeRequest_RebootMode(value)
		return t.Act(cmd, func(ctx context.Context, c *client.Client, _ string) (string, error) {
			before, err := started(ctx, c)
			if err != nil {
				return "", err
			}
			//lint:ignore SA1019 this is the method that other nodes of the contract serve
			if _, err := c.Machine.Upgrade(ctx, &request); err != nil {
				return "", err
			}
			if !w.on || request.GetStage() {
				return "upgrade was asked for", nil
			}
			return w.untilStarted(ctx, c, before)
		})
	}
	return command
}
