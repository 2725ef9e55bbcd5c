package cli

import (
	"github.com/spf13/cobra"

	"github.com/ichor-os/ichor/cli/target"
	"github.com/ichor-os/ichor/pki/talosconfig"
)

func newConfigNode(t *target.Target) *cobra.Command {
	return &cobra.Command{
		Use:     "node <endpoint>...",
		Aliases: []string{"nodes"},
		Short:   "Set the nodes of a context, or clear them without an argument",
		RunE: func(_ *cobra.Command, args []string) error {
			return t.Edit(func(file *talosconfig.File) error {
				context, err := file.Get(t.Context)
				if err != nil {
					return err
				}
				context.Nodes = args
				return nil
			})
		},
	}
}
