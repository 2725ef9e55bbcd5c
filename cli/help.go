package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// newHelp is the command help. An unknown topic is answered on standard error
// with what topics there are; it is no failure.
func newHelp() *cobra.Command {
	return &cobra.Command{
		Use:   "help [command]",
		Short: "Show the help of a command",
		ValidArgsFunction: func(cmd *cobra.Command, args []string, part string) ([]string, cobra.ShellCompDirective) {
			topic, _, err := cmd.Root().Find(args)
			if err != nil {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			var names []string
			for _, child := range topic.Commands() {
				if child.IsAvailableCommand() && strings.HasPrefix(child.Name(), part) {
					names = append(names, child.Name()+"\t"+child.Short)
				}
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			topic, _, err := cmd.Root().Find(args)
			if err != nil {
				_, err = fmt.Fprintf(cmd.ErrOrStderr(), "unknown help topic %q\n\n%s", args, cmd.Root().UsageString())
				return err
			}
			topic.InitDefaultHelpFlag()
			return topic.Help()
		},
	}
}
