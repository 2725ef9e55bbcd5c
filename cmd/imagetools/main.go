// Command imagetools is the small programs inside our container images, chosen
// by the name it is started under: mount, umount, install-cni.
package main

import (
	"os"

	"github.com/ichor-os/ichor/bundle/applet"
)

func main() { os.Exit(applet.Run(os.Args, os.Stdout, os.Stderr)) }
