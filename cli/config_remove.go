package cli

import (
	"bufio"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ichor-os/ichor/cli/target"
	"github.com/ichor-os/ichor/pki/talosconfig"
)

func newConfigRemove(t *target.Target) *cobra.Command {
	var dryRun, noConfirm bool
	command := &cobra.Command{
		Use:               "remove <context>",
		Short:             "Remove the contexts that match a name or pattern",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: t.CompleteOneContext,
		RunE: func(cmd *cobra.Command, args []string) error {
			file, err := t.Open()
			if err != nil {
				return err
			}
			matched, err := file.Match(args[0])
			if err != nil {
				return err
			}
			if i := slices.Index(matched, file.Context); i >= 0 {
				cmd.PrintErrf("keeping context %q: it is the current one; choose another first with `config context`\n", file.Context)
				matched = slices.Delete(matched, i, i+1)
			}
			if len(matched) == 0 {
				return nil
			}
			if dryRun {
				cmd.PrintErrf("would remove contexts: %s\n", strings.Join(matched, ", "))
				return nil
			}
			if !noConfirm {
				if yes, err := confirm(cmd, fmt.Sprintf("remove contexts %s?", strings.Join(matched, ", "))); err != nil || !yes {
					return err
				}
			}
			err = t.Edit(func(file *talosconfig.File) error {
				for _, name := range matched {
					if name != file.Context { // it may have become the current one while we asked
						file.Remove(name)
					}
				}
				return nil
			})
			if err != nil {
				return err
			}
			cmd.PrintErrf("removed contexts: %s\n", strings.Join(matched, ", "))
			return nil
		},
	}
	command.Flags().BoolVar(&dryRun, "dry-run", false, "only say what would be removed")
	command.Flags().BoolVarP(&noConfirm, "noconfirm", "y", false, "do not ask")
	return command
}

// confirm asks a question on standard output. Only y or yes is a yes; so the end
// of the input is a no.
func confirm(cmd *cobra.Command, question string) (bool, error) {
	if _, err := fmt.Fprintf(cmd.OutOrStdout(), "%s (y/N): ", question); err != nil {
		return false, err
	}
	scanner := bufio.NewScanner(cmd.InOrStdin())
	scanner.Scan()
	answer := strings.ToLower(strings.TrimSpace(scanner.Text()))
	return answer == "y" || answer == "yes", scanner.Err()
}
