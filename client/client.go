// Package client talks to the nodes of a cluster.
//
// New connects to a cluster by way of its endpoints, tried in the order in
// which they are named: one that does not answer within a quarter of a second
// is passed over while it goes on trying. Which nodes answer a call is said in
// its context, by WithNode or WithNodes; without either, the endpoint does.
//
// The API's own types are used as they are: a Client is its services. What it
// adds is in the errors, which say what to do next (Error); in repeating calls
// that only read, when a node was out of reach; and in taking apart the answers
// of many nodes (Answers, Collect), so that one that failed does not hide the
// others.
package client

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/connectivity"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/resolver"
	"google.golang.org/grpc/resolver/manual"

	clusterpb "github.com/ichor-os/ichor/api/cluster"
	resourcepb "github.com/ichor-os/ichor/api/cosi/resource"
	inspectpb "github.com/ichor-os/ichor/api/inspect"
	machinepb "github.com/ichor-os/ichor/api/machine"
	storagepb "github.com/ichor-os/ichor/api/storage"
	timepb "github.com/ichor-os/ichor/api/time"
	"github.com/ichor-os/ichor/pki"
	"github.com/ichor-os/ichor/pki/talosconfig"
)

// DefaultPort is the TCP port of the node API.
const DefaultPort = "50000"

// connectTimeout is how long an endpoint may take before it counts as
// unreachable.
const connectTimeout = 5 * time.Second

// largestMessage is the size of the largest message of the API.
const largestMessage = 32 << 20

// Options say how to reach a cluster and who is calling.
type Options struct {
	// Endpoints are the nodes to connect to, by name or address, each with a
	// port if it is not DefaultPort. At least one.
	Endpoints []string
	// CA holds, as PEM, the authorities that vouch for the nodes.
	CA []byte
	// Client is the caller's certificate and key.
	Client pki.Pair
	// Insecure connects to a node that has no configuration yet: nobody
	// vouches for it, and the caller shows no certificate.
	Insecure bool
	// Fingerprints, with Insecure, are the SHA-256 of certificates, one of
	// which the node must have.
	Fingerprints []string
	// Context is the name of the context that the rest comes from, for
	// error messages.
	Context string

	connectTimeout time.Duration // 0 means connectTimeout; tests have less time
}

// FromContext returns the options of a context of a talosconfig. Endpoints, if
// there are any, stand in for those of the context.
func FromContext(name string, from *talosconfig.Context, endpoints []string) (Options, error) {
	ca, pair, err := from.Credentials()
	if err != nil {
		return Options{}, fmt.Errorf("read credentials of context %q: %w", name, err)
	}

	if len(endpoints) == 0 {
		endpoints = from.Endpoints
	}

	return Options{Endpoints: endpoints, CA: ca, Client: pair, Context: name}, nil
}

// A Client is the API of a cluster.
type Client struct {
	Machine   machinepb.MachineServiceClient
	Image     machinepb.ImageServiceClient
	Debug     machinepb.DebugServiceClient
	Lifecycle machinepb.LifecycleServiceClient
	LVM       machinepb.LVMServiceClient
	MD        machinepb.MDServiceClient
	Usage     machinepb.StorageServiceClient
	Cluster   clusterpb.ClusterServiceClient
	Inspect   inspectpb.InspectServiceClient
	Storage   storagepb.StorageServiceClient
	Time      timepb.TimeServiceClient
	Resources resourcepb.StateClient

	conn  *grpc.ClientConn
	trace *trace
}

// New returns a Client. It connects with the first call.
func New(options Options) (*Client, error) {
	if len(options.Endpoints) == 0 {
		return nil, errors.New("no endpoint to connect to: name one with --endpoints, or add it with 'config endpoint'")
	}

	config, err := tlsConfig(options)
	if err != nil {
		return nil, err
	}

	endpoints := make([]resolver.Endpoint, 0, len(options.Endpoints))

	for _, endpoint := range options.Endpoints {
		address, host := splitEndpoint(endpoint)
		if host == "" {
			return nil, fmt.Errorf("endpoint %q has no host: give a name or an address", endpoint)
		}

		endpoints = append(endpoints, resolver.Endpoint{Addresses: []resolver.Address{{Addr: address, ServerName: host}}})
	}

	c := &Client{trace: &trace{context: options.Context, config: config, insecure: options.Insecure}}

	if c.conn, err = c.dial(endpoints, cmp.Or(options.connectTimeout, connectTimeout)); err != nil {
		return nil, fmt.Errorf("connect to %s: %w", strings.Join(options.Endpoints, ", "), err)
	}

	c.Machine = machinepb.NewMachineServiceClient(c.conn)
	c.Image = machinepb.NewImageServiceClient(c.conn)
	c.Debug = machinepb.NewDebugServiceClient(c.conn)
	c.Lifecycle = machinepb.NewLifecycleServiceClient(c.conn)
	c.LVM = machinepb.NewLVMServiceClient(c.conn)
	c.MD = machinepb.NewMDServiceClient(c.conn)
	c.Usage = machinepb.NewStorageServiceClient(c.conn)
	c.Cluster = clusterpb.NewClusterServiceClient(c.conn)
	c.Inspect = inspectpb.NewInspectServiceClient(c.conn)
	c.Storage = storagepb.NewStorageServiceClient(c.conn)
	c.Time = timepb.NewTimeServiceClient(c.conn)
	c.Resources = resourcepb.NewStateClient(c.conn)

	return c, nil
}

