package cli

import (
	"fmt"
	"io"
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

// watched passes on what is written until that fails, and keeps the error.
type watched struct {
	io.Writer
	err error
}

// Write keeps the error for itself: who writes help would ignore or print it.
func (w *watched) Write(text []byte) (int, error) {
	if w.err == nil {
		_, w.err = w.Writer.Write(text)
	}
	return len(text), nil
}

// watchHelp lets it be known whether help could be written.
func watchHelp(root *cobra.Command) *watched {
	out := &watched{}
	write := root.HelpFunc()
	root.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		out.Writer = cmd.OutOrStdout()
		cmd.SetOut(out)
		defer cmd.SetOut(out.Writer)
		write(cmd, args)
	})
	return out
}
