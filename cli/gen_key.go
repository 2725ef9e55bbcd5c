package cli

import (
	"github.com/spf13/cobra"

	"github.com/ichor-os/ichor/pki"
)

func newGenKey(g *generated) *cobra.Command {
	var name string
	command := &cobra.Command{
		Use:   "key",
		Short: "Make an Ed25519 private key",
		Long:  "Make an Ed25519 private key. Writes NAME.key.",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			key, err := pki.GenerateKey(pki.Ed25519)
			if err != nil {
				return err
			}
			text, err := pki.EncodeKey(key)
			if err != nil {
				return err
			}
			return g.write(name+".key", text, secretMode)
		},
	}
	command.Flags().StringVar(&name, "name", "", "name of the file")
	requireFlags(command, "name")
	return command
}
