// Package apid is the process that faces the network: it serves the node API
// over TLS and passes calls on to machined, or to the apid of other nodes.
//
// A call comes in on TCP port 50000. Its client certificate, signed by the
// machine CA, gives the caller's roles; access.Check decides; then the bytes go
// to machined's unix socket with the roles in the metadata, and the answer
// comes back the same way. Apid does not decode messages. On a control plane
// node, the metadata keys node and nodes send a call elsewhere: to one node, or
// to many, whose answers are merged. A call passed on by another node is never
// passed on again.
//
// What apid knows comes from one file that machined writes, see package
// settings, and takes effect without a restart: a certificate is replaced, an
// authority added, maintenance mode left while connections stay. It keeps no
// state, holds no key but its own, and needs no privilege.
//
// Main types: Server, Options, Limits. Run is the whole process.
package apid

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/ichor-os/ichor/node/access"
	"github.com/ichor-os/ichor/node/apid/settings"
)

// DefaultPort is the TCP port of the node API.
const DefaultPort = 50000

// MachineSocket is where machined serves those who may not be on the network.
const MachineSocket = "/system/run/machined/machine.sock"

// Run is the apid process: it serves until ctx ends. It starts to listen when
// the settings are there.
func Run(ctx context.Context, args []string, log *slog.Logger) error {
	flags := flag.NewFlagSet("apid", flag.ContinueOnError)
	flags.SetOutput(io.Discard)

	path := flags.String("settings", settings.DefaultAPIPath, "file that machined writes")
	backend := flags.String("backend", MachineSocket, "unix socket of machined")
	listen := flags.String("listen", fmt.Sprintf(":%d", DefaultPort), "address to serve on")
	socket := flags.String("local", "", "unix socket for the node's own processes; none if empty")
	port := flags.Int("peer-port", DefaultPort, "port of other nodes")

	if err := flags.Parse(args); err != nil {
		return err
	}

	server, err := NewServer(Options{
		Backend:  *backend,
		PeerPort: *port,
		Limits:   DefaultLimits(),
		Log:      log,
		Now:      time.Now,
		// Machined is process 1 of the node; a container's is another.
		Local: func(p access.Peer) bool { return p.PID == 1 && p.UID == 0 },
	})
	if err != nil {
		return err
	}

	group, ctx := errgroup.WithContext(ctx)
	ready := make(chan struct{}, 1)

	group.Go(func() error {
		return settings.Follow(ctx, *path, log, func(from *settings.API) error {
			if err := server.Use(from); err != nil {
				return err
			}

			select {
			case ready <- struct{}{}:
			default:
			}

			return nil
		})
	})

	group.Go(func() error {
		select {
		case <-ctx.Done():
			return nil
		case <-ready:
		}

		listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", *listen)
		if err != nil {
			return fmt.Errorf("serve api: %w", err)
		}

		log.Info("serving the node API", "address", listener.Addr())

		return server.serveBoth(ctx, listener, *socket)
	})

	return group.Wait()
}

// serveBoth serves on the network and on the local socket, if there is one.
func (s *Server) serveBoth(ctx context.Context, network net.Listener, socket string) error {
	if socket == "" {
		return s.Serve(ctx, network)
	}

	listener, err := listenLocal(ctx, socket)
	if err != nil {
		return errors.Join(err, network.Close())
	}

	ctx, cancel := context.WithCancel(ctx)
	defer cancel()

	ended := make(chan error, 1)

	go func() {
		defer cancel()
		ended <- s.ServeLocal(ctx, listener)
	}()

	err = s.Serve(ctx, network)

	cancel()

	return errors.Join(err, <-ended)
}
