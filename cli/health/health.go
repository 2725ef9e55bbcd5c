// Package health holds the command `health`, which tells whether a cluster works.
package health

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/durationpb"

	clusterpb "github.com/ichor-os/ichor/api/cluster"
	"github.com/ichor-os/ichor/cli/machine"
	"github.com/ichor-os/ichor/cli/target"
	"github.com/ichor-os/ichor/client"
	"github.com/ichor-os/ichor/client/health"
)

// flags are those of `health`.
type flags struct {
	t                     *target.Target
	controlPlane, workers []string
	initNode, endpoint    string
	timeout               time.Duration
	server, e2e           bool
}

// New makes the command `health`. Env is like [os.LookupEnv].
func New(env func(name string) (string, bool)) *cobra.Command {
	f := &flags{}
	command := &cobra.Command{
		Use:   "health",
		Short: "Tell whether a cluster works, and wait until it does",
		Long: `Tell whether a cluster works, and wait until it does.

Which nodes the cluster should have is said with --control-plane-nodes and
--worker-nodes; else it is those that Kubernetes knows. The first node is asked
and looks at all others; with --server=false this program does, which has to
reach the Kubernetes API then.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	f.t = target.New(command, env)
	set := command.Flags()
	set.StringSliceVar(&f.controlPlane, "control-plane-nodes", nil, "addresses of the control plane nodes")
	set.StringSliceVar(&f.workers, "worker-nodes", nil, "addresses of the worker nodes")
	set.StringVar(&f.initNode, "init-node", "", "address of a control plane node more")
	set.StringVar(&f.endpoint, "k8s-endpoint", "", "URL of the Kubernetes API instead of the cluster's")
	set.DurationVar(&f.timeout, "wait-timeout", 20*time.Minute, "how long to wait")
	set.BoolVar(&f.server, "server", true, "let a control plane node check, instead of this program")
	set.BoolVar(&f.e2e, "run-e2e", false, "not there yet")
	_ = set.MarkHidden("run-e2e")
	return command
}

func (f *flags) run(cmd *cobra.Command) error {
	if f.e2e {
		return fmt.Errorf("--run-e2e: is not there yet")
	}
	if f.initNode != "" {
		f.controlPlane = append([]string{f.initNode}, f.controlPlane...)
	}
	return f.t.Run(cmd, func(ctx context.Context, s *target.Session) error {
		ctx, cancel := context.WithTimeout(ctx, f.timeout)
		defer cancel()
		if f.server {
			return f.onServer(ctx, cmd, s)
		}
		c := &health.Cluster{
			Machine: s.Machine, Reconnect: s.Reconnect, ControlPlane: f.controlPlane, Workers: f.workers,
			Connect: func(ctx context.Context, node string) (health.Kubernetes, error) { return f.connect(ctx, s, node) },
		}
		if len(s.Nodes) > 0 {
			c.First = s.Nodes[0]
		}
		return health.Run(ctx, cmd.OutOrStdout(), c.Checks())
	})
}

// connect gets a kubeconfig and finds an address at which the Kubernetes API can
// be reached from here: the given one, the cluster's, or an endpoint of the node
// API.
func (f *flags) connect(ctx context.Context, s *target.Session, node string) (health.Kubernetes, error) {
	one := *s
	if node != "" {
		one.Nodes = []string{node}
	}
	fetched, err := machine.FetchKubeconfig(ctx, &one)
	if err != nil {
		return nil, err
	}
	servers := []string{f.endpoint}
	if f.endpoint == "" {
		servers = []string{machine.ThroughLoopback(s.Endpoint(), fetched.Server()), "https://" + net.JoinHostPort(hostOf(s.Endpoint()), "6443")}
	}
	var errs []error
	for _, server := range servers {
		if _, err := url.Parse(server); err != nil || server == "" {
			continue
		}
		fetched.SetServer(server)
		api, err := health.NewKubernetes(fetched)
		if err != nil {
			return nil, err
		}
		err = api.Get(ctx, "/api/v1/nodes", &struct{}{})
		if err == nil {
			return api, nil
		}
		errs = append(errs, err)
	}
	return nil, errors.Join(errs...)
}

func hostOf(endpoint string) string {
	if host, _, err := net.SplitHostPort(endpoint); err == nil {
		return host
	}
	return strings.Trim(endpoint, "[]")
}

// onServer lets a control plane node check: the first that is named.
func (f *flags) onServer(ctx context.Context, cmd *cobra.Command, s *target.Session) error {
	asked := ctx
	switch {
	case len(f.controlPlane) > 0:
		asked = client.WithNode(ctx, f.controlPlane[0])
	case len(s.Nodes) > 0:
		asked = client.WithNode(ctx, s.Nodes[0])
	}
	stream, err := s.Cluster.HealthCheck(asked, &clusterpb.HealthCheckRequest{
		WaitTimeout: durationpb.New(f.timeout),
		ClusterInfo: &clusterpb.ClusterInfo{ControlPlaneNodes: f.controlPlane, WorkerNodes: f.workers, ForceEndpoint: f.endpoint},
	})
	if err == nil {
		err = client.Collect(stream, func(progress *clusterpb.HealthCheckProgress) error {
			_, err := fmt.Fprintln(cmd.OutOrStdout(), progress.GetMessage())
			return err
		})
	}
	if code := status.Code(err); code == codes.Unimplemented || code == codes.Unavailable {
		return fmt.Errorf("%w: or let this program check, with --server=false", err)
	}
	return err
}
