package cli

import (
	"github.com/spf13/cobra"

	"github.com/ichor-os/ichor/cli/target"
)

func newConfig(env environment) *cobra.Command {
	command := &cobra.Command{
		Use:   "config",
		Short: "Show and change the client config (contexts)",
	}
	t := target.New(command, env)
	command.AddCommand(
		newConfigAdd(t),
		newConfigContext(t),
		newConfigContexts(t),
		newConfigEndpoint(t),
		newConfigInfo(t),
		newConfigMerge(t),
		newConfigNew(t),
		newConfigNode(t),
		newConfigRemove(t),
	)
	return command
}
