package client

import (
	"context"
	"sync"

	"google.golang.org/grpc/status"
)

// atOnce is the number of nodes that ForEach asks at a time.
const atOnce = 32

// ForEach calls ask once for each node, several at a time, with a context that
// sends calls there. It is for methods that cannot be asked of many nodes in one
// call, see api.Mergeable. Errors are returned as NodeErrors, in the order of
// the nodes; one does not keep the others from being asked. Without nodes, ask
// is called once, for the endpoint, with an empty name.
func ForEach(ctx context.Context, nodes []string, ask func(ctx context.Context, node string) error) error {
	if len(nodes) == 0 {
		return ask(ctx, "")
	}

	var group sync.WaitGroup

	failed := make([]error, len(nodes))
	turn := make(chan struct{}, atOnce)

	for i, node := range nodes {
		turn <- struct{}{}

		group.Go(func() {
			defer func() { <-turn }()

			failed[i] = ask(WithNode(ctx, node), node)
		})
	}

	group.Wait()

	var all NodeErrors

	for i, err := range failed {
		if err != nil {
			all = append(all, &NodeError{Node: nodes[i], Cause: status.Convert(err), reason: err})
		}
	}

	if len(all) == 0 {
		return nil
	}

	return all
}
