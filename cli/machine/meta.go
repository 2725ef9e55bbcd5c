package machine

import (
	"context"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	machinepb "github.com/ichor-os/ichor/api/machine"
	"github.com/ichor-os/ichor/cli/target"
	"github.com/ichor-os/ichor/client"
)

func newMeta(env environment) *cobra.Command {
	command := &cobra.Command{
		Use:   "meta",
		Short: "Write and delete what nodes keep in META",
	}
	t := target.New(command, env)
	t.AddInsecure(command, "i")
	command.AddCommand(newMetaWrite(t), newMetaDelete(t))
	return command
}

func newMetaWrite(t *target.Target) *cobra.Command {
	command := &cobra.Command{
		Use:   "write key value",
		Short: "Write a value",
		Args:  cobra.ExactArgs(2),
	}
	command.RunE = func(cmd *cobra.Command, args []string) error {
		key, err := metaKey(args[0])
		if err != nil {
			return err
		}
		return t.Act(cmd, func(ctx context.Context, c *client.Client, _ string) (string, error) {
			_, err := c.Machine.MetaWrite(ctx, &machinepb.MetaWriteRequest{Key: key, Value: []byte(args[1])})
			return "key " + args[0] + " is written", err
		})
	}
	return command
}

func newMetaDelete(t *target.Target) *cobra.Command {
	command := &cobra.Command{
		Use:   "delete key",
		Short: "Delete a value",
		Args:  cobra.ExactArgs(1),
	}
	command.RunE = func(cmd *cobra.Command, args []string) error {
		key, err := metaKey(args[0])
		if err != nil {
			return err
		}
		return t.Act(cmd, func(ctx context.Context, c *client.Client, _ string) (string, error) {
			_, err := c.Machine.MetaDelete(ctx, &machinepb.MetaDeleteRequest{Key: key})
			return "key " + args[0] + " is deleted", err
		})
	}
	return command
}

// metaKey reads a key, which is one byte.
func metaKey(text string) (uint32, error) {
	key, err := strconv.ParseUint(text, 0, 8)
	if err != nil {
		return 0, fmt.Errorf("key %q: want a number from 0 to 255, such as 0x0c", text)
	}
	return uint32(key), nil
}
