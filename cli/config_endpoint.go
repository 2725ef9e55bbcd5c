package cli

import (
	"github.com/spf13/cobra"

	"github.com/ichor-os/ichor/cli/target"
	"github.com/ichor-os/ichor/pki/talosconfig"
)

func newConfigEndpoint(t *target.Target) *cobra.Command {
	return &cobra.Command{
		Use:     "endpoint <endpoint>...",
		Aliases: []string{"endpoints"},
		Short:   "Set the endpoints of a context",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			return t.Edit(func(file *talosconfig.File) error {
				context, err := file.Get(t.Context)
				if err != nil {
					return err
				}
				context.Endpoints = args
				return nil
			})
		},
	}
}
