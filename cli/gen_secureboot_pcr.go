package cli

import (
	"github.com/spf13/cobra"

	"github.com/ichor-os/ichor/pki"
)

func newGenSecureBootPCR(files *secureBootFiles) *cobra.Command {
	return &cobra.Command{
		Use:   "pcr",
		Short: "Make the key that signs PCR policies, for disk encryption with a TPM",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			key, err := pki.GenerateKey(pki.RSA2048) // what every TPM 2.0 can verify
			if err != nil {
				return err
			}
			text, err := pki.EncodeKey(key)
			if err != nil {
				return err
			}
			return files.writeInFolder(cmd, "pcr-signing-key.pem", text, secretMode)
		},
	}
}
