// Package cli holds the commands of talosctl, one file a command.
//
// [Run] is the whole program: it takes the arguments and streams of a process
// and returns its exit code, 0 or 1. Results go to standard output, everything
// else to standard error. A wrong use of a command (unknown flag, missing
// argument) is followed by its usage.
//
// A command's file holds its flags, its help and its work, which is a call or
// two into the packages below; it keeps no state between calls.
package cli

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ichor-os/ichor/cli/audit"
	"github.com/ichor-os/ichor/cli/cluster"
	"github.com/ichor-os/ichor/cli/disk"
	"github.com/ichor-os/ichor/cli/etcd"
	"github.com/ichor-os/ichor/cli/health"
	"github.com/ichor-os/ichor/cli/machine"
	"github.com/ichor-os/ichor/cli/network"
	"github.com/ichor-os/ichor/cli/resources"
)

// environment looks up a variable, like [os.LookupEnv].
type environment func(name string) (value string, ok bool)

// Run runs the command that args (without the program's name) ask for.
// Environ is like [os.Environ].
func Run(args []string, stdin io.Reader, stdout, stderr io.Writer, environ []string) int {
	root := NewCommand(lookup(environ))
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	root.SetArgs(args)
	help := watchHelp(root)
	root.InitDefaultCompletionCmd() // it remembers the output of this moment
	started := false
	markStart(root, &started)
	command, err := root.ExecuteContextC(context.Background())
	if err == nil {
		err, started = help.err, true
	}
	if err == nil {
		return 0
	}
	message := strings.TrimRight(err.Error(), "\n")
	if !started {
		message += "\n\n" + command.UsageString()
	}
	// Nothing is left to do if standard error is gone too.
	_, _ = fmt.Fprintln(stderr, strings.TrimRight(message, "\n"))
	return 1
}

// NewCommand builds the tree of commands. Env is like [os.LookupEnv].
func NewCommand(env func(name string) (string, bool)) *cobra.Command {
	root := &cobra.Command{
		Use:               "talosctl",
		Short:             "Make machine configs and run clusters of immutable Kubernetes nodes",
		SilenceErrors:     true,
		SilenceUsage:      true,
		DisableAutoGenTag: true,
	}
	root.AddCommand(
		audit.New(env),
		cluster.New(env),
		newConfig(env),
		newDocs(),
		etcd.New(env),
		health.New(env),
		resources.NewEdit(env),
		resources.NewGet(env),
		resources.NewPatch(env),
		newGen(),
		newMachineConfig(env),
		newValidate(),
	)
	root.AddCommand(machine.Commands(env)...)
	root.AddCommand(disk.New(env)...)
	root.AddCommand(network.New(env)...)
	root.SetHelpCommand(newHelp())
	root.InitDefaultHelpCmd()
	return root
}

// markStart makes every command note that its own work began, so that errors
// before that are known as errors of usage.
func markStart(command *cobra.Command, started *bool) {
	if work := command.RunE; work != nil {
		command.RunE = func(cmd *cobra.Command, args []string) error {
			*started = true
			return work(cmd, args)
		}
	}
	for _, child := range command.Commands() {
		markStart(child, started)
	}
}

func lookup(environ []string) environment {
	return func(name string) (string, bool) {
		for _, variable := range environ {
			if value, ok := strings.CutPrefix(variable, name+"="); ok {
				return value, true
			}
		}
		return "", false
	}
}
