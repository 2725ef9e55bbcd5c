// Package network holds the commands about the network of nodes.
package network

import (
	"fmt"

	"github.com/spf13/cobra"
)

// New makes the commands of this package. Env is like [os.LookupEnv].
func New(env func(name string) (string, bool)) []*cobra.Command {
	return []*cobra.Command{
		newNetstat(env),
		newReplaced("interfaces", "", "'get links' and 'get addresses'"),
		newReplaced("routes", "route", "'get routes'"),
	}
}

// newReplaced makes a command of older clients that says what does its work now.
func newReplaced(use, alias, now string) *cobra.Command {
	command := &cobra.Command{
		Use: use, Hidden: true, Args: cobra.ArbitraryArgs, DisableFlagParsing: true,
		Short: "Replaced by: " + now,
		RunE: func(*cobra.Command, []string) error {
			return fmt.Errorf("%s: there is a resource for this: use %s", use, now)
		},
	}
	if alias != "" {
		command.Aliases = []string{alias}
	}
	return command
}
