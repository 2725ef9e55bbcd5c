package cli

import (
	"time"

	"github.com/spf13/cobra"

	"github.com/ichor-os/ichor/pki"
	"github.com/ichor-os/ichor/pki/secureboot"
)

// Names of the files of the key that signs kernel images.
const (
	ukiKeyFile  = "uki-signing-key.pem"
	ukiCertFile = "uki-signing-cert.pem"
	ukiCertDER  = "uki-signing-cert.der"
)

func newGenSecureBootUKI(files *secureBootFiles) *cobra.Command {
	var commonName string
	command := &cobra.Command{
		Use:   "uki",
		Short: "Make the key and certificate that sign unified kernel images",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			pair, err := secureboot.NewSigner(commonName, time.Time{})
			if err != nil {
				return err
			}
			certificate, err := pki.ParseCertificate(pair.Crt)
			if err != nil {
				return err
			}
			if err := files.writeInFolder(cmd, ukiKeyFile, pair.Key, secretMode); err != nil {
				return err
			}
			if err := files.writeInFolder(cmd, ukiCertFile, pair.Crt, publicMode); err != nil {
				return err
			}
			return files.writeInFolder(cmd, ukiCertDER, certificate.Raw, publicMode)
		},
	}
	command.Flags().StringVar(&commonName, "common-name", "Test UKI Signing Key", "common name of the certificate")
	return command
}
