package machine

import (
	"archive/tar"
	"cmp"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/ichor-os/ichor/cli/target"
	"github.com/ichor-os/ichor/pki/kubeconfig"
)

// kubeconfigFlags are the flags of `kubeconfig`.
type kubeconfigFlags struct {
	t            *target.Target
	force, merge bool
	name         string
	rerouted     bool // the server is not the one that the nodes know
}

func newKubeconfig(env environment) *cobra.Command {
	f := &kubeconfigFlags{}
	command := &cobra.Command{
		Use:   "kubeconfig [local-path]",
		Short: "Get an administrator's kubeconfig",
		Long: `Get an administrator's kubeconfig.

It is merged into the file (default: $KUBECONFIG or ~/.kube/config); - writes it to
standard output. Where a name is taken by another cluster, the new one gets a
number behind its name, unless --force replaces the old.`,
		Args: cobra.MaximumNArgs(1),
	}
	f.t = target.New(command, env)
	flags := command.Flags()
	flags.BoolVarP(&f.force, "force", "f", false, "replace entries, or the file, that are there")
	flags.StringVar(&f.name, "force-context-name", "", "name of the context instead of admin@CLUSTER")
	flags.BoolVarP(&f.merge, "merge", "m", true, "merge it into a file that is there")
	command.RunE = func(cmd *cobra.Command, args []string) error {
		var given string
		if len(args) > 0 {
			given = args[0]
		}
		return f.run(cmd, given)
	}
	return command
}

func (f *kubeconfigFlags) run(cmd *cobra.Command, given string) error {
	return f.t.Run(cmd, func(ctx context.Context, s *target.Session) error {
		fetched, err := FetchKubeconfig(ctx, s)
		if err != nil {
			return err
		}
		if err := f.throughLoopback(cmd, s.Endpoint(), fetched); err != nil {
			return err
		}
		if f.name != "" {
			if err := fetched.RenameContext(fetched.CurrentContext(), f.name); err != nil {
				return err
			}
		}
		if given == "-" {
			text, err := fetched.Encode()
			if err != nil {
				return err
			}
			_, err = cmd.OutOrStdout().Write(text)
			return err
		}
		path, err := f.path(given)
		if err != nil {
			return err
		}
		return f.save(cmd, path, fetched)
	})
}

// throughLoopback leads the kubeconfig the way that the node API took.
func (f *kubeconfigFlags) throughLoopback(cmd *cobra.Command, endpoint string, fetched *kubeconfig.Config) error {
	server := ThroughLoopback(endpoint, fetched.Server())
	if server == fetched.Server() {
		return nil
	}
	f.rerouted = true
	_, err := fmt.Fprintf(cmd.ErrOrStderr(), "%s is an address of the nodes alone: %s leads there from this computer\n", fetched.Server(), server)
	fetched.SetServer(server)
	return err
}

// ThroughLoopback returns the URL at which the Kubernetes API of a cluster is
// reached that has its node API at endpoint. Nodes of a cluster on this computer
// are reached on loopback addresses of their own only, with the same ports.
func ThroughLoopback(endpoint, server string) string {
	if host, _, err := net.SplitHostPort(endpoint); err == nil {
		endpoint = host
	}
	address, err := netip.ParseAddr(endpoint)
	if err != nil || !address.Is4() || !address.IsLoopback() || address == netip.AddrFrom4([4]byte{127, 0, 0, 1}) {
		return server // not one of those
	}
	parsed, err := url.Parse(server)
	if err != nil {
		return server
	}
	parsed.Host = net.JoinHostPort(endpoint, cmp.Or(parsed.Port(), "443"))
	return parsed.String()
}

// path is the file to write; a folder means the file kubeconfig in it.
func (f *kubeconfigFlags) path(given string) (string, error) {
	path, err := kubeconfig.DefaultPath(given, f.t.Env.Get)
	if err != nil {
		return "", err
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		path = filepath.Join(path, "kubeconfig")
	}
	return path, nil
}

func (f *kubeconfigFlags) save(cmd *cobra.Command, path string, fetched *kubeconfig.Config) error {
	_, err := os.Stat(path)
	there := !errors.Is(err, fs.ErrNotExist)
	if there && !f.merge && !f.force {
		return fmt.Errorf("%s exists already: add --force to replace it, or --merge", path)
	}
	if there && !f.merge {
		if err := os.Remove(path); err != nil {
			return err
		}
	}
	file, err := kubeconfig.Open(path)
	if err != nil {
		return err
	}
	conflict := kubeconfig.KeepBoth
	known := file.Known(fetched)
	if f.force || known != "" { // newer credentials for the same cluster
		conflict = kubeconfig.Overwrite
	}
	if known != "" && f.rerouted {
		fetched.SetServer(known) // it worked so far, and may lead to more than one node
	}
	current := file.Merge(fetched, conflict)
	if err := file.Save(); err != nil {
		return err
	}
	_, err = fmt.Fprintf(cmd.ErrOrStderr(), "context %q is the current one in %s\n", current, path)
	return err
}

// FetchKubeconfig gets an administrator's kubeconfig from one node.
func FetchKubeconfig(ctx context.Context, s *target.Session) (*kubeconfig.Config, error) {
	ctx, err := s.One(ctx)
	if err != nil {
		return nil, err
	}
	stream, err := s.Machine.Kubeconfig(ctx, &emptypb.Empty{})
	if err != nil {
		return nil, err
	}
	archive := reader(stream)
	defer archive.Close()
	zipped, err := gzip.NewReader(archive)
	if err != nil {
		return nil, fmt.Errorf("get kubeconfig: %w", err)
	}
	files := tar.NewReader(zipped)
	if _, err := files.Next(); err != nil {
		return nil, fmt.Errorf("get kubeconfig: %w", err)
	}
	text, err := io.ReadAll(io.LimitReader(files, 1<<20))
	if err != nil {
		return nil, fmt.Errorf("get kubeconfig: %w", err)
	}
	return kubeconfig.Parse(text)
}
