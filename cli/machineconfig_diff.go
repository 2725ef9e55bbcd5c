package cli

import (
	"github.com/spf13/cobra"

	"github.com/ichor-os/ichor/cli/output"
	"github.com/ichor-os/ichor/config"
	"github.com/ichor-os/ichor/config/diff"
)

func newMachineConfigDiff() *cobra.Command {
	var format string
	command := &cobra.Command{
		Use:   "diff <machineconfig-file> <machineconfig-file>",
		Short: "Compare two machine configs by what they mean",
		Long: `Compare two machine configs by what they mean: document by document and key by
key, whatever the order, comments and layout of the files. Secrets are not shown,
only that they differ.`,
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			format, err := output.Parse(format, output.Text, output.JSON, output.YAML)
			if err != nil {
				return err
			}
			before, after, err := readTwoConfigs(cmd, args)
			if err != nil {
				return err
			}
			changes := config.Diff(before, after)
			if format != output.Text {
				return output.Write(cmd.OutOrStdout(), format, append([]diff.Change{}, changes...))
			}
			return diff.Write(cmd.OutOrStdout(), changes)
		},
	}
	command.Flags().StringVarP(&format, "output", "o", "text", "how to write it: text, json or yaml")
	return command
}

func readTwoConfigs(cmd *cobra.Command, paths []string) (before, after *config.Config, err error) {
	if before, err = readConfig(cmd, paths[0]); err != nil {
		return nil, nil, err
	}
	if after, err = readConfig(cmd, paths[1]); err != nil {
		return nil, nil, err
	}
	return before, after, nil
}
