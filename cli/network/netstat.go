package network

import (
	"cmp"
	"context"
	"fmt"
	"net/netip"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	machinepb "github.com/ichor-os/ichor/api/machine"
	"github.com/ichor-os/ichor/cli/target"
)

// netstat are the flags of `netstat`.
type netstat struct {
	all, listening, programs, extend, timers, pods bool
	tcp, udp, udplite, raw, four, six              bool
}

func newNetstat(env target.Environment) *cobra.Command {
	n := &netstat{}
	command := &cobra.Command{
		Use:     "netstat",
		Aliases: []string{"ss"},
		Short:   "Show the connections of nodes",
		Long: `Show the connections of nodes: those that are connected, with --listening those
that wait for a peer, with --all both.`,
		Args: cobra.NoArgs,
	}
	t := target.New(command, env)
	format := target.AddLongFormat(command)
	flags := command.Flags()
	flags.BoolVarP(&n.all, "all", "a", false, "connected and listening ones")
	flags.BoolVarP(&n.listening, "listening", "l", false, "listening ones only")
	flags.BoolVarP(&n.programs, "programs", "p", false, "show the process that has it")
	flags.BoolVarP(&n.extend, "extend", "x", false, "show user and inode")
	flags.BoolVarP(&n.timers, "timers", "o", false, "show timers")
	flags.BoolVarP(&n.pods, "pods", "k", false, "those of pods, too")
	flags.BoolVarP(&n.tcp, "tcp", "t", false, "TCP")
	flags.BoolVarP(&n.udp, "udp", "u", false, "UDP")
	flags.BoolVarP(&n.udplite, "udplite", "U", false, "UDPLite")
	flags.BoolVarP(&n.raw, "raw", "w", false, "raw")
	flags.BoolVarP(&n.four, "ipv4", "4", false, "IPv4 only")
	flags.BoolVarP(&n.six, "ipv6", "6", false, "IPv6 only")
	flags.BoolP("verbose", "v", false, "as without")
	_ = flags.MarkHidden("verbose")
	command.RunE = func(cmd *cobra.Command, _ []string) error {
		return target.Query[*machinepb.Netstat]{
			Ask: func(ctx context.Context, s *target.Session) ([]*machinepb.Netstat, error) {
				r, err := s.Machine.Netstat(s.All(ctx), n.request())
				return r.GetMessages(), err
			},
			Header: n.header(),
			Rows: func(m *machinepb.Netstat) [][]string {
				var rows [][]string
				for _, record := range m.GetConnectrecord() {
					rows = append(rows, n.row(record))
				}
				return rows
			},
		}.Run(cmd, t, format)
	}
	return command
}

// request asks for what the flags say; without a protocol for all of them.
func (n *netstat) request() *machinepb.NetstatRequest {
	filter := machinepb.NetstatRequest_CONNECTED
	switch {
	case n.all:
		filter = machinepb.NetstatRequest_ALL
	case n.listening:
		filter = machinepb.NetstatRequest_LISTENING
	}
	every := !n.tcp && !n.udp && !n.udplite && !n.raw
	four, six := n.four || !n.six, n.six || !n.four
	return &machinepb.NetstatRequest{
		Filter:  filter,
		Feature: &machinepb.NetstatRequest_Feature{Pid: n.programs},
		L4Proto: &machinepb.NetstatRequest_L4Proto{
			Tcp: four && (every || n.tcp), Tcp6: six && (every || n.tcp),
			Udp: four && (every || n.udp), Udp6: six && (every || n.udp),
			Udplite: four && (every || n.udplite), Udplite6: six && (every || n.udplite),
			Raw: four && (every || n.raw), Raw6: six && (every || n.raw),
		},
		Netns: &machinepb.NetstatRequest_NetNS{Hostnetwork: true, Allnetns: n.pods},
	}
}

func (n *netstat) header() []string {
	header := []string{"PROTO", "RECV-Q", "SEND-Q", "LOCAL ADDRESS", "FOREIGN ADDRESS", "STATE"}
	for _, column := range []struct {
		shown bool
		names []string
	}{
		{n.extend, []string{"USER", "INODE"}},
		{n.programs, []string{"PID/PROGRAM"}},
		{n.pods, []string{"NETNS"}},
		{n.timers, []string{"TIMER"}},
	} {
		if column.shown {
			header = append(header, column.names...)
		}
	}
	return header
}

func (n *netstat) row(r *machinepb.ConnectRecord) []string {
	number := func(v uint64) string { return strconv.FormatUint(v, 10) }
	row := []string{
		r.GetL4Proto(), number(r.GetRxqueue()), number(r.GetTxqueue()),
		endpoint(r.GetLocalip(), r.GetLocalport()), endpoint(r.GetRemoteip(), r.GetRemoteport()), stateOf(r),
	}
	if n.extend {
		row = append(row, number(uint64(r.GetUid())), number(r.GetInode()))
	}
	if n.programs {
		program := "-"
		if p := r.GetProcess(); p.GetPid() > 0 {
			program = fmt.Sprintf("%d/%s", p.GetPid(), p.GetName())
		}
		row = append(row, program)
	}
	if n.pods {
		row = append(row, cmp.Or(r.GetNetns(), "-"))
	}
	if n.timers {
		row = append(row, fmt.Sprintf("%s (%d/%d/%d)", strings.ToLower(r.GetTr().String()), r.GetTimerwhen(), r.GetRetrnsmt(), r.GetTimeout()))
	}
	return row
}

// stateOf is empty where a protocol has no states.
func stateOf(r *machinepb.ConnectRecord) string {
	if !strings.HasPrefix(r.GetL4Proto(), "tcp") && r.GetState() != machinepb.ConnectRecord_ESTABLISHED {
		return ""
	}
	return r.GetState().String()
}

// endpoint writes an address with its port; one that may be any is a star.
func endpoint(ip string, port uint32) string {
	text := "*"
	if port != 0 {
		text = strconv.FormatUint(uint64(port), 10)
	}
	if address, err := netip.ParseAddr(ip); err == nil && address.Is6() {
		ip = "[" + address.String() + "]"
	}
	return ip + ":" + text
}
