package cli

import "github.com/spf13/cobra"

func newMachineConfig() *cobra.Command {
	command := &cobra.Command{
		Use:     "machineconfig",
		Aliases: []string{"mc"},
		Short:   "Make, patch, compare and explain machine configs",
	}
	command.AddCommand(
		newMachineConfigDiff(),
		newMachineConfigExplain(),
		newMachineConfigGen(),
		newMachineConfigPatch(),
		newMachineConfigPlan(),
	)
	return command
}
