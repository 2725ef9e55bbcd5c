package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/ichor-os/ichor/config"
	"github.com/ichor-os/ichor/config/encode"
	"github.com/ichor-os/ichor/config/migrate"
)

func newMachineConfigMigrate() *cobra.Command {
	var to, out string
	var keep bool
	var advice adviceFlag
	command := &cobra.Command{
		Use:   "migrate <machineconfig-file>",
		Short: "Move settings to the keys and documents of another version",
		Long: `Move settings of the main document to the documents that they have become, or
back, so that the config fits another version. The settings themselves stay.

What was moved, and what stayed where it was and why, is said on standard error.
A setting that the version has no form for is an error, unless --keep-unsupported
leaves it in.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			minor, err := migrate.ParseVersion(to)
			if err != nil {
				return err
			}
			base, err := readConfig(cmd, args[0])
			if err != nil {
				return err
			}
			result := migrate.To(base.Documents(), minor)
			if err := errors.Join(reportMigration(cmd, result, to, keep), migrationVerdict(cmd, base, result, &advice)); err != nil {
				return err
			}
			text, err := encode.Encode(result.Documents...)
			if err != nil {
				return err
			}
			return writeResult(cmd, out, text)
		},
	}
	command.Flags().StringVar(&to, "to", "", "version to migrate to, such as 1.13")
	command.Flags().StringVarP(&out, "output", "o", "", "`file` to write instead of standard output")
	command.Flags().BoolVar(&keep, "keep-unsupported", false, "leave settings in that the version does not have")
	advice.add(command)
	requireFlags(command, "to")
	return command
}

// migrationVerdict is advice: whether the migration made a valid config invalid,
// which documents the version may not know, and what the way back would not restore.
func migrationVerdict(cmd *cobra.Command, base *config.Config, result *migrate.Result, advice *adviceFlag) error {
	migrated, err := config.New(result.Documents...)
	if err != nil {
		return err
	}
	var verdicts []error
	_, was := faults(base)
	if found, is := faults(migrated); was && !is {
		verdicts = append(verdicts, fmt.Errorf("the migration makes a valid config invalid:\n%s", list(found)))
	}
	for _, remark := range result.Unsure {
		verdicts = append(verdicts, fmt.Errorf("%s: %s", remark.Where, remark.Reason))
	}
	for _, change := range result.Different {
		verdicts = append(verdicts, fmt.Errorf("the way back gives another %s: %s", change.Document, change.Path))
	}
	return advice.advise(cmd.ErrOrStderr(), errors.Join(verdicts...))
}

func reportMigration(cmd *cobra.Command, result *migrate.Result, to string, keep bool) error {
	for _, move := range result.Moved {
		cmd.PrintErrf("moved %s to %s\n", move.From, move.To)
	}
	for _, kept := range result.Kept {
		cmd.PrintErrf("kept %s: %s\n", kept.Where, kept.Reason)
	}
	var lost []error
	for _, remark := range result.Lost {
		lost = append(lost, fmt.Errorf("%s: %s", remark.Where, remark.Reason))
	}
	if len(lost) == 0 {
		return nil
	}
	err := fmt.Errorf("version %s has no form for:\n%w", to, errors.Join(lost...))
	if keep {
		cmd.PrintErrf("WARNING: %v\n", err)
		return nil
	}
	return err
}
