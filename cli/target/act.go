package target

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ichor-os/ichor/client"
)

// Act calls every node and says what it did, a line a node.
func (t *Target) Act(cmd *cobra.Command, call func(ctx context.Context, c *client.Client, node string) (string, error)) error {
	return t.Run(cmd, func(ctx context.Context, s *Session) error {
		return s.Each(ctx, func(ctx context.Context, c *client.Client, node string) error {
			what, err := call(ctx, c, node)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s: %s\n", node, strings.TrimRight(what, "\n"))
			return err
		})
	})
}
