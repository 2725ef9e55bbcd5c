package machine

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	commonpb "github.com/ichor-os/ichor/api/common"
	machinepb "github.com/ichor-os/ichor/api/machine"
	"github.com/ichor-os/ichor/cli/output"
	"github.com/ichor-os/ichor/cli/target"
	"github.com/ichor-os/ichor/client"
)

func newRead(env environment) *cobra.Command {
	command := &cobra.Command{
		Use:     "read <path>",
		Aliases: []string{"cat"},
		Short:   "Write a file of a node to standard output",
		Args:    cobra.ExactArgs(1),
	}
	t := target.New(command, env)
	command.RunE = func(cmd *cobra.Command, args []string) error {
		return t.Run(cmd, func(ctx context.Context, s *target.Session) error {
			ctx, err := s.One(ctx)
			if err != nil {
				return err
			}
			stream, err := s.Machine.Read(ctx, &machinepb.ReadRequest{Path: args[0]})
			if err != nil {
				return err
			}
			return client.Collect(stream, func(data *commonpb.Data) error {
				_, err := cmd.OutOrStdout().Write(data.GetBytes())
				return err
			})
		})
	}
	return command
}

// listFlags are the flags of `list`.
type listFlags struct {
	t                    *target.Target
	depth                int32
	recurse, long, human bool
	types                []string
}

func newList(env environment) *cobra.Command {
	f := &listFlags{}
	command := &cobra.Command{
		Use:     "list [path]",
		Aliases: []string{"ls"},
		Short:   "List a folder of nodes",
		Args:    cobra.MaximumNArgs(1),
	}
	f.t = target.New(command, env)
	flags := command.Flags()
	flags.Int32VarP(&f.depth, "depth", "d", 1, "how many levels of folders to show")
	flags.BoolVarP(&f.human, "humanize", "H", false, "sizes in units and times relative to now")
	flags.BoolVarP(&f.long, "long", "l", false, "show modes, owners, sizes and times")
	flags.BoolVarP(&f.recurse, "recurse", "r", false, "show all levels of folders")
	flags.StringSliceVarP(&f.types, "type", "t", nil, "only these: f (files), d (folders), l or L (symbolic links)")
	format := target.AddFormat(command)
	command.RunE = func(cmd *cobra.Command, args []string) error {
		kind, err := format.Parse()
		if err != nil {
			return err
		}
		request, err := f.request(args)
		if err != nil {
			return err
		}
		return f.t.Run(cmd, func(ctx context.Context, s *target.Session) error { return f.run(ctx, cmd, s, request, kind) })
	}
	return command
}

func (f *listFlags) request(args []string) (*machinepb.ListRequest, error) {
	request := &machinepb.ListRequest{Root: "/", Recurse: f.recurse || f.depth > 1, RecursionDepth: f.depth}
	if f.recurse {
		request.RecursionDepth = 0 // no limit
	}
	if len(args) > 0 {
		request.Root = args[0]
	}
	for _, name := range f.types {
		switch name {
		case "f", "file":
			request.Types = append(request.Types, machinepb.ListRequest_REGULAR)
		case "d", "directory", "folder":
			request.Types = append(request.Types, machinepb.ListRequest_DIRECTORY)
		case "l", "L", "symlink":
			request.Types = append(request.Types, machinepb.ListRequest_SYMLINK)
		default:
			return nil, fmt.Errorf("--type: %q: use f (files), d (folders) or l (symbolic links)", name)
		}
	}
	return request, nil
}

