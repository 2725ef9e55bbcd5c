// Command machined is the one program of a node's operating system. The name it
// is started by selects what it does: machined is PID 1, apid and trustd are
// the services that face the network, and ichor-exec is the step between
// starting a process and the program it runs, which is one of a fixed list.
package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/ichor-os/ichor/node/apid"
	"github.com/ichor-os/ichor/node/machined"
	"github.com/ichor-os/ichor/node/service/process"
	"github.com/ichor-os/ichor/node/trustd"
)

func main() {
	name, code := filepath.Base(os.Args[0]), 1
	var err error
	switch name {
	case process.ExecName:
		err, code = process.Exec(machined.Programs()...), process.ExecFailed
	case "machined", "init":
		err = machined.Main()
	case "apid":
		err = daemon(apid.Run)
	case "trustd":
		err = daemon(trustd.Run)
	default:
		err = fmt.Errorf("unknown program name: %s", name)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
		os.Exit(code)
	}
}

// daemon runs a service until it is told to end.
func daemon(run func(context.Context, []string, *slog.Logger) error) error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	return run(ctx, os.Args[1:], slog.New(slog.NewTextHandler(os.Stderr, nil)))
}
