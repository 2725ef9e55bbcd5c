package cli

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/spf13/cobra"

	"github.com/ichor-os/ichor/atomicfile"
)

// Modes of generated files.
const (
	secretMode fs.FileMode = 0o600
	publicMode fs.FileMode = 0o644 // less the umask: what other clients write so may hold keys
)

// generated is shared by all commands that make files.
type generated struct{ force bool }

func newGen() *cobra.Command {
	command := &cobra.Command{
		Use:   "gen",
		Short: "Make machine configs, secrets, keys and certificates",
	}
	g := &generated{}
	command.PersistentFlags().BoolVarP(&g.force, "force", "f", false, "overwrite files that exist")
	command.AddCommand(
		newGenCA(g),
		newGenConfig(g),
		newGenCrt(g),
		newGenCSR(g),
		newGenKey(g),
		newGenKeypair(g),
		newGenSecrets(g),
		newGenSecureBoot(g),
	)
	return command
}

// write writes a file; one that exists is an error unless it is forced.
func (g *generated) write(path string, content []byte, mode fs.FileMode) error {
	switch {
	case g.force && mode == secretMode:
		return atomicfile.Replace(path, content, mode) // an old file may have been open to others
	case g.force:
		return atomicfile.Update(path, content, mode)
	}
	err := atomicfile.Create(path, content, mode)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("file %q already exists, use --force to overwrite", path)
	}
	return err
}

// requireFlags marks flags as required. Their names are constants, so that a
// wrong one is a fault of the command and shows in every test.
func requireFlags(command *cobra.Command, names ...string) {
	for _, name := range names {
		if err := command.MarkFlagRequired(name); err != nil {
			panic(err)
		}
	}
}
