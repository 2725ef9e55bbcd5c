package cli

import (
	"github.com/spf13/cobra"

	"github.com/ichor-os/ichor/cli/target"
)

func newConfigContext(t *target.Target) *cobra.Command {
	return &cobra.Command{
		Use:               "context <context>",
		Aliases:           []string{"use-context"},
		Short:             "Make a context the current one",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: t.CompleteOneContext,
		RunE: func(_ *cobra.Command, args []string) error {
			file, err := t.Open()
			if err != nil {
				return err
			}
			if err := file.Use(args[0]); err != nil {
				return err
			}
			return file.Save()
		},
	}
}
