//go:build linux

package cluster

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ichor-os/ichor/localcluster"
	"github.com/ichor-os/ichor/localcluster/namespaces"
)

// DefaultName is the name of a cluster that was given none.
const DefaultName = "talos-default"

// local says which cluster of this computer a command is about.
type local struct {
	env   func(name string) (string, bool)
	name  string
	state string
}

// New makes the command `cluster`. Env is like [os.LookupEnv].
func New(env func(name string) (string, bool)) *cobra.Command {
	l := &local{env: env}
	command := &cobra.Command{
		Use:   "cluster",
		Short: "Make, show and end clusters on this computer",
		Long: `Make, show and end clusters on this computer.

Each node is a set of Linux namespaces that starts from the same root file system
as a machine does. Root is all that this needs.`,
	}
	flags := command.PersistentFlags()
	flags.StringVar(&l.name, "name", DefaultName, "name of the cluster")
	flags.StringVar(&l.state, "state", localcluster.DefaultState(), "`folder` that holds a folder per cluster")
	command.AddCommand(newCreate(l), newDestroy(l), newShow(l), newList(l))
	return command
}

func (l *local) get(name string) string {
	value, _ := l.env(name)
	return value
}

func (l *local) store() namespaces.Store { return namespaces.Store{Root: l.state} }

// program is what to type to run this program again.
func program() string {
	if strings.Contains(os.Args[0], "/") && strings.HasSuffix(os.Args[0], "talosctl") {
		return os.Args[0]
	}
	return "talosctl"
}

// selector are the flags that name this cluster, where they are not the default.
func (l *local) selector() string {
	text := ""
	if l.name != DefaultName {
		text += " --name " + l.name
	}
	if l.state != localcluster.DefaultState() {
		text += " --state " + l.state
	}
	return text
}

// show looks at the cluster and says how to make one that is not there.
func (l *local) show() (namespaces.Status, error) {
	status, err := l.store().Show(l.name)
	if errors.Is(err, namespaces.ErrNoCluster) {
		return status, fmt.Errorf("%w in %s: 'cluster list' lists those that are there, 'cluster create' makes one", err, l.state)
	}
	return status, err
}

// provisionerFlag is --provisioner, which is there for scripts that set it.
type provisionerFlag struct{}

func (provisionerFlag) String() string { return "namespaces" }
func (provisionerFlag) Type() string   { return "string" }
func (provisionerFlag) Set(text string) error {
	if text != "namespaces" {
		return fmt.Errorf("%q: nodes are namespaces of this computer; other provisioners are not there", text)
	}
	return nil
}
