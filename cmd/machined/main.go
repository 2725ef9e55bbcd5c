// Command machined is the one program of a node's operating system. The name it
// is started by selects what it does: machined is PID 1, apid and trustd are
// the services that face the network, and ichor-exec is the step between
// starting a process and the program it runs.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/ichor-os/ichor/node/machined"
	"github.com/ichor-os/ichor/node/service/process"
)

func main() {
	name, code := filepath.Base(os.Args[0]), 1
	var err error
	switch name {
	case process.ExecName:
		err, code = process.Exec(), process.ExecFailed
	case "machined", "init":
		err = machined.Main()
	default:
		err = fmt.Errorf("unknown program name: %s", name)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
		os.Exit(code)
	}
}
