package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ichor-os/ichor/cli/output"
	"github.com/ichor-os/ichor/config/documents"
	"github.com/ichor-os/ichor/config/explain"
)

func newMachineConfigExplain() *cobra.Command {
	var format string
	command := &cobra.Command{
		Use:   "explain <key>",
		Short: "Explain a key of the machine config",
		Long: `Explain a key of the machine config: what it means, its form and default, how
patches merge into it, what a change of it takes, and whether it is in force.

A key of the main document is given by its path (machine.kubelet.image), one of
another document with the kind in front (LinkConfig.mtu). A kind alone explains
the document.`,
		Args: cobra.ExactArgs(1),
		ValidArgsFunction: func(_ *cobra.Command, args []string, part string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return explain.Complete(documents.Kinds(), part), cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			format, err := output.Parse(format, output.Text, output.JSON, output.YAML)
			if err != nil {
				return err
			}
			entry, err := explain.Find(documents.Kinds(), args[0])
			if err != nil {
				return err
			}
			if format != output.Text {
				return output.Write(cmd.OutOrStdout(), format, entry)
			}
			_, err = io.WriteString(cmd.OutOrStdout(), explanation(entry))
			return err
		},
	}
	command.Flags().StringVarP(&format, "output", "o", "text", "how to write it: text, json or yaml")
	return command
}

// explanation writes an entry for people.
func explanation(entry *explain.Entry) string {
	var text strings.Builder
	fmt.Fprintf(&text, "%s (%s)\n\n%s\n", entry.Path, entry.Form, entry.Doc)
	facts := [][2]string{
		{"Words", strings.Join(entry.Words, ", ")},
		{"Default", entry.Default},
		{"Patches", entry.Merge},
		{"A change", entry.Change},
		{"Since", entry.Since},
	}
	if !entry.Effect {
		facts = append(facts, [2]string{"In force", "not yet"})
	}
	if entry.Cut {
		facts = append(facts, [2]string{"Careful", "a change may cut the machine off from the network"})
	}
	if entry.Secret {
		facts = append(facts, [2]string{"Secret", "it is never shown"})
	}
	space := "\n"
	for _, fact := range facts {
		if fact[1] != "" {
			fmt.Fprintf(&text, "%s%-10s %s\n", space, fact[0]+":", fact[1])
			space = ""
		}
	}
	if len(entry.Keys) > 0 {
		text.WriteString("\nKeys:\n")
	}
	for _, key := range entry.Keys {
		fmt.Fprintf(&text, "  %s (%s): %s\n", key.Name, key.Form, key.Doc)
	}
	if entry.Example != "" {
		fmt.Fprintf(&text, "\nExample:\n%s\n", indent(entry.Example))
	}
	return text.String()
}

func indent(text string) string {
	return "  " + strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n  ")
}
