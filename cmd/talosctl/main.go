// Command talosctl makes and checks machine configs and talks to clusters.
package main

import (
	"os"

	"github.com/ichor-os/ichor/cli"
	"github.com/ichor-os/ichor/localcluster/namespaces"
)

func main() {
	namespaces.RunIfChild() // a node of a local cluster is this program started again
	os.Exit(cli.Run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr, os.Environ()))
}