// Conn is the connection, for services that Client has no field for.
func (c *Client) Conn() grpc.ClientConnInterface { return c.conn }

// Close ends the connection and all calls on it.
func (c *Client) Close() error { return c.conn.Close() }

// Reconnect makes the next call try the endpoints at once, in order, instead of
// waiting out the pause after a failure. For those who wait for a node to boot.
func (c *Client) Reconnect() {
	if c.conn.GetState() == connectivity.TransientFailure {
		c.conn.ResetConnectBackoff()
	}
}

func (c *Client) dial(endpoints []resolver.Endpoint, timeout time.Duration) (*grpc.ClientConn, error) {
	// The scheme is of no other use: the endpoints are already known.
	resolving := manual.NewBuilderWithScheme("endpoints")
	resolving.InitialState(resolver.State{Endpoints: endpoints})

	return grpc.NewClient("endpoints:///cluster",
		grpc.WithResolvers(resolving),
		grpc.WithTransportCredentials(c.trace.credentials()),
		grpc.WithContextDialer(c.trace.dial),
		grpc.WithUnaryInterceptor(c.trace.unary),
		grpc.WithStreamInterceptor(c.trace.stream),
		grpc.WithDefaultServiceConfig(serviceConfig()),
		grpc.WithDefaultCallOptions(
			grpc.MaxCallRecvMsgSize(largestMessage),
			grpc.MaxCallSendMsgSize(largestMessage),
		),
		grpc.WithConnectParams(grpc.ConnectParams{
			Backoff:           backoff.Config{BaseDelay: 100 * time.Millisecond, Multiplier: 1.6, Jitter: 0.2, MaxDelay: 3 * time.Second},
			MinConnectTimeout: timeout,
		}),
		grpc.WithKeepaliveParams(keepalive.ClientParameters{Time: 30 * time.Second, Timeout: 15 * time.Second}),
		grpc.WithNoProxy(),
	)
}

// splitEndpoint returns the address to dial and the name that the certificate
// there has to hold.
func splitEndpoint(endpoint string) (address, host string) {
	host, port, err := net.SplitHostPort(endpoint)
	if err != nil {
		host, port = strings.Trim(endpoint, "[]"), DefaultPort
	}

	return net.JoinHostPort(host, port), host
}

func tlsConfig(options Options) (*tls.Config, error) {
	config := &tls.Config{MinVersion: tls.VersionTLS13}

	if options.Insecure {
		config.InsecureSkipVerify = true

		if len(options.Fingerprints) > 0 {
			pins, err := parsePins(options.Fingerprints)
			if err != nil {
				return nil, err
			}

			config.VerifyConnection = pins.verify
		}

		return config, nil
	}

	if len(options.Fingerprints) > 0 {
		return nil, errors.New("a certificate fingerprint is for insecure connections only: add --insecure, or leave it out")
	}

	pool, err := rootsOf(options)
	if err != nil {
		return nil, err
	}

	config.RootCAs = pool

	if len(options.Client.Crt) > 0 {
		pair, err := options.Client.TLS()
		if err != nil {
			return nil, fmt.Errorf("read client certificate%s: %w", inContext(options.Context), err)
		}

		config.Certificates = []tls.Certificate{pair}
	}

	return config, nil
}

func inContext(name string) string {
	if name == "" {
		return ""
	}

	return fmt.Sprintf(" of context %q", name)
}

// WithNode sends calls to one node, which need not be the endpoint.
func WithNode(ctx context.Context, node string) context.Context {
	return withTargets(ctx, "node", node)
}

// WithNodes sends calls to several nodes, whose answers are merged. Only some
// methods can be asked that way, see api.Mergeable. No nodes mean the endpoint.
func WithNodes(ctx context.Context, nodes ...string) context.Context {
	return withTargets(ctx, "nodes", nodes...)
}
