package resources

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	resourcepb "github.com/ichor-os/ichor/api/cosi/resource"
	"github.com/ichor-os/ichor/cli/applying"
	"github.com/ichor-os/ichor/cli/target"
	"github.com/ichor-os/ichor/client"
	"github.com/ichor-os/ichor/config"
)

// persistent is the id of the machine config that a node keeps; the one in force
// may be one that is only tried.
const persistent = "persistent"

// machineConfig gets the machine config that a node keeps.
func machineConfig(ctx context.Context, c *client.Client) ([]byte, error) {
	found, err := c.Resources.Get(ctx, &resourcepb.GetRequest{Namespace: "config", Type: machineConfigType, Id: persistent})
	if err != nil {
		return nil, fmt.Errorf("get machine config: %w", err)
	}
	spec, err := decodeSpec(machineConfigType, found.GetResource().GetSpec().GetYamlSpec())
	if err != nil {
		return nil, fmt.Errorf("get machine config: %w", err)
	}
	text, ok := spec.(string)
	if !ok || text == "" {
		return nil, errors.New("get machine config: the node has none: give it one with apply-config")
	}
	return []byte(text), nil
}

// onlyMachineConfig refuses other types, which cannot be changed from outside.
func onlyMachineConfig(args []string) error {
	switch name := strings.ToLower(args[0]); name {
	case "machineconfig", "machineconfigs", "mc", strings.ToLower(machineConfigType):
		return nil
	default:
		return fmt.Errorf("%q cannot be changed from outside: only the machineconfig can", args[0])
	}
}

// NewPatch makes the command `patch`. Env is like [os.LookupEnv].
func NewPatch(env func(name string) (string, bool)) *cobra.Command {
	var (
		flags   applying.Flags
		patches []string
		file    string
	)
	command := &cobra.Command{
		Use:   "patch machineconfig",
		Short: "Patch the machine config of nodes",
		Args:  cobra.RangeArgs(1, 2),
	}
	t := target.New(command, env)
	flags.Add(command)
	command.Flags().StringArrayVarP(&patches, "patch", "p", nil, "`patch` to apply: text, or @file")
	command.Flags().StringVar(&file, "patch-file", "", "`file` with a patch")
	command.Flags().String("namespace", "", "no effect")
	_ = command.Flags().MarkHidden("namespace")
	command.RunE = func(cmd *cobra.Command, args []string) error {
		if err := onlyMachineConfig(args); err != nil {
			return err
		}
		if file != "" {
			patches = append(patches, "@"+file)
		}
		if len(patches) == 0 {
			return errors.New("no patch given: use --patch or --patch-file")
		}
		loaded, err := config.LoadPatches(patches...)
		if err != nil {
			return err
		}
		return change(cmd, t, flags, func(_ string, text []byte) ([]byte, error) {
			return config.PatchText(text, "machineconfig", loaded...)
		})
	}
	return command
}

// change gets the config of each node, lets edit change it and applies what comes
// out. A config that stays the same is not applied.
func change(cmd *cobra.Command, t *target.Target, flags applying.Flags, edit func(node string, text []byte) ([]byte, error)) error {
	return t.Run(cmd, func(ctx context.Context, s *target.Session) error {
		return s.Each(ctx, func(ctx context.Context, c *client.Client, node string) error {
			before, err := machineConfig(ctx, c)
			if err != nil {
				return err
			}
			after, err := edit(node, before)
			if err != nil {
				return err
			}
			said := "nothing changes"
			if !sameDocuments(before, after) {
				say := func(what string) { _, _ = fmt.Fprintf(cmd.OutOrStdout(), "%s: %s\n", node, what) }
				if said, err = flags.Apply(ctx, c, applying.Change{Text: after, Base: before, Say: say}); err != nil {
					return err
				}
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s: %s\n", node, said)
			return err
		})
	})
}

// sameDocuments reports whether two configs say the same, however they are
// written.
func sameDocuments(a, b []byte) bool { return bytes.Equal(canonical(a), canonical(b)) }

// canonical writes a config as this program would; one that it cannot read stays
// as it is.
func canonical(text []byte) []byte {
	parsed, err := config.Parse(text)
	if err != nil {
		return text
	}
	encoded, err := parsed.Encode()
	if err != nil {
		return text
	}
	return encoded
}
