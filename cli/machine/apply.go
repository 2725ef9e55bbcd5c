package machine

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	machinepb "github.com/ichor-os/ichor/api/machine"
	"github.com/ichor-os/ichor/cli/applying"
	"github.com/ichor-os/ichor/cli/target"
	"github.com/ichor-os/ichor/client"
	"github.com/ichor-os/ichor/config"
	"github.com/ichor-os/ichor/config/decode"
)

func newApplyConfig(env environment) *cobra.Command {
	var (
		flags   applying.Flags
		file    string
		patches []string
	)
	command := &cobra.Command{
		Use:     "apply-config",
		Aliases: []string{"apply"},
		Short:   "Give nodes a machine config",
		Long: `Give nodes a machine config.

A node that has none yet is reached with --insecure; name its certificate, as its
console shows it, with --cert-fingerprint to be sure that it is the one.`,
		Args: cobra.NoArgs,
	}
	t := target.New(command, env)
	t.AddInsecure(command, "i")
	flags.Add(command)
	command.Flags().StringVarP(&file, "file", "f", "", "`file` of the config, or - for standard input")
	command.Flags().StringArrayVarP(&patches, "config-patch", "p", nil, "`patch` to lay over it first: text, or @file")
	command.RunE = func(cmd *cobra.Command, _ []string) error {
		text, err := readConfig(cmd, file, patches)
		if err != nil {
			return err
		}
		return t.Act(cmd, func(ctx context.Context, c *client.Client, node string) (string, error) {
			say := func(what string) { _, _ = fmt.Fprintf(cmd.OutOrStdout(), "%s: %s\n", node, what) }
			return flags.Apply(ctx, c, applying.Change{Text: text, Say: say})
		})
	}
	return command
}

// readConfig reads a config and lays patches over it.
func readConfig(cmd *cobra.Command, path string, arguments []string) ([]byte, error) {
	patches, err := config.LoadPatches(arguments...)
	if err != nil {
		return nil, err
	}
	var text []byte
	switch path {
	case "":
		return nil, errors.New("no machine config given: name its file with --file, or - for standard input")
	case "-":
		text, err = decode.ReadAll(cmd.InOrStdin(), path)
	default:
		var file *os.File
		if file, err = os.Open(path); err != nil {
			return nil, err
		}
		text, err = decode.ReadAll(file, path)
		err = errors.Join(err, file.Close())
	}
	if err != nil {
		return nil, err
	}
	return config.PatchText(text, path, patches...)
}

func newBootstrap(env environment) *cobra.Command {
	var (
		snapshot string
		skipHash bool
	)
	command := &cobra.Command{
		Use:   "bootstrap",
		Short: "Make the etcd of a new cluster, on one control plane node",
		Long: `Make the etcd of a new cluster, on one control plane node.

It is done once in the life of a cluster; the other control plane nodes join.`,
		Args: cobra.NoArgs,
	}
	t := target.New(command, env)
	command.Flags().StringVar(&snapshot, "recover-from", "", "snapshot `file` to begin with instead of nothing")
	command.Flags().BoolVar(&skipHash, "recover-skip-hash-check", false, "the snapshot is a copy of etcd's database, without checksum")
	command.RunE = func(cmd *cobra.Command, _ []string) error {
		return t.Run(cmd, func(ctx context.Context, s *target.Session) error {
			ctx, err := s.One(ctx)
			if err != nil {
				return err
			}
			if snapshot != "" {
				if err := sendSnapshot(ctx, s, snapshot); err != nil {
					return err
				}
			}
			_, err = s.Machine.Bootstrap(ctx, &machinepb.BootstrapRequest{RecoverEtcd: snapshot != "", RecoverSkipHashCheck: skipHash})
			if err != nil {
				return err
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), "etcd is being made; 'health' tells when the cluster works")
			return err
		})
	}
	return command
}
