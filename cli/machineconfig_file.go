package cli

import (
	"errors"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/ichor-os/ichor/atomicfile"
	"github.com/ichor-os/ichor/config"
	"github.com/ichor-os/ichor/config/decode"
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

// readInput reads a file, or standard input for "-", up to the largest size of a config.
func readInput(cmd *cobra.Command, path string) ([]byte, error) {
	switch path {
	case "":
		return nil, errors.New("no machine config given: name its file, or - for standard input")
	case "-":
		return decode.ReadAll(cmd.InOrStdin(), path)
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	text, err := decode.ReadAll(file, path)
	return text, errors.Join(err, file.Close())
}

// writeResult writes to a file, whose folders it makes, or to standard output.
func writeResult(cmd *cobra.Command, path string, content []byte) error {
	if path == "" || path == "-" {
		_, err := cmd.OutOrStdout().Write(content)
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return atomicfile.Update(path, content, publicMode)
}
