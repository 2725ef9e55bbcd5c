package machine

import (
	"cmp"
	"context"
	"slices"
	"strconv"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/known/emptypb"

	machinepb "github.com/ichor-os/ichor/api/machine"
	"github.com/ichor-os/ichor/cli/target"
)

// sortProcesses puts those first that use most.
func sortProcesses(list []*machinepb.ProcessInfo, order string) {
	slices.SortStableFunc(list, func(a, b *machinepb.ProcessInfo) int {
		if order == "cpu" {
			return cmp.Compare(b.GetCpuTime(), a.GetCpuTime())
		}
		return cmp.Compare(b.GetResidentMemory(), a.GetResidentMemory())
	})
}

func newMemory(env environment) *cobra.Command {
	var verbose bool
	command := &cobra.Command{
		Use:     "memory",
		Aliases: []string{"m", "free"},
		Short:   "Show the memory of nodes",
		Args:    cobra.NoArgs,
	}
	t := target.New(command, env)
	command.Flags().BoolVarP(&verbose, "verbose", "v", false, "show all that the kernel counts")
	format := target.AddFormat(command)
	command.RunE = func(cmd *cobra.Command, _ []string) error {
		query := target.Query[*machinepb.Memory]{
			Ask: func(ctx context.Context, s *target.Session) ([]*machinepb.Memory, error) {
				r, err := s.Machine.Memory(s.All(ctx), &emptypb.Empty{})
				return r.GetMessages(), err
			},
			Header: []string{"TOTAL", "USED", "FREE", "SHARED", "BUFFERS", "CACHE", "AVAILABLE"},
			Rows: func(m *machinepb.Memory) [][]string {
				i := m.GetMeminfo() // kB
				used := i.GetMemtotal() - i.GetMemfree() - i.GetCached() - i.GetBuffers()
				var row []string
				for _, value := range []uint64{i.GetMemtotal(), used, i.GetMemfree(), i.GetShmem(), i.GetBuffers(), i.GetCached(), i.GetMemavailable()} {
					row = append(row, humanize.IBytes(value<<10))
				}
				return [][]string{row}
			},
		}
		if verbose {
			query.Header, query.Rows = []string{"COUNTER", "KB"}, allMemory
		}
		return query.Run(cmd, t, format)
	}
	return command
}

// allMemory lists every counter.
func allMemory(m *machinepb.Memory) [][]string {
	var rows [][]string
	info := m.GetMeminfo().ProtoReflect()
	fields := info.Descriptor().Fields()
	for i := range fields.Len() {
		field := fields.Get(i)
		if field.Kind() == protoreflect.Uint64Kind {
			rows = append(rows, []string{string(field.Name()), strconv.FormatUint(info.Get(field).Uint(), 10)})
		}
	}
	return rows
}

func newMounts(env environment) *cobra.Command {
	command := &cobra.Command{
		Use:     "mounts",
		Aliases: []string{"mount"},
		Short:   "Show the mounts of nodes",
		Args:    cobra.NoArgs,
	}
	t := target.New(command, env)
	format := target.AddFormat(command)
	command.RunE = func(cmd *cobra.Command, _ []string) error {
		return target.Query[*machinepb.Mounts]{
			Ask: func(ctx context.Context, s *target.Session) ([]*machinepb.Mounts, error) {
				r, err := s.Machine.Mounts(s.All(ctx), &emptypb.Empty{})
				return r.GetMessages(), err
			},
			Header: []string{"FILESYSTEM", "SIZE(GB)", "USED(GB)", "AVAILABLE(GB)", "PERCENT USED", "MOUNTED ON"},
			Rows:   mountRows,
		}.Run(cmd, t, format)
	}
	return command
}

func mountRows(m *machinepb.Mounts) [][]string {
	const giga = 1e9
	var rows [][]string
	for _, s := range m.GetStats() {
		used, percent := float64(s.GetSize()-min(s.GetAvailable(), s.GetSize())), 0.0
		if s.GetSize() > 0 {
			percent = 100 * used / float64(s.GetSize())
		}
		decimals := func(value float64) string { return strconv.FormatFloat(value, 'f', 2, 64) }
		rows = append(rows, []string{
			s.GetFilesystem(), decimals(float64(s.GetSize()) / giga), decimals(used / giga), decimals(float64(s.GetAvailable()) / giga),
			decimals(percent) + "%", s.GetMountedOn(),
		})
	}
	return rows
}
