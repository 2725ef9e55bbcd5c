package cli

import (
	"github.com/spf13/cobra"

	"github.com/ichor-os/ichor/cli/output"
	"github.com/ichor-os/ichor/config"
)

func newMachineConfigPlan() *cobra.Command {
	var format string
	command := &cobra.Command{
		Use:   "plan <machineconfig-file> <machineconfig-file>",
		Short: "Say what going from one machine config to another takes",
		Long: `Say what going from the first machine config to the second takes: what applies
live, which services restart, what needs a reboot, and what may cut the machine
off from the network.`,
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			format, err := output.Parse(format, output.Text, output.JSON, output.YAML)
			if err != nil {
				return err
			}
			before, after, err := readTwoConfigs(cmd, args)
			if err != nil {
				return err
			}
			plan := config.Plan(before, after)
			if format != output.Text {
				return output.Write(cmd.OutOrStdout(), format, plan)
			}
			return plan.Write(cmd.OutOrStdout())
		},
	}
	command.Flags().StringVarP(&format, "output", "o", "text", "how to write it: text, json or yaml")
	return command
}
