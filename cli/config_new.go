package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/spf13/cobra"
	"google.golang.org/protobuf/types/known/durationpb"

	machinepb "github.com/ichor-os/ichor/api/machine"
	"github.com/ichor-os/ichor/atomicfile"
	"github.com/ichor-os/ichor/cli/target"
	"github.com/ichor-os/ichor/pki/talosconfig"
)

func newConfigNew(t *target.Target) *cobra.Command {
	var (
		lifetime time.Duration
		roles    []string
	)
	command := &cobra.Command{
		Use:   "new [<path>]",
		Short: "Make a client config with a new certificate, signed by a node",
		Long: `Make a client config with a new certificate, signed by a control plane node.

It is written to the path (default: talosconfig), which must not exist.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			path := "talosconfig"
			if len(args) > 0 {
				path = args[0]
			}
			if _, err := os.Lstat(path); err == nil {
				return fmt.Errorf("%s exists already: name another file", path)
			} else if !errors.Is(err, fs.ErrNotExist) {
				return err
			}
			return t.Run(cmd, func(ctx context.Context, s *target.Session) error {
				ctx, err := s.One(ctx)
				if err != nil {
					return err
				}
				response, err := s.Machine.GenerateClientConfiguration(ctx, &machinepb.GenerateClientConfigurationRequest{
					Roles: roles, CrtTtl: durationpb.New(lifetime),
				})
				if err != nil {
					return err
				}
				if len(response.GetMessages()) == 0 {
					return errors.New("the node answered without a client config")
				}
				text, err := reaching(response.GetMessages()[0].GetTalosconfig(), s)
				if err != nil {
					return fmt.Errorf("read the node's answer: %w", err)
				}
				return atomicfile.Create(path, text, 0o600)
			})
		},
	}
	command.Flags().DurationVar(&lifetime, "crt-ttl", 8760*time.Hour, "lifetime of the certificate")
	command.Flags().StringSliceVar(&roles, "roles", []string{"os:admin"}, "roles of the certificate")
	return command
}

// reaching puts the endpoints and nodes of a session into a client config: the
// node does not know by which of its addresses it is reached from here.
func reaching(text []byte, s *target.Session) ([]byte, error) {
	config, err := talosconfig.Parse(text)
	if err != nil {
		return nil, err
	}
	for _, context := range config.Contexts {
		context.Endpoints = s.Endpoints()
		if len(context.Nodes) == 0 {
			context.Nodes = s.Nodes
		}
	}
	return config.Encode()
}
