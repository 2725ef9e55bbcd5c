// Command imager builds what a node starts from: the root file system, its
// squashfs, the image cache and their bills of materials.
package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/ichor-os/ichor/bundle"
	"github.com/ichor-os/ichor/osimage/assets"
	"github.com/ichor-os/ichor/osimage/rootfs"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := command().ExecuteContext(ctx); err != nil {
		if ctx.Err() != nil {
			fmt.Fprintln(os.Stderr, "imager: interrupted; nothing half made was kept")
			os.Exit(1)
		}
		fmt.Fprintf(os.Stderr, "imager: %v\n", err)
		os.Exit(1)
	}
}

func command() *cobra.Command {
	builder := &assets.Builder{}
	var small bool
	root := &cobra.Command{
		Use: "imager", Short: "Build boot assets", SilenceUsage: true, SilenceErrors: true,
		PersistentPreRunE: func(*cobra.Command, []string) error { return complete(builder, small) },
	}
	flags := root.PersistentFlags()
	flags.StringVar(&builder.Source, "source", "", "the repository (default: found above the working folder)")
	flags.StringVar(&builder.Cache, "cache", "", "where everything is written (default: ichor in the user's cache folder)")
	flags.StringVar(&builder.Programs, "programs", "", "the cache of built programs (default: ichor/programs in the user's cache folder)")
	flags.StringVar(&builder.Arch, "arch", "", "architecture to build for, as GOARCH (default: this machine's)")
	flags.BoolVar(&builder.Strict, "locked", false, "fail if a pinned Debian package is no longer served")
	flags.BoolVar(&small, "release", false, "pack the root as small as possible")
	root.AddCommand(assetsCommand(builder), imagesCommand(builder), lockCommand(builder), sizesCommand(builder), verifyCommand(builder), sampleCommand(builder), reproduceCommand(builder),
		pruneCommand(builder))
	return root
}

func complete(builder *assets.Builder, small bool) error {
	builder.Log = slog.New(slog.NewTextHandler(os.Stderr, nil))
	if small {
		builder.Compression = rootfs.Small
	}
	var err error
	if builder.Source == "" {
		if builder.Source, err = bundle.FindRoot("."); err != nil {
			return err
		}
	}
	if builder.Cache == "" {
		builder.Cache, err = assets.CacheFolder()
	}
	return err
}

func assetsCommand(builder *assets.Builder) *cobra.Command {
	return &cobra.Command{
		Use: "assets", Short: "Build the assets of a default cluster and print their folder", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			built, err := builder.Build(cmd.Context())
			return show(cmd, built, err)
		},
	}
}

func sampleCommand(builder *assets.Builder) *cobra.Command {
	return &cobra.Command{
		Use: "sample", Short: "Build the root and one image and print their folder", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			built, err := builder.BuildSample(cmd.Context())
			return show(cmd, built, err)
		},
	}
}

func reproduceCommand(builder *assets.Builder) *cobra.Command {
	var quick bool
	cmd := &cobra.Command{
		Use: "reproduce", Short: "Build everything again from nothing, elsewhere, and compare every byte", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := builder.Reproduce(cmd.Context(), quick); err != nil {
				return err
			}
			_, err := fmt.Fprintln(cmd.OutOrStdout(), "both builds are the same, byte for byte")
			return err
		},
	}
	cmd.Flags().BoolVar(&quick, "quick", false, "only the root and one image")
	return cmd
}

func imagesCommand(builder *assets.Builder) *cobra.Command {
	parent := &cobra.Command{Use: "images", Short: "Build a further image cache and print its folder"}
	parent.AddCommand(
		&cobra.Command{
			Use: "test", Short: "The workloads of end-to-end tests", Args: cobra.NoArgs,
			RunE: func(cmd *cobra.Command, _ []string) error {
				built, err := builder.BuildTest(cmd.Context())
				return show(cmd, built, err)
			},
		},
		&cobra.Command{
			Use: "kubernetes VERSION", Short: "The Kubernetes images of another pinned version", Args: cobra.ExactArgs(1),
			RunE: func(cmd *cobra.Command, args []string) error {
				built, err := builder.BuildKubernetes(cmd.Context(), args[0])
				return show(cmd, built, err)
			},
		})
	return parent
}

func show(cmd *cobra.Command, built *assets.Assets, err error) error {
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(cmd.OutOrStdout(), built.Folder)
	return err
}

func lockCommand(builder *assets.Builder) *cobra.Command {
	return &cobra.Command{
		Use: "lock", Short: "Move the Debian pins to the newest versions of their series", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			lock, err := builder.Relock(cmd.Context())
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "pinned %d packages of Debian %s\n", len(lock.Pins), lock.Series)
			return err
		},
	}
}

// open opens the folder that an optional argument names, or the default.
func open(args []string) (*assets.Assets, error) {
	if len(args) == 1 {
		return assets.Open(args[0])
	}
	folder, err := assets.Default()
	if err != nil {
		return nil, err
	}
	return assets.Open(folder)
}

func sizesCommand(*assets.Builder) *cobra.Command {
	var budget bool
	cmd := &cobra.Command{
		Use: "sizes [FOLDER]", Short: "Print the size of each part of the assets", Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			opened, err := open(args)
			if err != nil {
				return err
			}
			if err := opened.WriteSizes(cmd.OutOrStdout()); err != nil || !budget {
				return err
			}
			return opened.CheckBudget()
		},
	}
	cmd.Flags().BoolVar(&budget, "budget", false, "fail if a part is larger than it may be")
	return cmd
}

func pruneCommand(builder *assets.Builder) *cobra.Command {
	return &cobra.Command{
		Use: "prune", Short: "Remove assets that are neither current nor in use", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			removed, err := builder.Prune(cmd.Context())
			if err != nil {
				return err
			}
			for _, folder := range removed {
				if _, err := fmt.Fprintln(cmd.OutOrStdout(), "removed", folder); err != nil {
					return err
				}
			}
			return nil
		},
	}
}

func verifyCommand(*assets.Builder) *cobra.Command {
	return &cobra.Command{
		Use: "verify [FOLDER]", Short: "Compare every byte of the assets with their manifest", Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			opened, err := open(args)
			if err != nil {
				return err
			}
			if err := opened.Verify(); err != nil {
				return err
			}
			if opened.Manifest.RootFS == nil {
				return nil
			}
			return rootfs.Check(opened.Path(opened.Manifest.RootFS.Path), rootfs.Allowed(opened.Manifest.Arch))
		},
	}
}
