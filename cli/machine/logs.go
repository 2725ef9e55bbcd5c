package machine

import (
	"bytes"
	"context"
	"io"
	"sync"

	"github.com/spf13/cobra"
	"google.golang.org/protobuf/types/known/emptypb"

	commonpb "github.com/ichor-os/ichor/api/common"
	machinepb "github.com/ichor-os/ichor/api/machine"
	"github.com/ichor-os/ichor/cli/target"
	"github.com/ichor-os/ichor/client"
)

func newLogs(env environment) *cobra.Command {
	var (
		e      engine
		follow bool
		tail   int32
	)
	command := &cobra.Command{
		Use:   "logs <service name>",
		Short: "Show the log of a service or container",
		Args:  cobra.ExactArgs(1),
	}
	t := target.New(command, env)
	e.add(command)
	command.Flags().BoolVarP(&follow, "follow", "f", false, "go on with what is logged from now on")
	command.Flags().Int32Var(&tail, "tail", -1, "how many of the last lines to begin with; -1 is all")
	command.RunE = func(cmd *cobra.Command, args []string) error {
		return t.Run(cmd, func(ctx context.Context, s *target.Session) error {
			stream, err := s.Machine.Logs(s.All(ctx), &machinepb.LogsRequest{
				Namespace: e.namespace(), Id: args[0], Driver: e.driver(), Follow: follow, TailLines: tail,
			})
			if err != nil {
				return err
			}
			return copyLines(ctx, cmd, s, stream)
		})
	}
	command.ValidArgsFunction = func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		var ids []string
		if len(args) == 0 {
			_ = t.Run(cmd, func(ctx context.Context, s *target.Session) error {
				response, err := s.Machine.LogsContainers(s.All(ctx), &emptypb.Empty{})
				for _, m := range response.GetMessages() {
					ids = append(ids, m.GetIds()...)
				}
				return err
			})
		}
		return ids, cobra.ShellCompDirectiveNoFileComp
	}
	return command
}

func newDmesg(env environment) *cobra.Command {
	var follow, tail bool
	command := &cobra.Command{
		Use:   "dmesg",
		Short: "Show the log of the kernel",
		Args:  cobra.NoArgs,
	}
	t := target.New(command, env)
	command.Flags().BoolVarP(&follow, "follow", "f", false, "go on with what is logged from now on")
	command.Flags().BoolVar(&tail, "tail", false, "only what is logged from now on; with --follow")
	command.RunE = func(cmd *cobra.Command, _ []string) error {
		return t.Run(cmd, func(ctx context.Context, s *target.Session) error {
			stream, err := s.Machine.Dmesg(s.All(ctx), &machinepb.DmesgRequest{Follow: follow, Tail: tail})
			if err != nil {
				return err
			}
			return copyLines(ctx, cmd, s, stream)
		})
	}
	return command
}

// copyLines writes what nodes send, line by line. Where several are asked, each
// line says of which it is.
func copyLines(ctx context.Context, cmd *cobra.Command, s *target.Session, stream interface {
	Recv() (*commonpb.Data, error)
}) error {
	out := &lines{out: cmd.OutOrStdout(), named: len(s.Nodes) > 1, rest: map[string][]byte{}}
	err := client.Collect(stream, func(data *commonpb.Data) error {
		return out.write(s.Name(client.Node(data)), data.GetBytes())
	})
	if end := out.end(); err == nil {
		err = end
	}
	if ctx.Err() != nil {
		return nil // the user has seen enough
	}
	return err
}

// lines keeps the lines of nodes apart that send theirs in pieces.
type lines struct {
	out   io.Writer
	named bool

	mu   sync.Mutex
	rest map[string][]byte
}

func (l *lines) write(node string, data []byte) error {
	if !l.named {
		_, err := l.out.Write(data)
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	data = append(l.rest[node], data...)
	whole := bytes.LastIndexByte(data, '\n') + 1
	l.rest[node] = bytes.Clone(data[whole:])
	for line := range bytes.Lines(data[:whole]) {
		if _, err := l.out.Write(append([]byte(node+": "), line...)); err != nil {
			return err
		}
	}
	return nil
}

// end writes lines that were not ended.
func (l *lines) end() error {
	for node, rest := range l.rest {
		if len(rest) == 0 {
			continue
		}
		if _, err := l.out.Write([]byte(node + ": " + string(rest) + "\n")); err != nil {
			return err
		}
	}
	return nil
}
