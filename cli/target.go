package cli

import (
	"github.com/spf13/cobra"

	"github.com/ichor-os/ichor/pki/talosconfig"
)

// target says which cluster, endpoints and nodes a command is about. It is
// shared by all commands that know clusters.
type target struct {
	env        environment
	configPath string
	context    string
	cluster    string
	endpoints  []string
	nodes      []string
	keysFolder string
}

// newTarget adds the flags of a target to a command and all below it.
func newTarget(command *cobra.Command, env environment) *target {
	t := &target{env: env}
	flags := command.PersistentFlags()
	flags.StringVar(&t.configPath, "talosconfig", "", "client config `file` (default: $TALOSCONFIG or ~/.talos/config)")
	flags.StringVar(&t.context, "context", "", "context to use instead of the current one")
	flags.StringVarP(&t.cluster, "cluster", "c", "", "cluster to reach through a proxy endpoint")
	flags.StringSliceVarP(&t.endpoints, "endpoints", "e", nil, "endpoints to dial instead of the context's")
	flags.StringSliceVarP(&t.nodes, "nodes", "n", nil, "nodes to ask instead of the context's")
	flags.StringVar(&t.keysFolder, "siderov1-keys-dir", "", "`folder` of the keys that sign requests where certificates are not used")
	if err := command.RegisterFlagCompletionFunc("context", t.completeContexts); err != nil {
		panic(err) // a flag of another name: a fault of this function
	}
	return t
}

// open reads the client config.
func (t *target) open() (*talosconfig.File, error) {
	path, err := talosconfig.DefaultPath(t.configPath, t.env.get)
	if err != nil {
		return nil, err
	}
	return talosconfig.Open(path)
}

// edit changes the client config.
func (t *target) edit(change func(*talosconfig.File) error) error {
	path, err := talosconfig.DefaultPath(t.configPath, t.env.get)
	if err != nil {
		return err
	}
	return talosconfig.Edit(path, change)
}

// completeContexts offers the names of contexts.
func (t *target) completeContexts(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	file, err := t.open()
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	return file.Names(), cobra.ShellCompDirectiveNoFileComp
}

// completeOneContext offers the names of contexts for the first argument only.
func (t *target) completeOneContext(cmd *cobra.Command, args []string, part string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return t.completeContexts(cmd, args, part)
}
