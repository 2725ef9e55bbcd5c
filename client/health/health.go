// Package health tells whether a cluster works, by what its nodes and Kubernetes
// say. Clients ask that way, and nodes for clients.
//
// [Check] is one thing that has to be right; [Cluster] has those of a cluster.
// Checks run in their order; each is tried again until it is right or the time
// is up, and says what it waits for.
package health

import (
	"context"
	"fmt"
	"io"
	"time"
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
