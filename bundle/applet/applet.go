// Package applet holds the small programs that container images of a cluster
// need beside the one they are for: mount and umount, which kubelet starts, and
// install-cni, which puts a network plugin and its configuration on the node.
//
// They are applets of one static executable, chosen by the name it is started
// under. None of them starts another program, so an image that holds them holds
// no way to run what a caller names.
package applet

import (
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"
)

// An applet takes its arguments without its own name.
type applet func(args []string, stdout io.Writer) error

var applets = map[string]applet{
	"mount":       mount,
	"umount":      umount,
	"install-cni": installCNI,
}

// Names returns the names of all applets, sorted.
func Names() []string { return slices.Sorted(maps.Keys(applets)) }

// Run runs the applet that the base name of args[0] names. The exit code is 0,
// 1 for a failure, or 2 if there is no such applet.
func Run(args []string, stdout, stderr io.Writer) int {
	name := ""
	if len(args) > 0 {
		name = filepath.Base(args[0])
	}
	run, ok := applets[name]
	if !ok {
		fmt.Fprintf(stderr, "%s: no such applet; there are %s\n", name, strings.Join(Names(), ", "))
		return 2
	}
	if err := run(args[1:], stdout); err != nil {
		fmt.Fprintf(stderr, "%s: %v\n", name, err)
		return 1
	}
	return 0
}
