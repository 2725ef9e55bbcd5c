package apid

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/ichor-os/ichor/node/access"
	"github.com/ichor-os/ichor/node/apid/quota"
	"github.com/ichor-os/ichor/node/apid/settings"
	"github.com/ichor-os/ichor/node/apid/trail"
)

// Options are what a Server needs from the start and keeps.
type Options struct {
	// Backend is the unix socket of machined.
	Backend string
	// PeerPort is the TCP port on which other nodes serve the API.
	PeerPort int
	Limits   Limits
	Log      *slog.Logger
	// Now is the clock that certificates are checked against.
	Now func() time.Time
	// Local tells which process may call by the local socket, see ServeLocal;
	// nil for none.
	Local func(access.Peer) bool
}

// A Server serves the node API to callers on the network.
type Server struct {
	limits  Limits
	log     *slog.Logger
	now     func() time.Time
	state   atomic.Pointer[state]
	backend *grpc.ClientConn
	peers   *peers
	grpc    *grpc.Server
	local   local

	connections, handshakes, receiving, calls *quota.Quota

	pumps sync.WaitGroup // goroutines that carry messages
	trail *trail.Recorder
}

// NewServer returns a Server that turns everybody away until Use gives it
// settings.
func NewServer(options Options) (*Server, error) {
	s := &Server{
		limits:      options.Limits,
		log:         options.Log,
		now:         options.Now,
		peers:       newPeers(options.PeerPort, options.Limits.Message),
		connections: quota.New(options.Limits.Connections, options.Limits.AllConnections),
		handshakes:  quota.New(options.Limits.Handshakes, options.Limits.AllHandshakes),
		receiving:   quota.New(options.Limits.Receiving, options.Limits.AllReceiving),
		calls:       quota.New(options.Limits.Calls, options.Limits.AllCalls),
	}

	backend, err := grpc.NewClient("unix://"+options.Backend,
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultCallOptions(
			grpc.ForceCodecV2(rawCodec{}),
			grpc.MaxCallRecvMsgSize(s.limits.Message),
			grpc.MaxCallSendMsgSize(s.limits.Message),
		),
		grpc.WithDisableServiceConfig(),
		grpc.WithDisableRetry(),
		grpc.WithIdleTimeout(0),
	)
	if err != nil {
		return nil, fmt.Errorf("connect to machined: %s: %w", options.Backend, err)
	}

	s.backend = backend
	s.local = newLocal(s, options.Local)
	s.trail = trail.New(s.sendRecords, options.Log)
	s.grpc = grpc.NewServer(
		grpc.Creds(callers{server: s}),
		grpc.ForceServerCodecV2(rawCodec{}),
		grpc.UnknownServiceHandler(s.serve),
		grpc.MaxRecvMsgSize(s.limits.Message),
		grpc.MaxSendMsgSize(s.limits.Message),
		grpc.MaxConcurrentStreams(s.limits.Streams),
		grpc.MaxHeaderListSize(64<<10),
		grpc.ConnectionTimeout(s.limits.Handshake),
		grpc.WaitForHandlers(true),
		grpc.KeepaliveParams(keepalive.ServerParameters{
			MaxConnectionIdle: 15 * time.Minute, Time: 30 * time.Second, Timeout: 20 * time.Second,
		}),
		grpc.KeepaliveEnforcementPolicy(keepalive.EnforcementPolicy{MinTime: 5 * time.Second, PermitWithoutStream: true}),
	)

	return s, nil
}

// Use puts settings in force. Calls under way go on if their caller may still
// make them; the next call on each connection is judged by the new ones.
func (s *Server) Use(from *settings.API) error {
	next, err := newState(from)
	if err != nil {
		return err
	}

	if previous := s.state.Swap(next); previous != nil {
		close(previous.replaced)
	}

	return nil
}

// Serve serves on listener until ctx ends, then gives calls under way a moment
// to finish.
func (s *Server) Serve(ctx context.Context, listener net.Listener) error {
	stopped := make(chan struct{})
	stopRecords := s.trail.Start()

	stop := context.AfterFunc(ctx, func() {
		defer close(stopped)

		// Followers of logs never finish by themselves.
		forced := time.AfterFunc(2*time.Second, s.grpc.Stop)
		defer forced.Stop()

		s.grpc.GracefulStop()
	})

	err := s.grpc.Serve(quota.Listener{Listener: listener, Connections: s.connections, Admit: s.admits})

	if stop() {
		s.grpc.Stop()
	} else {
		<-stopped
	}

	s.pumps.Wait()
	stopRecords()
	s.peers.close()

	if closeErr := s.backend.Close(); err == nil {
		err = closeErr
	}

	if ctx.Err() != nil || errors.Is(err, grpc.ErrServerStopped) {
		return nil
	}

	return err
}

// admits tells whether a source may connect.
func (s *Server) admits(source netip.Addr) bool {
	current := s.state.Load()

	return current != nil && current.admits(source)
}

// serve takes every call, and leaves a record of it.
func (s *Server) serve(_ any, stream grpc.ServerStream) error {
	call := s.record(stream)
	err := s.carry(call, call.method)
	call.end(err)

	return err
}

// carry takes a call to where it goes.
func (s *Server) carry(stream *recorded, method string) error {
	ctx := stream.Context()

	who, under, err := s.admit(ctx, method)
	who.request = stream.by(who, under)

	if err != nil {
		return err
	}

	release, ok := s.calls.TakeUpTo(who.source, s.callLimit(who, under))
	if !ok {
		return status.Errorf(codes.ResourceExhausted, "too many calls at a time from %s: end some, or wait for them", who.source)
	}

	defer release()

	incoming, _ := metadata.FromIncomingContext(ctx)

	to, err := direct(incoming, who, method, s.limits.Targets)
	if err != nil {
		return err
	}

	stream.to(to, under)

	if to.many {
		return s.toMany(stream, method, to.targets, under, who, incoming)
	}

	target := ""
	if len(to.targets) == 1 {
		target = to.targets[0]
	}

	next, err := s.hopTo(target, under, who, incoming)
	if err != nil {
		return err
	}

	defer next.release()

	return s.toOne(stream, method, who, next)
}

// admit tells who calls, under which state, and whether they may.
func (s *Server) admit(ctx context.Context, method string) (caller, *state, error) {
	who, under, err := s.identify(ctx, s.now())
	if err != nil {
		return who, under, err
	}

	mode := access.Configured
	if under.mode == settings.Maintenance {
		mode = access.Maintenance
	}

	if err := access.Check(method, who.roles, mode); err != nil {
		s.log.Warn("call refused", "method", method, "source", who.source, "roles", who.roles.Names())
		return who, under, err
	}

	return who, under, nil
}

// consent looks again at a call that lasts: what allowed it may be gone.
func (s *Server) consent(ctx context.Context, method string) consent {
	return func() (<-chan struct{}, error) {
		_, under, err := s.admit(ctx, method)
		if err != nil {
			return nil, err
		}

		return under.replaced, nil
	}
}

func (s *Server) callLimit(who caller, under *state) int {
	switch {
	case under.mode == settings.Maintenance:
		return s.limits.MaintenanceCalls
	case who.node:
		return s.limits.NodeCalls
	default:
		return s.limits.Calls
	}
}
