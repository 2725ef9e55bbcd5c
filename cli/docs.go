package cli

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ichor-os/ichor/atomicfile"
	"github.com/ichor-os/ichor/config/documents"
	"github.com/ichor-os/ichor/config/schema"
)

func newDocs() *cobra.Command {
	var commands, configs bool
	command := &cobra.Command{
		Use:   "docs <output>",
		Short: "Write the reference pages of the commands and of the machine config",
		Long: `Write the reference pages into a folder: cli.md for the commands, a page for each
kind of config document and their JSON schema in config/. Without a flag both are written.`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			all := commands == configs
			if all || commands {
				if err := writePage(filepath.Join(args[0], "cli.md"), Reference()); err != nil {
					return err
				}
			}
			if all || configs {
				return writeConfigPages(filepath.Join(args[0], "config"))
			}
			return nil
		},
	}
	command.Flags().BoolVar(&commands, "cli", false, "the commands only")
	command.Flags().BoolVar(&configs, "config", false, "the machine config only")
	return command
}

func writeConfigPages(folder string) error {
	text, err := schema.JSON(documents.Kinds())
	if err != nil {
		return err
	}
	if err := writePage(filepath.Join(folder, "schema.json"), text); err != nil {
		return err
	}
	for _, kind := range documents.Kinds() {
		page := filepath.Join(folder, strings.ToLower(kind.Kind)+".md")
		if err := writePage(page, []byte(schema.Reference(kind))); err != nil {
			return err
		}
	}
	return nil
}

func writePage(path string, content []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return atomicfile.Update(path, content, publicMode)
}
