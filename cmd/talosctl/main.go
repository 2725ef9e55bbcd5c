// Command talosctl makes and checks machine configs and talks to clusters.
package main

import (
	"os"

	"github.com/ichor-os/ichor/cli"
)

func main() {
	runIfChild()
	os.Exit(cli.Run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr, os.Environ()))
}