func (f *listFlags) run(ctx context.Context, cmd *cobra.Command, s *target.Session, request *machinepb.ListRequest, kind output.Format) error {
	stream, err := s.Machine.List(s.All(ctx), request)
	if err != nil {
		return err
	}
	header := []string{"NODE", "NAME"}
	if f.long {
		header = []string{"NODE", "MODE", "UID", "GID", "SIZE", "LAST MODIFIED", "NAME"}
	}
	var (
		rows    [][]string
		objects []target.Object
		unread  []error
	)
	err = client.Collect(stream, func(info *machinepb.FileInfo) error {
		node := s.Name(client.Node(info))
		if info.GetError() != "" {
			unread = append(unread, fmt.Errorf("%s: %s: %s", node, info.GetName(), info.GetError()))
			return nil
		}
		if kind != output.Table {
			object, err := target.ObjectOf(node, info)
			objects = append(objects, object)
			return err
		}
		rows = append(rows, append([]string{node}, f.row(info)...))
		return nil
	})
	if kind != output.Table {
		return errors.Join(output.Write(cmd.OutOrStdout(), kind, objects), errors.Join(unread...), err)
	}
	if len(rows) > 0 {
		err = errors.Join(output.WriteTable(cmd.OutOrStdout(), header, rows), errors.Join(unread...), err)
	} else {
		err = errors.Join(errors.Join(unread...), err)
	}
	return err
}

func (f *listFlags) row(info *machinepb.FileInfo) []string {
	name := info.GetRelativeName()
	if info.GetLink() != "" {
		name += " -> " + info.GetLink()
	}
	if !f.long {
		return []string{name}
	}
	size, modified := strconv.FormatInt(info.GetSize(), 10), time.Unix(info.GetModified(), 0)
	date := modified.UTC().Format("Jan _2 2006 15:04:05")
	if f.human {
		size, date = humanize.IBytes(uint64(max(info.GetSize(), 0))), humanize.Time(modified)
	}
	return []string{
		fs.FileMode(info.GetMode()).String(), strconv.FormatUint(uint64(info.GetUid()), 10), strconv.FormatUint(uint64(info.GetGid()), 10),
		size, date, name,
	}
}

func newUsage(env environment) *cobra.Command {
	var (
		all, human bool
		depth      int32
		threshold  int64
	)
	command := &cobra.Command{
		Use:     "usage [path1] [path2] ... [pathN]",
		Aliases: []string{"du"},
		Short:   "Show how much folders of nodes hold",
	}
	t := target.New(command, env)
	flags := command.Flags()
	flags.BoolVarP(&all, "all", "a", false, "show files too")
	flags.Int32VarP(&depth, "depth", "d", 0, "how many levels of folders to show; 0 is all")
	flags.BoolVarP(&human, "humanize", "H", false, "sizes in units")
	flags.Int64VarP(&threshold, "threshold", "t", 0, "only what is larger than this many bytes or, if negative, smaller")
	format := target.AddFormat(command)
	command.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			args = []string{"/"}
		}
		kind, err := format.Parse()
		if err != nil {
			return err
		}
		return t.Run(cmd, func(ctx context.Context, s *target.Session) error {
			stream, err := s.Machine.DiskUsage(s.All(ctx), &machinepb.DiskUsageRequest{All: all, RecursionDepth: depth, Threshold: threshold, Paths: args})
			if err != nil {
				return err
			}
			return writeUsage(cmd, s, stream, kind, human)
		})
	}
	return command
}

func writeUsage(cmd *cobra.Command, s *target.Session, stream interface {
	Recv() (*machinepb.DiskUsageInfo, error)
}, kind output.Format, human bool) error {
	var (
		rows    [][]string
		objects []target.Object
		unread  []error
	)
	err := client.Collect(stream, func(info *machinepb.DiskUsageInfo) error {
		node := s.Name(client.Node(info))
		if info.GetError() != "" {
			unread = append(unread, fmt.Errorf("%s: %s: %s", node, info.GetName(), info.GetError()))
			return nil
		}
		if kind != output.Table {
			object, err := target.ObjectOf(node, info)
			objects = append(objects, object)
			return err
		}
		size := strconv.FormatInt(info.GetSize(), 10)
		if human {
			size = humanize.IBytes(uint64(max(info.GetSize(), 0)))
		}
		rows = append(rows, []string{node, size, info.GetName()})
		return nil
	})
	if kind != output.Table {
		return errors.Join(output.Write(cmd.OutOrStdout(), kind, objects), errors.Join(unread...), err)
	}
	if len(rows) > 0 {
		err = errors.Join(output.WriteTable(cmd.OutOrStdout(), []string{"NODE", "SIZE", "NAME"}, rows), err)
	}
	return errors.Join(errors.Join(unread...), err)
}
