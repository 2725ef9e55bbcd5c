package target

import (
	"context"
	"errors"
	"fmt"
	"os/signal"
	"strings"
	"sync"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/ichor-os/ichor/client"
)

// A Session talks to the nodes of a Target.
type Session struct {
	*client.Client
	// Nodes are those that are asked; none means the endpoint itself.
	Nodes []string

	endpoint  string // what stands in the NODE column without nodes
	endpoints []string
	direct    map[string]*client.Client
}

// Run connects and lets a command do its work; what the work waits for ends when
// the user interrupts it.
func (t *Target) Run(cmd *cobra.Command, work func(ctx context.Context, s *Session) error) error {
	ctx, stop := signal.NotifyContext(cmd.Context(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	s, err := t.Connect()
	if err != nil {
		return err
	}
	defer s.Close()
	return work(ctx, s)
}

// Connect makes a session; it connects with the first call.
func (t *Target) Connect() (*Session, error) {
	if t.keysFolder != "" {
		return nil, errors.New("--siderov1-keys-dir: requests are not signed yet: use a context with certificates")
	}
	if t.cluster != "" {
		return nil, errors.New("--cluster: proxy endpoints are not supported yet: name the endpoints of the cluster with --endpoints")
	}
	if t.insecure {
		return t.connectInsecure()
	}
	file, err := t.Open()
	if err != nil {
		return nil, err
	}
	found, err := file.Get(t.Context)
	if err != nil {
		if len(file.Contexts) == 0 {
			return nil, fmt.Errorf("the client config %s has no context: make a cluster, add one with 'config merge', or set TALOSCONFIG", file.Path())
		}
		return nil, err
	}
	name := t.Context
	if name == "" {
		name = file.Context
	}
	options, err := client.FromContext(name, found, t.endpoints)
	if err != nil {
		return nil, err
	}
	nodes := t.Nodes
	if len(nodes) == 0 {
		nodes = found.Nodes
	}
	if len(options.Endpoints) == 0 {
		options.Endpoints = nodes // a node answers for itself
	}
	c, err := client.New(options)
	if err != nil {
		return nil, err
	}
	return &Session{Client: c, Nodes: nodes, endpoint: options.Endpoints[0], endpoints: options.Endpoints}, nil
}

// connectInsecure connects to each node by itself: one without a config forwards
// nothing.
func (t *Target) connectInsecure() (*Session, error) {
	nodes := t.Nodes
	if len(nodes) == 0 {
		nodes = t.endpoints
	}
	if len(nodes) == 0 {
		return nil, errors.New("--insecure: name the node with --nodes")
	}
	s := &Session{Nodes: nodes, endpoint: nodes[0], direct: map[string]*client.Client{}}
	for _, node := range nodes {
		c, err := client.New(client.Options{Endpoints: []string{node}, Insecure: true, Fingerprints: t.fingerprints})
		if err != nil {
			return nil, errors.Join(err, s.Close())
		}
		s.direct[node] = c
		if s.Client == nil {
			s.Client = c
		}
	}
	return s, nil
}

// Close ends the connections.
func (s *Session) Close() error {
	if s.direct == nil {
		return s.Client.Close()
	}
	var errs []error
	for _, c := range s.direct {
		errs = append(errs, c.Close())
	}
	return errors.Join(errs...)
}

// Name is what stands in the NODE column for a node.
func (s *Session) Name(node string) string {
	if node == "" {
		return s.endpoint
	}
	return node
}

// Each asks the nodes one by one, several at a time, each over the client that
// it is given. An error of one does not keep the others from being asked.
func (s *Session) Each(ctx context.Context, ask func(ctx context.Context, c *client.Client, node string) error) error {
	if s.direct == nil {
		return client.ForEach(ctx, s.Nodes, func(ctx context.Context, node string) error {
			return ask(ctx, s.Client, s.Name(node))
		})
	}
	var group sync.WaitGroup
	failed := make([]error, len(s.Nodes))
	for i, node := range s.Nodes {
		group.Go(func() {
			if err := ask(ctx, s.direct[node], node); err != nil {
				failed[i] = fmt.Errorf("%s: %w", node, err)
			}
		})
	}
	group.Wait()
	return errors.Join(failed...)
}

// One gives the context of a call to one node. It is for commands whose result
// is one thing, such as a file.
func (s *Session) One(ctx context.Context) (context.Context, error) {
	switch {
	case len(s.Nodes) > 1:
		return nil, fmt.Errorf("this asks one node, not %d (%s): choose it with --nodes", len(s.Nodes), strings.Join(s.Nodes, ", "))
	case len(s.Nodes) == 0 || s.direct != nil:
		return ctx, nil
	}
	return client.WithNode(ctx, s.Nodes[0]), nil
}

// All gives the context of a call that all nodes answer in one, merged.
func (s *Session) All(ctx context.Context) context.Context {
	if len(s.Nodes) == 0 || s.direct != nil {
		return ctx
	}
	return client.WithNodes(ctx, s.Nodes...)
}

// Endpoint is the first endpoint.
func (s *Session) Endpoint() string { return s.endpoint }

// Endpoints are all that are dialled.
func (s *Session) Endpoints() []string { return s.endpoints }
