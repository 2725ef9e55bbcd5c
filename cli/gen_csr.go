package cli

import (
	"fmt"
	"net/netip"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ichor-os/ichor/bounded"
	"github.com/ichor-os/ichor/pki"
)

func newGenCSR(g *generated) *cobra.Command {
	var keyPath, address string
	var roleNames []string
	command := &cobra.Command{
		Use:   "csr",
		Short: "Make a certificate signing request for a key",
		Long: `Make a certificate signing request for a key.

Writes it beside the key, with the ending .csr.`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			roles, err := pki.ParseRoles(roleNames)
			if err != nil {
				return err
			}
			template := pki.Template{}
			for _, role := range roles {
				template.Organizations = append(template.Organizations, string(role))
			}
			if template.Names, err = addressNames(address); err != nil {
				return err
			}
			text, err := bounded.ReadFile(keyPath)
			if err != nil {
				return err
			}
			key, err := pki.ParseKey(text)
			if err != nil {
				return fmt.Errorf("%s: %w", keyPath, err)
			}
			request, err := pki.NewRequest(key, template)
			if err != nil {
				return err
			}
			return g.write(strings.TrimSuffix(keyPath, filepath.Ext(keyPath))+".csr", request, publicMode)
		},
	}
	command.Flags().StringVar(&keyPath, "key", "", "`file` with the key")
	command.Flags().StringVar(&address, "ip", "", "IP address the certificate shall name")
	command.Flags().StringSliceVar(&roleNames, "roles", []string{string(pki.RoleAdmin)}, "roles of the API client")
	requireFlags(command, "key", "ip")
	return command
}

// addressNames checks an IP address from a flag.
func addressNames(address string) ([]string, error) {
	parsed, err := netip.ParseAddr(address)
	if err != nil {
		return nil, fmt.Errorf("flag --ip: %q is not an IP address", address)
	}
	return []string{parsed.WithZone("").String()}, nil
}
