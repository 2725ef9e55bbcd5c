// Package trustd is the process that gives certificates to nodes which do not
// hold the key of the machine CA, that is, to workers. On the same port nodes
// find each other: trustd passes that on to machined, see package discovery.
//
// A node proves that it belongs to the cluster by the token of its machine
// configuration, and asks for a certificate with its own names and addresses.
// The token is one for the whole cluster, so it says nothing about which node
// asks: a name that belongs to another node is refused, and no request, however
// it is made, yields a certificate with a role. Attempts are limited by source.
//
// Trustd runs on control plane nodes only, on TCP port 50001, as a process of
// its own; what it needs to know comes from one file that machined writes, see
// package settings. The certificates that it gives are for API servers between
// nodes; those of people are issued by GenerateClientConfiguration.
//
// Main types: Server, Options. Run is the whole process.
package trustd

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/netip"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/keepalive"

	ichorpb "github.com/ichor-os/ichor/api/ichor"
	securitypb "github.com/ichor-os/ichor/api/security"
	"github.com/ichor-os/ichor/node/apid/quota"
	"github.com/ichor-os/ichor/node/apid/settings"
	"github.com/ichor-os/ichor/pki"
)

// DefaultPort is the TCP port of trustd.
const DefaultPort = 50001

// Bounds of what sources can take. The largest message is an exchange about
// every node of a large cluster.
const (
	largestMessage    = 4 << 20
	connectionsEach   = 16
	connectionsAll    = 512
	streamsPerConn    = 16
	handshakeTimeout  = 10 * time.Second
	gracefulStopBound = 2 * time.Second
)

// Options are what a Server needs from the start and keeps.
type Options struct {
	Log *slog.Logger
	// Now is the clock of the rate limits.
	Now func() time.Time
	// Discovery is the socket of machined that answers other nodes; empty for
	// none.
	Discovery string
}

// A Server signs certificate requests.
type Server struct {
	securitypb.UnimplementedSecurityServiceServer

	log   *slog.Logger
	state atomic.Pointer[state]
	grpc  *grpc.Server
	asked *rates // requests of each source
	wrong *rates // those of them with a wrong token
	// exchanged are the calls of discovery of each source.
	exchanged *rates

	connections *quota.Quota
}

// state is what is in force: settings made ready for use. It is never changed,
// only replaced.
type state struct {
	server tls.Certificate
	issuer *pki.Authority
	ca     []byte
	roots  *x509.CertPool
	token  [32]byte // SHA-256
	taken  []map[string]bool
}

// NewServer returns a Server that refuses everybody until Use gives it
// settings.
func NewServer(options Options) (*Server, error) {
	s := &Server{
		log:         options.Log,
		asked:       newRates(askBurst, askEvery, options.Now),
		wrong:       newRates(wrongBurst, wrongEvery, options.Now),
		exchanged:   newRates(exchangeBurst, exchangeEvery, options.Now),
		connections: quota.New(connectionsEach, connectionsAll),
	}

	s.grpc = grpc.NewServer(
		grpc.Creds(credentials.NewTLS(&tls.Config{
			MinVersion: tls.VersionTLS13,
			GetConfigForClient: func(*tls.ClientHelloInfo) (*tls.Config, error) {
				return s.listen()
			},
		})),
		grpc.MaxRecvMsgSize(largestMessage),
		grpc.MaxConcurrentStreams(streamsPerConn),
		grpc.MaxHeaderListSize(16<<10),
		grpc.ConnectionTimeout(handshakeTimeout),
		grpc.KeepaliveParams(keepalive.ServerParameters{
			MaxConnectionIdle: 5 * time.Minute, Time: 30 * time.Second, Timeout: 20 * time.Second,
		}),
	)
	securitypb.RegisterSecurityServiceServer(s.grpc, s)

	if options.Discovery != "" {
		relay, err := newRelay(s, options.Discovery)
		if err != nil {
			return nil, err
		}

		ichorpb.RegisterDiscoveryServer(s.grpc, relay)
	}

	return s, nil
}

// listen returns the TLS configuration in force. A node that already has a
// certificate may show it, to keep its names.
func (s *Server) listen() (*tls.Config, error) {
	current := s.state.Load()
	if current == nil {
		return nil, errors.New("accept caller: no settings yet")
	}

	return &tls.Config{
		MinVersion:             tls.VersionTLS13,
		NextProtos:             []string{"h2"},
		Certificates:           []tls.Certificate{current.server},
		SessionTicketsDisabled: true,
		ClientAuth:             tls.VerifyClientCertIfGiven,
		ClientCAs:              current.roots,
	}, nil
}

// Use puts settings in force, for the next request on each connection.
func (s *Server) Use(from *settings.Trust) error {
	if err := from.Validate(); err != nil {
		return err
	}

	next := &state{ca: from.CA, roots: x509.NewCertPool(), token: digest(from.Token)}

	if !next.roots.AppendCertsFromPEM(from.CA) {
		return errors.New("read ca: no certificate in it")
	}

	var err error

	if next.server, err = from.Server.TLS(); err != nil {
		return fmt.Errorf("read server identity: %w", err)
	}

	if next.issuer, err = pki.LoadAuthority(from.Issuer); err != nil {
		return fmt.Errorf("read issuer: %w", err)
	}

	for _, owner := range from.Taken {
		names := map[string]bool{}
		for _, name := range owner {
			names[canonical(name)] = true
		}

		next.taken = append(next.taken, names)
	}

	s.state.Store(next)

	return nil
}

// Serve serves on listener until ctx ends.
func (s *Server) Serve(ctx context.Context, listener net.Listener) error {
	stopped := make(chan struct{})

	stop := context.AfterFunc(ctx, func() {
		defer close(stopped)

		forced := time.AfterFunc(gracefulStopBound, s.grpc.Stop)
		defer forced.Stop()

		s.grpc.GracefulStop()
	})

	err := s.grpc.Serve(quota.Listener{
		Listener:    listener,
		Connections: s.connections,
		Admit:       func(netip.Addr) bool { return s.state.Load() != nil },
	})

	if stop() {
		s.grpc.Stop()
	} else {
		<-stopped
	}

	if ctx.Err() != nil || errors.Is(err, grpc.ErrServerStopped) {
		return nil
	}

	return err
}

// Run is the trustd process: it serves until ctx ends. It starts to listen when
// the settings are there.
func Run(ctx context.Context, args []string, log *slog.Logger) error {
	flags := flag.NewFlagSet("trustd", flag.ContinueOnError)
	flags.SetOutput(io.Discard)

	path := flags.String("settings", settings.DefaultTrustPath, "file that machined writes")
	listen := flags.String("listen", fmt.Sprintf(":%d", DefaultPort), "address to serve on")

	discovery := flags.String("discovery", DiscoverySocket, "unix socket of machined that answers other nodes")

	if err := flags.Parse(args); err != nil {
		return err
	}

	server, err := NewServer(Options{Log: log, Now: time.Now, Discovery: *discovery})
	if err != nil {
		return err
	}

	group, ctx := errgroup.WithContext(ctx)
	ready := make(chan struct{}, 1)

	group.Go(func() error {
		return settings.Follow(ctx, *path, log, func(from *settings.Trust) error {
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
			return fmt.Errorf("serve trustd: %w", err)
		}

		log.Info("serving certificate requests", "address", listener.Addr())

		return server.Serve(ctx, listener)
	})

	return group.Wait()
}
