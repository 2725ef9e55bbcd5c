package cli

import (
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
)

// secureBootFiles are the files of `gen secureboot`, all in one folder.
type secureBootFiles struct {
	*generated
	folder string
}

func newGenSecureBoot(g *generated) *cobra.Command {
	command := &cobra.Command{
		Use:   "secureboot",
		Short: "Make keys and firmware variables for Secure Boot",
	}
	files := &secureBootFiles{generated: g}
	command.PersistentFlags().StringVarP(&files.folder, "output", "o", "_out", "`folder` to write to")
	command.AddCommand(
		newGenSecureBootDatabase(files),
		newGenSecureBootPCR(files),
		newGenSecureBootUKI(files),
	)
	return command
}

// writeInFolder writes a file into the folder, which it makes if needed, and says so.
func (f *secureBootFiles) writeInFolder(cmd *cobra.Command, name string, content []byte, mode os.FileMode) error {
	if err := os.MkdirAll(f.folder, 0o755); err != nil {
		return err
	}
	path := filepath.Join(f.folder, name)
	if err := f.write(path, content, mode); err != nil {
		return err
	}
	cmd.PrintErrf("Created %s\n", path)
	return nil
}
