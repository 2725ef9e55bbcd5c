package cli

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/ichor-os/ichor/bounded"
	"github.com/ichor-os/ichor/pki"
)

func newGenCrt(g *generated) *cobra.Command {
	var name, ca, csr string
	var hours int
	command := &cobra.Command{
		Use:   "crt",
		Short: "Sign a certificate signing request",
		Long: `Sign a certificate signing request with an authority's key.

The authority is CA.crt and CA.key. Writes NAME.crt.`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			authority, err := readAuthority(strings.TrimSuffix(ca, ".crt"))
			if err != nil {
				return err
			}
			text, err := bounded.ReadFile(csr)
			if err != nil {
				return err
			}
			request, err := pki.ParseRequest(text)
			if err != nil {
				return fmt.Errorf("%s: %w", csr, err)
			}
			certificate, err := authority.SignRequest(request, pki.PeerAuth, time.Duration(hours)*time.Hour)
			if err != nil {
				return err
			}
			return g.write(name+".crt", pki.EncodeCertificate(certificate), publicMode)
		},
	}
	command.Flags().StringVar(&name, "name", "", "name of the file to write")
	command.Flags().StringVar(&ca, "ca", "", "name of the authority's files")
	command.Flags().StringVar(&csr, "csr", "", "`file` with the signing request")
	command.Flags().IntVar(&hours, "hours", 24, "hours the certificate is valid")
	requireFlags(command, "name", "ca", "csr")
	return command
}

func readAuthority(name string) (*pki.Authority, error) {
	crt, err := bounded.ReadFile(name + ".crt")
	if err != nil {
		return nil, err
	}
	key, err := bounded.ReadFile(name + ".key")
	if err != nil {
		return nil, err
	}
	authority, err := pki.LoadAuthority(pki.Pair{Crt: crt, Key: key})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return authority, nil
}
