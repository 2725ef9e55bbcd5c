package machine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	commonpb "github.com/ichor-os/ichor/api/common"
	machinepb "github.com/ichor-os/ichor/api/machine"
	"github.com/ichor-os/ichor/cli/output"
	"github.com/ichor-os/ichor/cli/target"
	"github.com/ichor-os/ichor/client"
)

func newImage(env environment) *cobra.Command {
	var namespace string
	command := &cobra.Command{
		Use:     "image",
		Aliases: []string{"images"},
		Short:   "Show, pull and remove container images of nodes",
	}
	t := target.New(command, env)
	command.PersistentFlags().StringVar(&namespace, "namespace", "cri", "whose images: cri (Kubernetes) or system")
	instance := func() (*commonpb.ContainerdInstance, error) {
		switch namespace {
		case "cri":
			return &commonpb.ContainerdInstance{Driver: commonpb.ContainerDriver_CRI, Namespace: commonpb.ContainerdNamespace_NS_CRI}, nil
		case "system":
			return &commonpb.ContainerdInstance{Namespace: commonpb.ContainerdNamespace_NS_SYSTEM}, nil
		}
		return nil, fmt.Errorf("--namespace: %q: use cri or system", namespace)
	}
	command.AddCommand(newImageList(t, instance), newImagePull(t, instance), newImageRemove(t, instance))
	return command
}

type instanceOf = func() (*commonpb.ContainerdInstance, error)

// imageRow is an image as `image list` writes it.
type imageRow struct {
	Node    string `json:"node"`
	Image   string `json:"image"`
	Digest  string `json:"digest"`
	Size    int64  `json:"size"`
	Created string `json:"created"`
}

func newImageList(t *target.Target, instance instanceOf) *cobra.Command {
	command := &cobra.Command{
		Use:     "list",
		Aliases: []string{"l", "ls"},
		Short:   "List the images of nodes",
		Args:    cobra.NoArgs,
	}
	format := target.AddFormat(command)
	command.RunE = func(cmd *cobra.Command, _ []string) error {
		kind, err := format.Parse()
		if err != nil {
			return err
		}
		where, err := instance()
		if err != nil {
			return err
		}
		return t.Run(cmd, func(ctx context.Context, s *target.Session) error {
			var (
				mu   sync.Mutex
				list = []imageRow{}
			)
			err := s.Each(ctx, func(ctx context.Context, c *client.Client, node string) error {
				images, err := imagesOf(ctx, c, node, where)
				mu.Lock()
				defer mu.Unlock()
				list = append(list, images...)
				return err
			})
			slices.SortFunc(list, func(a, b imageRow) int { return strings.Compare(a.Node+a.Image, b.Node+b.Image) })
			if len(list) == 0 && err != nil {
				return err
			}
			return errors.Join(writeImages(cmd.OutOrStdout(), kind, list), err)
		})
	}
	return command
}

func imagesOf(ctx context.Context, c *client.Client, node string, where *commonpb.ContainerdInstance) ([]imageRow, error) {
	stream, err := c.Image.List(ctx, &machinepb.ImageServiceListRequest{Containerd: where})
	if err != nil {
		return nil, err
	}
	var list []imageRow
	for {
		image, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return list, nil
		}
		if err != nil {
			return list, err
		}
		list = append(list, imageRow{
			Node: node, Image: image.GetName(), Digest: image.GetDigest(), Size: image.GetSize(), Created: image.GetCreatedAt().AsTime().UTC().Format(time.RFC3339),
		})
	}
}

func writeImages(w io.Writer, kind output.Format, list []imageRow) error {
	if kind != output.Table {
		return output.Write(w, kind, list)
	}
	var rows [][]string
	for _, i := range list {
		rows = append(rows, []string{i.Node, i.Image, i.Digest, humanize.IBytes(uint64(max(i.Size, 0))), i.Created})
	}
	return output.WriteTable(w, []string{"NODE", "IMAGE", "DIGEST", "SIZE", "CREATED"}, rows)
}

func newImagePull(t *target.Target, instance instanceOf) *cobra.Command {
	return &cobra.Command{
		Use:     "pull <image>",
		Aliases: []string{"p"},
		Short:   "Make nodes pull an image",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			where, err := instance()
			if err != nil {
				return err
			}
			return t.Act(cmd, func(ctx context.Context, c *client.Client, _ string) (string, error) {
				stream, err := c.Image.Pull(ctx, &machinepb.ImageServicePullRequest{Containerd: where, ImageRef: args[0]})
				if err != nil {
					return "", err
				}
				name := args[0]
				for {
					progress, err := stream.Recv()
					if errors.Is(err, io.EOF) {
						return "pulled " + name, nil
					}
					if err != nil {
						return "", err
					}
					if progress.GetName() != "" {
						name = progress.GetName()
					}
				}
			})
		},
	}
}

func newImageRemove(t *target.Target, instance instanceOf) *cobra.Command {
	return &cobra.Command{
		Use:     "remove <image>",
		Aliases: []string{"rm"},
		Short:   "Remove an image from nodes",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			where, err := instance()
			if err != nil {
				return err
			}
			return t.Act(cmd, func(ctx context.Context, c *client.Client, _ string) (string, error) {
				_, err := c.Image.Remove(ctx, &machinepb.ImageServiceRemoveRequest{Containerd: where, ImageRef: args[0]})
				return "removed " + args[0], err
			})
		},
	}
}
