package cli

import "github.com/spf13/cobra"

// newMachineConfigGen is `gen config` under another name.
func newMachineConfigGen() *cobra.Command {
	g := &generated{}
	command := newGenConfig(g)
	command.Use = "gen <cluster name> <cluster endpoint>"
	command.Flags().BoolVarP(&g.force, "force", "f", false, "overwrite files that exist")
	return command
}
