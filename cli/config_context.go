package cli

import (
	"github.com/spf13/cobra"

	"github.com/ichor-os/ichor/cli/target"
	"github.com/ichor-os/ichor/pki/talosconfig"
)

func newConfigContext(t *target.Target) *cobra.Command {
	return &cobra.Command{
		Use:               "context <context>",
		Aliases:           []string{"use-context"},
		Short:             "Make a context the current one",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: t.CompleteOneContext,
		RunE: func(_ *cobra.Command, args []string) error {
			return t.Edit(func(file *talosconfig.File) error { return file.Use(args[0]) })
		},
	}
}
