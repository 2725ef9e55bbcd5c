package cli

import "github.com/spf13/cobra"

func newMachineConfig() *cobra.Command {
	command := &cobra.Command{
		Use:     "machineconfig",
		Aliases: []string{"mc"},
		Short:   "Make, patch and compare machine configs",
	}
	command.AddCommand(
		newMachineConfigGen(),
		newMachineConfigPatch(),
	)
	return command
}
