package machine

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	commonpb "github.com/ichor-os/ichor/api/common"
	machinepb "github.com/ichor-os/ichor/api/machine"
	"github.com/ichor-os/ichor/cli/target"
	"github.com/ichor-os/ichor/client"
)

func newCopy(env environment) *cobra.Command {
	command := &cobra.Command{
		Use:     "copy <src-path> -|<local-path>",
		Aliases: []string{"cp"},
		Short:   "Copy a file or folder from a node",
		Long: `Copy a file or folder from a node.

What lies in the folder is put into the local one, which is made if it is not
there. Files are never written outside of it. With -, the archive (tar, gzip)
goes to standard output.`,
		Args: cobra.ExactArgs(2),
	}
	t := target.New(command, env)
	command.RunE = func(cmd *cobra.Command, args []string) error {
		return t.Run(cmd, func(ctx context.Context, s *target.Session) error {
			ctx, err := s.One(ctx)
			if err != nil {
				return err
			}
			stream, err := s.Machine.Copy(ctx, &machinepb.CopyRequest{RootPath: args[0]})
			if err != nil {
				return err
			}
			archive := reader(stream)
			defer archive.Close()
			if args[1] == "-" {
				_, err := io.Copy(cmd.OutOrStdout(), archive)
				return err
			}
			return unpack(archive, args[1])
		})
	}
	return command
}

// reader turns a stream of data into a reader of its bytes.
func reader(stream interface {
	Recv() (*commonpb.Data, error)
}) *io.PipeReader {
	read, write := io.Pipe()
	go func() {
		write.CloseWithError(client.Collect(stream, func(data *commonpb.Data) error {
			_, err := write.Write(data.GetBytes())
			return err
		}))
	}()
	return read
}

// unpack writes the files of an archive into a folder, and nowhere else: paths
// and links that lead out of it are refused.
func unpack(archive io.Reader, folder string) error {
	zipped, err := gzip.NewReader(archive)
	if err != nil {
		return fmt.Errorf("read archive: %w", err)
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		return err
	}
	defer root.Close()
	files := tar.NewReader(zipped)
	for {
		header, err := files.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read archive: %w", err)
		}
		if err := unpackOne(root, header, files); err != nil {
			return fmt.Errorf("copy %s: %w", header.Name, err)
		}
	}
}

func unpackOne(root *os.Root, header *tar.Header, content io.Reader) error {
	name := filepath.Clean(header.Name)
	mode := header.FileInfo().Mode().Perm()
	switch header.Typeflag {
	case tar.TypeDir:
		return root.MkdirAll(name, mode|0o700) // or nothing could be put into it
	case tar.TypeSymlink:
		return root.Symlink(header.Linkname, name)
	case tar.TypeReg:
	default:
		return nil // sockets and devices mean nothing here
	}
	if err := root.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	file, err := root.OpenFile(name, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, mode)
	if err != nil {
		return err
	}
	_, err = io.Copy(file, content)
	return errors.Join(err, file.Close())
}
