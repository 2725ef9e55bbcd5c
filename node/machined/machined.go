// Package machined is the wiring of a node: it knows the list of nouns, starts
// them in order and ends them in the opposite one. What a noun does is in its
// own package.
package machined

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/ichor-os/ichor/node/lifecycle"
	"github.com/ichor-os/ichor/node/machined/boot"
	"github.com/ichor-os/ichor/node/machined/calls"
	"github.com/ichor-os/ichor/node/meta"
	"github.com/ichor-os/ichor/node/service/process"
	"github.com/ichor-os/ichor/version"
)

// processGrace is how long programs get between SIGTERM and SIGKILL at the end.
const processGrace = 5 * time.Second

// Main runs the node until it is told to end, and ends it. As PID 1 it does not
// return on success; the error is why the node could not run or not end.
func Main() error {
	if os.Getpid() != 1 {
		return errors.New("machined must run as PID 1: start a node with 'talosctl cluster create'")
	}
	console := slog.New(slog.NewTextHandler(os.Stderr, nil))
	slog.SetDefault(console)
	console.Info("node starts", "os", version.Name, "version", version.Tag)

	end, err := run()
	if err != nil {
		// A node that cannot run ends; whoever started it sees why on the console.
		console.Error("node cannot run", "error", err)
		end = lifecycle.PowerOff
	}
	console.Info("node ends", "how", end.String())
	return lifecycle.Finish(end, processGrace)
}

// run boots the node and blocks until it should end; everything it started is
// stopped when it returns.
func run() (lifecycle.End, error) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	reaper := process.NewReaper()
	go reaper.Run(ctx)

	// A reset that was cut short goes on before anything is in use.
	if err := calls.Resume(meta.Path, slog.Default()); err != nil {
		slog.Error("reset is not complete: it goes on at the next start", "error", err)
	}
	groups, err := boot.FileSystems()
	if err != nil {
		return lifecycle.PowerOff, fmt.Errorf("make file systems: %w", err)
	}
	n, err := newNode(reaper, groups)
	if err != nil {
		return lifecycle.PowerOff, err
	}
	go n.requestEnd(ctx)
	ended := make(chan error, 1)
	go func() { ended <- n.boot(ctx) }()
	end := lifecycle.PowerOff
	select {
	case end = <-n.ends.Requested():
	case err = <-ended:
		if err == nil {
			end = <-n.ends.Requested()
		}
	}
	n.stop(end)
	return end, err
}

// requestEnd maps the signals that PID 1 gets: SIGINT, the kernel's
// ctrl-alt-del, reboots; SIGTERM powers off.
func (n *node) requestEnd(ctx context.Context) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM)
	defer signal.Stop(signals)
	for {
		select {
		case got := <-signals:
			end := lifecycle.PowerOff
			if got == syscall.SIGINT {
				end = lifecycle.Reboot
			}
			n.ends.Request(end)
		case <-ctx.Done():
			return
		}
	}
}
