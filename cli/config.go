package cli

import "github.com/spf13/cobra"

func newConfig(env environment) *cobra.Command {
	command := &cobra.Command{
		Use:   "config",
		Short: "Show and change the client config (contexts)",
	}
	t := newTarget(command, env)
	command.AddCommand(
		newConfigAdd(t),
		newConfigContext(t),
		newConfigContexts(t),
		newConfigEndpoint(t),
		newConfigInfo(t),
		newConfigMerge(t),
		newConfigNode(t),
		newConfigRemove(t),
	)
	return command
}
