package apid

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/ichor-os/ichor/node/access"
)

// LocalSocket is where apid serves the node's own processes.
const LocalSocket = "/system/run/apid/apid.sock"

// local is the door for processes of the node itself: a unix socket, where the
// kernel says who calls and no certificate is needed. Machined asks other nodes
// that way, on behalf of a caller whose roles it names.
type local struct {
	grpc    *grpc.Server
	believe func(access.Peer) bool
}

func newLocal(s *Server, believe func(access.Peer) bool) local {
	return local{believe: believe, grpc: grpc.NewServer(
		grpc.Creds(access.LocalCredentials()),
		grpc.ForceServerCodecV2(rawCodec{}),
		grpc.UnknownServiceHandler(s.serve),
		grpc.MaxRecvMsgSize(s.limits.Message),
		grpc.MaxSendMsgSize(s.limits.Message),
		grpc.MaxConcurrentStreams(s.limits.Streams),
		grpc.WaitForHandlers(true),
	)}
}

// identify takes a process that is believed for one that speaks for others, as
// nodes do. Everybody else is refused, whatever roles it claims: a container
// that got hold of the socket, say.
func (l local) identify(ctx context.Context, process access.Peer, current *state) (caller, *state, error) {
	if l.believe == nil || !l.believe(process) {
		return caller{}, nil, status.Errorf(codes.PermissionDenied,
			"process %d of user %d may not call by the local socket: call the node's address with a client certificate", process.PID, process.UID)
	}

	return caller{
		source:    netip.IPv6LinkLocalAllNodes(),
		roles:     access.Parse(metadata.ValueFromIncomingContext(ctx, access.MetadataKey)).Without(access.Impersonator),
		node:      true,
		forwarded: len(metadata.ValueFromIncomingContext(ctx, keyProxyFrom)) > 0,
	}, current, nil
}

// ServeLocal serves the node's own processes on a unix socket until ctx ends.
// It must have ended before Serve does.
func (s *Server) ServeLocal(ctx context.Context, listener net.Listener) error {
	stopped := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(stopped)

		forced := time.AfterFunc(time.Second, s.local.grpc.Stop)
		defer forced.Stop()

		s.local.grpc.GracefulStop()
	})

	err := s.local.grpc.Serve(listener)

	if stop() {
		s.local.grpc.Stop()
	} else {
		<-stopped
	}

	if ctx.Err() != nil {
		return nil
	}

	return err
}

// listenLocal makes the socket; only root, and apid itself, may connect.
func listenLocal(ctx context.Context, path string) (net.Listener, error) {
	if err := os.Remove(path); err != nil && !os.IsNotExist(err) {
		return nil, fmt.Errorf("serve local api: %w", err)
	}

	listener, err := (&net.ListenConfig{}).Listen(ctx, "unix", path)
	if err != nil {
		return nil, fmt.Errorf("serve local api: %s: %w", filepath.Base(path), err)
	}

	if err := os.Chmod(path, 0o600); err != nil {
		listener.Close()
		return nil, fmt.Errorf("serve local api: %w", err)
	}

	return listener, nil
}
