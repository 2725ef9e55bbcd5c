package cli

import (
	"github.com/spf13/cobra"

	"github.com/ichor-os/ichor/config/generate"
	"github.com/ichor-os/ichor/pki/secrets"
)

func newGenSecrets(g *generated) *cobra.Command {
	var path, contractText, pkiFolder, controlPlaneConfig, token string
	command := &cobra.Command{
		Use:   "secrets",
		Short: "Make the secrets of a cluster",
		Long: `Make the secrets of a cluster: its identity, tokens and authorities.

Machine configs are generated from them. Keep the file safe: who has it owns the
cluster.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			contract, err := generate.ParseContract(contractText)
			if err != nil {
				return err
			}
			options := contract.SecretsOptions()
			options.BootstrapToken = token
			bundle, err := makeSecrets(cmd, pkiFolder, controlPlaneConfig, options)
			if err != nil {
				return err
			}
			text, err := bundle.Encode()
			if err != nil {
				return err
			}
			if path == "-" {
				_, err = cmd.OutOrStdout().Write(text)
				return err
			}
			return g.write(path, text, secretMode)
		},
	}
	flags := command.Flags()
	flags.StringVarP(&path, "output-file", "o", "secrets.yaml", "`file` to write, - for standard output")
	flags.StringVar(&contractText, "talos-version", "", "config contract to make them for, such as v1.12")
	flags.StringVarP(&pkiFolder, "from-kubernetes-pki", "p", "", "`folder` with the PKI of an existing Kubernetes cluster (/etc/kubernetes/pki) to keep")
	flags.StringVar(&controlPlaneConfig, "from-controlplane-config", "", "`file` with the config of a control plane machine whose secrets to take")
	command.MarkFlagsMutuallyExclusive("from-kubernetes-pki", "from-controlplane-config")
	flags.StringVarP(&token, "kubernetes-bootstrap-token", "t", "", "Kubernetes bootstrap token to keep, instead of a random one")
	return command
}

func makeSecrets(cmd *cobra.Command, pkiFolder, controlPlaneConfig string, options secrets.Options) (*secrets.Bundle, error) {
	switch {
	case pkiFolder != "":
		return secrets.FromKubernetesPKI(pkiFolder, options)
	case controlPlaneConfig != "":
		machineConfig, err := readConfig(cmd, controlPlaneConfig)
		if err != nil {
			return nil, err
		}
		return generate.SecretsFromConfig(machineConfig)
	default:
		return secrets.Generate(options)
	}
}
