//go:build linux

package cluster

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/ichor-os/ichor/localcluster/namespaces"
)

func newDestroy(l *local) *cobra.Command {
	command := &cobra.Command{
		Use:   "destroy",
		Short: "End a cluster of this computer and remove all of it",
		Long: `End a cluster of this computer and remove all of it.

It works from whatever is left of the cluster; a cluster that is not there is no
error. Its contexts are taken out of the client config and of the kubeconfig.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			status, err := l.store().Show(l.name)
			known := err == nil
			if errors.Is(err, namespaces.ErrNoCluster) {
				err = nil
			}
			if err != nil {
				cmd.PrintErrf("WARNING: %v\n", err) // it can be removed all the same
			}
			if err := l.store().Destroy(cmd.Context(), l.name); err != nil {
				return err
			}
			if !known {
				_, err := fmt.Fprintf(cmd.OutOrStdout(), "there is no cluster %s in %s (any more)\n", l.name, l.state)
				return err
			}
			dropped, err := l.dropEntries(status.Spec)
			if err != nil {
				return fmt.Errorf("the cluster is gone, but not its contexts: %w", err)
			}
			text := fmt.Sprintf("cluster %s is gone: %d nodes\n", l.name, len(status.Nodes))
			for _, what := range dropped {
				text += "removed " + what + "\n"
			}
			_, err = fmt.Fprint(cmd.OutOrStdout(), text)
			return err
		},
	}
	command.Flags().BoolP("force", "f", false, "always so: what is left of a cluster is removed")
	command.Flags().Var(provisionerFlag{}, "provisioner", "what nodes are made of")
	for _, name := range []string{"save-cluster-logs-archive-path", "save-support-archive-path"} {
		command.Flags().Var(refusal{"archives are not written yet: copy the console.log of each node's folder first"}, name, "not there yet")
		_ = command.Flags().MarkHidden(name)
	}
	return command
}
