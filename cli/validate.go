package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/ichor-os/ichor/cli/output"
	"github.com/ichor-os/ichor/config/document"
	"github.com/ichor-os/ichor/config/validate"
)

// adviceFlag says what advice counts as.
type adviceFlag string

func (a *adviceFlag) add(command *cobra.Command) {
	*a = "show"
	command.Flags().Var(a, "advice", "what rules beyond the format's count as: show or error")
}

// Set takes a value from the command line.
func (a *adviceFlag) Set(text string) error {
	if text != "show" && text != "error" {
		return fmt.Errorf("%q is neither show nor error", text)
	}
	*a = adviceFlag(text)
	return nil
}

func (a *adviceFlag) String() string { return string(*a) }

// Type names the sort of value in the usage.
func (a *adviceFlag) Type() string { return "show|error" }

func newValidate() *cobra.Command {
	var path, modeText, format string
	var strict bool
	var advice adviceFlag
	command := &cobra.Command{
		Use:   "validate",
		Short: "Check a machine config",
		Long: `Check a machine config as the machines of a mode would.

Errors and warnings are written to standard error, the verdict and advice to
standard output; the advice for an invalid config stands with its errors. Advice comes from rules beyond those of the format; it changes
the verdict only with --advice=error.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			format, err := output.Parse(format, output.Text, output.JSON, output.YAML)
			if err != nil {
				return err
			}
			mode, err := document.ParseMode(modeText)
			if err != nil {
				return err
			}
			checked, err := readConfig(cmd, path)
			if err != nil {
				return err
			}
			report := checked.Validate(mode, validate.Options{Strict: strict, AdviceIsError: advice == "error"})
			if format != output.Text {
				if err := output.Write(cmd.OutOrStdout(), format, report); err != nil {
					return err
				}
				return report.Err()
			}
			return writeReport(cmd, path, mode, report)
		},
	}
	flags := command.Flags()
	flags.StringVarP(&path, "config", "c", "", "`file` to check, - for standard input")
	flags.StringVarP(&modeText, "mode", "m", "", "sort of machine: metal, cloud or container")
	flags.BoolVar(&strict, "strict", false, "count warnings of the main document as errors")
	flags.StringVarP(&format, "output", "o", "text", "how to write the result: text, json or yaml")
	advice.add(command)
	requireFlags(command, "mode")
	return command
}

func writeReport(cmd *cobra.Command, path string, mode document.Mode, report *validate.Report) error {
	for _, finding := range report.Warnings {
		if _, err := fmt.Fprintf(cmd.ErrOrStderr(), "WARNING: %s\n", finding); err != nil {
			return err
		}
	}
	advice := cmd.OutOrStdout()
	if !report.Valid() {
		advice = cmd.ErrOrStderr() // a config without verdict has nothing on standard output
	}
	for _, finding := range report.Advice {
		if _, err := fmt.Fprintf(advice, "ADVICE: %s\n", finding); err != nil {
			return err
		}
	}
	for _, line := range report.NotInForce() {
		if _, err := fmt.Fprintf(advice, "NOTICE: %s\n", line); err != nil {
			return err
		}
	}
	if err := report.Err(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(cmd.OutOrStdout(), "%s is valid for %s mode\n", path, mode)
	return err
}
