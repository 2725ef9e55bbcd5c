package machine

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"
	"google.golang.org/protobuf/types/known/emptypb"

	machinepb "github.com/ichor-os/ichor/api/machine"
	"github.com/ichor-os/ichor/cli/target"
)

func newContainers(env environment) *cobra.Command {
	var e engine
	command := &cobra.Command{
		Use:     "containers",
		Aliases: []string{"c"},
		Short:   "Show the containers of nodes",
		Args:    cobra.NoArgs,
	}
	t := target.New(command, env)
	e.add(command)
	format := target.AddFormat(command)
	command.RunE = func(cmd *cobra.Command, _ []string) error {
		return target.Query[*machinepb.Container]{
			Ask: func(ctx context.Context, s *target.Session) ([]*machinepb.Container, error) {
				r, err := s.Machine.Containers(s.All(ctx), &machinepb.ContainersRequest{Namespace: e.namespace(), Driver: e.driver()})
				return r.GetMessages(), err
			},
			Header: []string{"NAMESPACE", "ID", "IMAGE", "PID", "STATUS"},
			Rows: func(m *machinepb.Container) [][]string {
				var rows [][]string
				for _, c := range m.GetContainers() {
					rows = append(rows, []string{c.GetNamespace(), indent(c.GetId(), c.GetPodId()), c.GetImage(), strconv.Itoa(int(c.GetPid())), c.GetStatus()})
				}
				return rows
			},
		}.Run(cmd, t, format)
	}
	return command
}

// indent sets the containers of a pod off from the pod itself.
func indent(id, pod string) string {
	if pod != "" && pod != id {
		return "└─ " + id
	}
	return id
}

func newStats(env environment) *cobra.Command {
	var e engine
	command := &cobra.Command{
		Use:   "stats",
		Short: "Show what containers use",
		Args:  cobra.NoArgs,
	}
	t := target.New(command, env)
	e.add(command)
	format := target.AddFormat(command)
	command.RunE = func(cmd *cobra.Command, _ []string) error {
		return target.Query[*machinepb.Stats]{
			Ask: func(ctx context.Context, s *target.Session) ([]*machinepb.Stats, error) {
				r, err := s.Machine.Stats(s.All(ctx), &machinepb.StatsRequest{Namespace: e.namespace(), Driver: e.driver()})
				return r.GetMessages(), err
			},
			Header: []string{"NAMESPACE", "ID", "MEMORY", "CPU"},
			Rows: func(m *machinepb.Stats) [][]string {
				var rows [][]string
				for _, c := range m.GetStats() {
					rows = append(rows, []string{
						c.GetNamespace(), indent(c.GetId(), c.GetPodId()), humanize.IBytes(c.GetMemoryUsage()), time.Duration(c.GetCpuUsage()).Round(time.Millisecond).String(),
					})
				}
				return rows
			},
		}.Run(cmd, t, format)
	}
	return command
}

func newProcesses(env environment) *cobra.Command {
	var order string
	command := &cobra.Command{
		Use:     "processes",
		Aliases: []string{"p", "ps"},
		Short:   "Show the processes of nodes",
		Args:    cobra.NoArgs,
	}
	t := target.New(command, env)
	command.Flags().StringVarP(&order, "sort", "s", "rss", "what comes first: rss (memory) or cpu")
	format := target.AddFormat(command)
	command.RunE = func(cmd *cobra.Command, _ []string) error {
		if order != "rss" && order != "cpu" {
			return fmt.Errorf("--sort: %q: use rss or cpu", order)
		}
		return target.Query[*machinepb.Process]{
			Ask: func(ctx context.Context, s *target.Session) ([]*machinepb.Process, error) {
				r, err := s.Machine.Processes(s.All(ctx), &emptypb.Empty{})
				for _, m := range r.GetMessages() {
					sortProcesses(m.GetProcesses(), order)
				}
				return r.GetMessages(), err
			},
			Header: []string{"PID", "STATE", "THREADS", "CPU-TIME", "VIRTMEM", "RESMEM", "LABEL", "COMMAND"},
			Rows: func(m *machinepb.Process) [][]string {
				var rows [][]string
				for _, p := range m.GetProcesses() {
					rows = append(rows, []string{
						strconv.Itoa(int(p.GetPid())), p.GetState(), strconv.Itoa(int(p.GetThreads())), strconv.FormatFloat(p.GetCpuTime(), 'f', 2, 64),
						humanize.IBytes(p.GetVirtualMemory()), humanize.IBytes(p.GetResidentMemory()), p.GetLabel(), commandOf(p),
					})
				}
				return rows
			},
		}.Run(cmd, t, format)
	}
	return command
}

func commandOf(p *machinepb.ProcessInfo) string {
	if args := strings.TrimSpace(p.GetArgs()); args != "" {
		return args
	}
	if p.GetExecutable() != "" {
		return p.GetExecutable()
	}
	return "[" + p.GetCommand() + "]"
}
