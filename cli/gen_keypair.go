package cli

import (
	"time"

	"github.com/spf13/cobra"

	"github.com/ichor-os/ichor/pki"
)

func newGenKeypair(g *generated) *cobra.Command {
	var organization, address string
	command := &cobra.Command{
		Use:   "keypair",
		Short: "Make an Ed25519 key with a certificate that it signs itself",
		Long: `Make an Ed25519 key with a certificate that it signs itself, valid for 24 hours.

Writes ORGANIZATION.crt and ORGANIZATION.key.`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			names, err := addressNames(address)
			if err != nil {
				return err
			}
			pair, err := pki.SelfSigned(pki.Ed25519, pki.Template{
				Organizations: []string{organization},
				Names:         names,
				Usages:        pki.PeerAuth,
				Lifetime:      24 * time.Hour,
			})
			if err != nil {
				return err
			}
			return g.writePair(organization, pair)
		},
	}
	command.Flags().StringVar(&organization, "organization", "", "organization in the subject, and name of the files")
	command.Flags().StringVar(&address, "ip", "", "IP address the certificate shall name")
	requireFlags(command, "organization", "ip")
	return command
}
