package cli

import "github.com/spf13/cobra"

func newConfigContext(t *target) *cobra.Command {
	return &cobra.Command{
		Use:               "context <context>",
		Aliases:           []string{"use-context"},
		Short:             "Make a context the current one",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: t.completeOneContext,
		RunE: func(_ *cobra.Command, args []string) error {
			file, err := t.open()
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
