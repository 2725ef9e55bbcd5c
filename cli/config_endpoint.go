package cli

import "github.com/spf13/cobra"

func newConfigEndpoint(t *target) *cobra.Command {
	return &cobra.Command{
		Use:     "endpoint <endpoint>...",
		Aliases: []string{"endpoints"},
		Short:   "Set the endpoints of a context",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			file, err := t.open()
			if err != nil {
				return err
			}
			context, err := file.Get(t.context)
			if err != nil {
				return err
			}
			context.Endpoints = args
			return file.Save()
		},
	}
}
