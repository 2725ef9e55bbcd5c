package cli

import "github.com/spf13/cobra"

func newMachineConfig(env environment) *cobra.Command {
	command := &cobra.Command{
		Use:     "machineconfig",
		Aliases: []string{"mc"},
		Short:   "Make, patch, compare, migrate and explain machine configs",
	}
	command.AddCommand(
		newMachineConfigDiff(),
		newMachineConfigExplain(),
		newMachineConfigGen(),
		newMachineConfigMigrate(),
		newMachineConfigPatch(),
		newMachineConfigPlan(),
		newMachineConfigRender(env),
	)
	return command
}
