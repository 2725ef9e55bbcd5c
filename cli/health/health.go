// Package health holds the command `health`, which tells whether a cluster works.
//
// [Check] is one thing that has to be right. Checks run in their order; each is
// tried again until it is right or the time is up, and says what it waits for.
package health

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"
	"google.golang.org/protobuf/types/known/durationpb"

	clusterpb "github.com/ichor-os/ichor/api/cluster"
	"github.com/ichor-os/ichor/cli/target"
	"github.com/ichor-os/ichor/client"
)

// A Check is one thing that has to be right.
type Check struct {
	// Name says what it waits for.
	Name string
	// Try is nil when it is right, and otherwise says what is not.
	Try func(ctx context.Context) error
}

// pause is the time between two tries, attempt how long one may take.
const (
	pause   = 500 * time.Millisecond
	attempt = 15 * time.Second
)

// Run tries the checks in order. It writes a line when one begins to wait, when
// the reason for its waiting changes, and when it is right.
func Run(ctx context.Context, out io.Writer, checks []Check) error {
	for _, check := range checks {
		if err := check.run(ctx, out); err != nil {
			return fmt.Errorf("health: %s: %w", check.Name, err)
		}
	}
	return nil
}

func (c Check) run(ctx context.Context, out io.Writer) error {
	said := ""
	for {
		bounded, cancel := context.WithTimeout(ctx, attempt)
		err := c.Try(bounded)
		cancel()
		switch {
		case err == nil:
			_, err := fmt.Fprintf(out, "waiting for %s: OK\n", c.Name)
			return err
		case ctx.Err() != nil:
			return err
		case err.Error() != said:
			said = err.Error()
			if _, err := fmt.Fprintf(out, "waiting for %s: %s\n", c.Name, said); err != nil {
				return err
			}
		}
		timer := time.NewTimer(pause)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return err
		}
	}
}

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
--worker-nodes; else it is those that Kubernetes knows.`,
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
	set.BoolVar(&f.server, "server", false, "let a node check, instead of this program")
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
		c := &cluster{
			session: s, controlPlane: f.controlPlane, workers: f.workers, endpoint: f.endpoint,
			given: len(f.controlPlane)+len(f.workers) > 0,
		}
		return Run(ctx, cmd.OutOrStdout(), c.checks())
	})
}

// onServer lets a node check.
func (f *flags) onServer(ctx context.Context, cmd *cobra.Command, s *target.Session) error {
	target, err := s.One(ctx)
	if err != nil {
		return err
	}
	stream, err := s.Cluster.HealthCheck(target, &clusterpb.HealthCheckRequest{
		WaitTimeout: durationpb.New(f.timeout),
		ClusterInfo: &clusterpb.ClusterInfo{ControlPlaneNodes: f.controlPlane, WorkerNodes: f.workers, ForceEndpoint: f.endpoint},
	})
	if err != nil {
		return err
	}
	return client.Collect(stream, func(progress *clusterpb.HealthCheckProgress) error {
		_, err := fmt.Fprintln(cmd.OutOrStdout(), progress.GetMessage())
		return err
	})
}
