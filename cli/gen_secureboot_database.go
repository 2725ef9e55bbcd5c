package cli

import (
	"crypto/x509"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/ichor-os/ichor/bounded"
	"github.com/ichor-os/ichor/pki"
	"github.com/ichor-os/ichor/pki/secureboot"
)

func newGenSecureBootDatabase(files *secureBootFiles) *cobra.Command {
	var enrolled, signingCert, signingKey string
	var wellKnown bool
	command := &cobra.Command{
		Use:   "database",
		Short: "Make the firmware variables that enroll a signing certificate",
		Long: `Make the firmware variables that enroll a signing certificate.

Writes db.auth, KEK.auth and PK.auth, which a firmware in setup mode takes.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if wellKnown {
				return errors.New("include well-known certificates: this build ships no other vendors' certificates; add them to the firmware yourself")
			}
			signer, signingCertificate, err := readSigner(signingCert, signingKey)
			if err != nil {
				return err
			}
			text, err := bounded.ReadFile(enrolled)
			if err != nil {
				return err
			}
			certificates, err := pki.ParseCertificates(text)
			if err != nil {
				return fmt.Errorf("%s: %w", enrolled, err)
			}
			now := time.Now()
			for _, update := range []struct {
				variable     secureboot.Variable
				certificates []*x509.Certificate
			}{
				{secureboot.DB, certificates},
				{secureboot.KEK, []*x509.Certificate{signingCertificate}},
				{secureboot.PK, []*x509.Certificate{signingCertificate}},
			} {
				content, err := update.variable.Update(update.certificates, signer, now)
				if err != nil {
					return err
				}
				if err := files.writeInFolder(cmd, update.variable.Name+".auth", content, publicMode); err != nil {
					return err
				}
			}
			return nil
		},
	}
	flags := command.Flags()
	flags.StringVar(&enrolled, "enrolled-certificate", "_out/"+ukiCertFile, "`file` with the certificate to enroll")
	flags.StringVar(&signingCert, "signing-certificate", "_out/"+ukiCertFile, "`file` with the certificate of the key that signs the variables")
	flags.StringVar(&signingKey, "signing-key", "_out/"+ukiKeyFile, "`file` with the key that signs the variables")
	flags.BoolVar(&wellKnown, "include-well-known-uefi-certs", false, "also enroll certificates of well-known vendors")
	return command
}

func readSigner(crtPath, keyPath string) (pki.Pair, *x509.Certificate, error) {
	crt, err := bounded.ReadFile(crtPath)
	if err != nil {
		return pki.Pair{}, nil, err
	}
	key, err := bounded.ReadFile(keyPath)
	if err != nil {
		return pki.Pair{}, nil, err
	}
	certificate, err := pki.ParseCertificate(crt)
	if err != nil {
		return pki.Pair{}, nil, fmt.Errorf("%s: %w", crtPath, err)
	}
	return pki.Pair{Crt: crt, Key: key}, certificate, nil
}
