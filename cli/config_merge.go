package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/ichor-os/ichor/cli/target"
	"github.com/ichor-os/ichor/pki/talosconfig"
)

func newConfigMerge(t *target.Target) *cobra.Command {
	return &cobra.Command{
		Use:   "merge <from>",
		Short: "Add the contexts of another client config",
		Long: `Add the contexts of another client config.

A context whose name is taken gets a number behind its name. The current context
of the other file becomes the current one.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			other, err := talosconfig.Open(args[0])
			if err != nil {
				return err
			}
			return t.Edit(func(file *talosconfig.File) error {
				for _, rename := range file.Merge(&other.Config) {
					if _, err := fmt.Fprintf(cmd.ErrOrStderr(), "renamed context %q to %q: the name is taken\n", rename.From, rename.To); err != nil {
						return err
					}
				}
				return nil
			})
		},
	}
}
