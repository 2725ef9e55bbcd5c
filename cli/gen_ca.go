package cli

import (
	"crypto/sha256"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/ichor-os/ichor/pki"
)

func newGenCA(g *generated) *cobra.Command {
	var organization string
	var hours int
	var rsa bool
	command := &cobra.Command{
		Use:   "ca",
		Short: "Make a certificate authority",
		Long: `Make a certificate authority.

Writes ORGANIZATION.crt, ORGANIZATION.key and ORGANIZATION.sha256, the hash of
its public key.`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			template := pki.AuthorityTemplate{
				Organization: organization,
				Algorithm:    pki.Ed25519,
				Lifetime:     time.Duration(hours) * time.Hour,
			}
			if rsa {
				template.Algorithm = pki.RSA4096
			}
			authority, err := pki.NewAuthority(template)
			if err != nil {
				return err
			}
			pair, err := authority.Pair()
			if err != nil {
				return err
			}
			hash := fmt.Sprintf("sha256:%x", sha256.Sum256(authority.Certificate.RawSubjectPublicKeyInfo))
			if err := g.writePair(organization, pair); err != nil {
				return err
			}
			return g.write(organization+".sha256", []byte(hash), publicMode)
		},
	}
	command.Flags().StringVar(&organization, "organization", "", "organization in its subject, and name of its files")
	command.Flags().IntVar(&hours, "hours", 87600, "hours it is valid")
	command.Flags().BoolVar(&rsa, "rsa", false, "use RSA instead of Ed25519")
	requireFlags(command, "organization")
	return command
}

// writePair writes NAME.crt and NAME.key.
func (g *generated) writePair(name string, pair pki.Pair) error {
	if err := g.write(name+".crt", pair.Crt, publicMode); err != nil {
		return err
	}
	return g.write(name+".key", pair.Key, secretMode)
}
