package machine

import (
	"context"
	"time"

	"github.com/spf13/cobra"
	"google.golang.org/protobuf/types/known/emptypb"

	timepb "github.com/ichor-os/ichor/api/time"
	"github.com/ichor-os/ichor/cli/target"
)

func newTime(env environment) *cobra.Command {
	var server string
	command := &cobra.Command{
		Use:   "time [--check server]",
		Short: "Compare the clocks of nodes with a time server",
		Args:  cobra.NoArgs,
	}
	t := target.New(command, env)
	command.Flags().StringVar(&server, "check", "", "time server to ask instead of the configured one")
	format := target.AddFormat(command)
	command.RunE = func(cmd *cobra.Command, _ []string) error {
		return target.Query[*timepb.Time]{
			Ask: func(ctx context.Context, s *target.Session) ([]*timepb.Time, error) {
				if server != "" {
					r, err := s.Time.TimeCheck(s.All(ctx), &timepb.TimeRequest{Server: server})
					return r.GetMessages(), err
				}
				r, err := s.Time.Time(s.All(ctx), &emptypb.Empty{})
				return r.GetMessages(), err
			},
			Header: []string{"NTP-SERVER", "NODE-TIME", "NTP-SERVER-TIME"},
			Rows: func(m *timepb.Time) [][]string {
				return [][]string{{
					m.GetServer(), m.GetLocaltime().AsTime().UTC().Format(time.RFC3339Nano), m.GetRemotetime().AsTime().UTC().Format(time.RFC3339Nano),
				}}
			},
		}.Run(cmd, t, format)
	}
	return command
}
