//go:build linux

package cluster

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/ichor-os/ichor/localcluster"
	"github.com/ichor-os/ichor/localcluster/namespaces"
	"github.com/ichor-os/ichor/pki/kubeconfig"
	"github.com/ichor-os/ichor/pki/talosconfig"
)

// addTalosconfig adds the cluster to the client config, as the current context.
// An older cluster of these addresses is gone, so its context gives way.
func (f *createFlags) addTalosconfig(cmd *cobra.Command, made *localcluster.Cluster) error {
	path, err := talosconfig.DefaultPath(f.talosconfig, f.get)
	if err != nil {
		return err
	}
	file, err := talosconfig.Open(path)
	if err != nil {
		return err
	}
	for _, name := range contextsOf(file, made.Spec) {
		file.Remove(name)
	}
	renamed := file.Merge(made.Talosconfig)
	for _, rename := range renamed {
		cmd.PrintErrf("the client config has a context %q for another cluster already\n", rename.From)
	}
	if err := file.Save(); err != nil {
		return err
	}
	_, err = fmt.Fprintf(cmd.OutOrStdout(), "client config: context %q in %s\n", file.Context, path)
	return err
}

// contextsOf lists the contexts that lead to the nodes of a cluster, which have
// loopback addresses that no other cluster has.
func contextsOf(file *talosconfig.File, spec namespaces.Spec) []string {
	addresses := map[string]bool{}
	for _, node := range spec.Nodes {
		addresses[node.Loopback.String()] = true
	}
	return slices.DeleteFunc(file.Names(), func(name string) bool {
		endpoints := file.Contexts[name].Endpoints
		return len(endpoints) == 0 || slices.ContainsFunc(endpoints, func(e string) bool { return !addresses[e] })
	})
}

func serverOf(spec namespaces.Spec) string {
	return "https://" + spec.LoopbackEndpoint().String() + ":6443"
}

// addKubeconfig adds the cluster to the kubeconfig, as the current context.
func (f *createFlags) addKubeconfig(cmd *cobra.Command, made *localcluster.Cluster) error {
	path, err := kubeconfig.DefaultPath("", f.get)
	if err != nil {
		return err
	}
	file, err := kubeconfig.Open(path)
	if err != nil {
		return err
	}
	entry, err := kubeconfig.Parse(made.Kubeconfig)
	if err != nil {
		return err
	}
	file.RemoveServer(serverOf(made.Spec)) // of an older cluster of this name
	current := file.Merge(entry, kubeconfig.KeepBoth)
	if err := file.Save(); err != nil {
		return err
	}
	_, err = fmt.Fprintf(cmd.OutOrStdout(), "kubeconfig:    context %q in %s\n", current, path)
	return err
}

// dropEntries removes a cluster that is gone from both files. It names what it
// removed.
func (l *local) dropEntries(spec namespaces.Spec) ([]string, error) {
	var dropped []string
	path, err := talosconfig.DefaultPath("", l.get)
	if err != nil {
		return nil, err
	}
	file, err := talosconfig.Open(path)
	if err != nil {
		return nil, err
	}
	for _, name := range contextsOf(file, spec) {
		file.Remove(name)
		if file.Context == name {
			file.Context = ""
		}
		dropped = append(dropped, fmt.Sprintf("context %q of %s", name, path))
	}
	if len(dropped) > 0 {
		if err := file.Save(); err != nil {
			return nil, err
		}
	}
	if path, err = kubeconfig.DefaultPath("", l.get); err != nil {
		return dropped, err
	}
	kube, err := kubeconfig.Open(path)
	if err != nil {
		return dropped, err
	}
	contexts := kube.RemoveServer(serverOf(spec))
	for _, node := range spec.Nodes {
		contexts = append(contexts, kube.RemoveServer("https://"+node.Loopback.String()+":6443")...)
	}
	if len(contexts) == 0 {
		return dropped, nil
	}
	for _, name := range contexts {
		dropped = append(dropped, fmt.Sprintf("context %q of %s", name, path))
	}
	return dropped, kube.Save()
}
