package cli

import (
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/ichor-os/ichor/config"
)

// readConfig reads and decodes a machine config from a file, or from standard
// input for "-".
func readConfig(cmd *cobra.Command, path string) (*config.Config, error) {
	text, err := readInput(cmd, path)
	if err != nil {
		return nil, err
	}
	return config.Parse(text, config.File(path))
}

func readInput(cmd *cobra.Command, path string) ([]byte, error) {
	if path == "-" {
		return io.ReadAll(cmd.InOrStdin())
	}
	return os.ReadFile(path)
}
