// Package target holds what all commands share that talk to nodes: the flags
// that say which cluster, endpoints and nodes are meant, the connection, and how
// answers of many nodes are written.
//
// A Target is the flags; Connect makes a Session, which calls nodes; Write puts
// their answers on standard output as a table, JSON or YAML.
package target

import (
	"github.com/spf13/cobra"

	"github.com/ichor-os/ichor/pki/talosconfig"
)

// Environment looks up a variable, like [os.LookupEnv].
type Environment func(name string) (value string, ok bool)

// Get returns the value of a variable, which is empty for a missing one.
func (e Environment) Get(name string) string {
	value, _ := e(name)
	return value
}

// Target says which cluster, endpoints and nodes a command is about.
type Target struct {
	Env Environment
	// Context is the context that was named, or empty for the current one.
	Context string
	// Nodes are those that were named; empty for those of the context.
	Nodes []string

	configPath   string
	cluster      string
	endpoints    []string
	keysFolder   string
	insecure     bool
	fingerprints []string
}

// New adds the flags of a target to a command and all below it.
func New(command *cobra.Command, env func(name string) (string, bool)) *Target {
	t := &Target{Env: env}
	flags := command.PersistentFlags()
	flags.StringVar(&t.configPath, "talosconfig", "", "client config `file` (default: $TALOSCONFIG or ~/.talos/config)")
	flags.StringVar(&t.Context, "context", "", "context to use instead of the current one")
	flags.StringVarP(&t.cluster, "cluster", "c", "", "cluster to reach through a proxy endpoint")
	flags.StringSliceVarP(&t.endpoints, "endpoints", "e", nil, "endpoints to dial instead of the context's")
	flags.StringSliceVarP(&t.Nodes, "nodes", "n", nil, "nodes to ask instead of the context's")
	flags.StringVar(&t.keysFolder, "siderov1-keys-dir", "", "`folder` of the keys that sign requests where certificates are not used")
	if err := command.RegisterFlagCompletionFunc("context", t.completeContexts); err != nil {
		panic(err) // a flag of another name: a fault of this function
	}
	return t
}

// AddInsecure adds the flags for nodes that have no config yet to a command and
// all below it; shorthand is that of --insecure, which may be empty.
func (t *Target) AddInsecure(command *cobra.Command, shorthand string) {
	flags := command.PersistentFlags()
	flags.BoolVarP(&t.insecure, "insecure", shorthand, false, "talk to a node without config: nobody vouches for it, and you show no certificate")
	flags.StringSliceVar(&t.fingerprints, "cert-fingerprint", nil, "SHA-256 of the node's certificate, as its console shows it; with --insecure")
}

// Insecure reports whether the nodes have no config yet.
func (t *Target) Insecure() bool { return t.insecure }

// Edit changes the client config.
func (t *Target) Edit(change func(*talosconfig.File) error) error {
	path, err := talosconfig.DefaultPath(t.configPath, t.Env.Get)
	if err != nil {
		return err
	}
	return talosconfig.Edit(path, change)
}

// Open reads the client config.
func (t *Target) Open() (*talosconfig.File, error) {
	path, err := talosconfig.DefaultPath(t.configPath, t.Env.Get)
	if err != nil {
		return nil, err
	}
	return talosconfig.Open(path)
}

// completeContexts offers the names of contexts.
func (t *Target) completeContexts(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	file, err := t.Open()
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	return file.Names(), cobra.ShellCompDirectiveNoFileComp
}

// CompleteOneContext offers the names of contexts for the first argument only.
func (t *Target) CompleteOneContext(cmd *cobra.Command, args []string, part string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return t.completeContexts(cmd, args, part)
}
