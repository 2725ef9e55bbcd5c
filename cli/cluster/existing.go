//go:build linux

package cluster

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/ichor-os/ichor/client"
	"github.com/ichor-os/ichor/pki/talosconfig"
)

// answerTimeout is how long nodes that were started again may take to answer.
const answerTimeout = 5 * time.Minute

// goOn takes a cluster that is there: it starts those of its nodes that are
// stopped, and makes sure that the cluster answers.
func (f *createFlags) goOn(cmd *cobra.Command) error {
	status, err := f.store().Show(f.name)
	if err != nil {
		return err
	}
	running := 0
	for _, node := range status.Nodes {
		if node.State == "running" {
			running++
		}
	}
	what := fmt.Sprintf("cluster %s is there already, with %d of %d nodes running", f.name, running, len(status.Nodes))
	switch running {
	case 0:
		if _, err := f.store().Start(cmd.Context(), f.name); err != nil {
			return err
		}
		what = fmt.Sprintf("cluster %s was stopped; its %d nodes are started again", f.name, len(status.Nodes))
	case len(status.Nodes):
	default:
		started, err := f.store().StartStopped(cmd.Context(), f.name)
		if err != nil {
			return err
		}
		if len(started) > 0 {
			what += "; started again: " + strings.Join(started, ", ")
		}
	}
	path, err := talosconfig.DefaultPath(f.talosconfig, f.get)
	if err != nil {
		return err
	}
	file, err := talosconfig.Open(path)
	if err != nil {
		return err
	}
	names := contextsOf(file, status.Spec)
	if len(names) == 0 {
		return fmt.Errorf("cluster %s is there, but no context in %s leads to it: it was not finished, or another client config has it: "+
			"set TALOSCONFIG, or make it anew after '%s cluster destroy%s'", f.name, path, program(), f.selector())
	}
	options, err := client.FromContext(names[0], file.Contexts[names[0]], nil)
	if err != nil {
		return err
	}
	if err := answers(cmd.Context(), options); err != nil {
		return fmt.Errorf("cluster %s is there, but does not answer: %w: make it anew after '%s cluster destroy%s'", f.name, err, program(), f.selector())
	}
	return f.finish(cmd, status.Spec, what)
}

// answers waits until an endpoint answers.
func answers(ctx context.Context, options client.Options) error {
	c, err := client.New(options)
	if err != nil {
		return err
	}
	defer c.Close()
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	for {
		_, err := c.Machine.Version(ctx, &emptypb.Empty{})
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(500 * time.Millisecond):
			c.Reconnect()
		}
	}
}
