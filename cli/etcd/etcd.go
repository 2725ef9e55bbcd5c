// Package etcd holds the commands of `talosctl etcd`.
package etcd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"
	"google.golang.org/protobuf/types/known/emptypb"

	commonpb "github.com/ichor-os/ichor/api/common"
	machinepb "github.com/ichor-os/ichor/api/machine"
	"github.com/ichor-os/ichor/cli/target"
	"github.com/ichor-os/ichor/client"
)

// New makes the command `etcd`. Env is like [os.LookupEnv].
func New(env func(name string) (string, bool)) *cobra.Command {
	command := &cobra.Command{
		Use:   "etcd",
		Short: "Look after the etcd of a cluster",
	}
	t := target.New(command, env)
	command.AddCommand(
		newAlarm(t),
		newDefrag(t),
		newDowngrade(t),
		newForfeit(t),
		newLeave(t),
		newMembers(t),
		newRemove(t),
		newSnapshot(t),
		newStatus(t),
	)
	return command
}

// ID writes the id of a member as etcd does.
func ID(id uint64) string { return fmt.Sprintf("%016x", id) }

func newMembers(t *target.Target) *cobra.Command {
	command := &cobra.Command{Use: "members", Short: "List the members", Args: cobra.NoArgs}
	format := target.AddFormat(command)
	command.RunE = func(cmd *cobra.Command, _ []string) error {
		return target.Query[*machinepb.EtcdMembers]{
			Ask: func(ctx context.Context, s *target.Session) ([]*machinepb.EtcdMembers, error) {
				r, err := s.Machine.EtcdMemberList(s.All(ctx), &machinepb.EtcdMemberListRequest{})
				return r.GetMessages(), err
			},
			Header: []string{"ID", "HOSTNAME", "PEER URLS", "CLIENT URLS", "LEARNER"},
			Rows: func(m *machinepb.EtcdMembers) [][]string {
				var rows [][]string
				for _, member := range m.GetMembers() {
					rows = append(rows, []string{
						ID(member.GetId()), member.GetHostname(), strings.Join(member.GetPeerUrls(), ","),
						strings.Join(member.GetClientUrls(), ","), strconv.FormatBool(member.GetIsLearner()),
					})
				}
				return rows
			},
		}.Run(cmd, t, format)
	}
	return command
}

func newStatus(t *target.Target) *cobra.Command {
	command := &cobra.Command{Use: "status", Short: "Show the state of each member", Args: cobra.NoArgs}
	format := target.AddFormat(command)
	command.RunE = func(cmd *cobra.Command, _ []string) error {
		return target.Query[*machinepb.EtcdStatus]{
			Ask: func(ctx context.Context, s *target.Session) ([]*machinepb.EtcdStatus, error) {
				r, err := s.Machine.EtcdStatus(s.All(ctx), &emptypb.Empty{})
				return r.GetMessages(), err
			},
			Header: []string{"MEMBER", "DB SIZE", "IN USE", "LEADER", "RAFT INDEX", "RAFT TERM", "RAFT APPLIED INDEX", "LEARNER", "PROTOCOL", "STORAGE", "ERRORS"},
			Rows: func(m *machinepb.EtcdStatus) [][]string {
				s := m.GetMemberStatus()
				inUse := humanize.IBytes(uint64(max(s.GetDbSizeInUse(), 0)))
				if s.GetDbSize() > 0 {
					inUse += fmt.Sprintf(" (%.2f%%)", 100*float64(s.GetDbSizeInUse())/float64(s.GetDbSize()))
				}
				return [][]string{{
					ID(s.GetMemberId()), humanize.IBytes(uint64(max(s.GetDbSize(), 0))), inUse, ID(s.GetLeader()),
					strconv.FormatUint(s.GetRaftIndex(), 10), strconv.FormatUint(s.GetRaftTerm(), 10), strconv.FormatUint(s.GetRaftAppliedIndex(), 10),
					strconv.FormatBool(s.GetIsLearner()), s.GetProtocolVersion(), s.GetStorageVersion(), strings.Join(s.GetErrors(), ", "),
				}}
			},
		}.Run(cmd, t, format)
	}
	return command
}

func newAlarm(t *target.Target) *cobra.Command {
	command := &cobra.Command{Use: "alarm", Short: "List and disarm alarms"}
	command.AddCommand(newAlarmList(t), newAlarmDisarm(t))
	return command
}

var alarmHeader = []string{"MEMBER", "ALARM"}

func alarmRows(alarms []*machinepb.EtcdMemberAlarm) [][]string {
	var rows [][]string
	for _, alarm := range alarms {
		rows = append(rows, []string{ID(alarm.GetMemberId()), alarm.GetAlarm().String()})
	}
	return rows
}

func newAlarmList(t *target.Target) *cobra.Command {
	command := &cobra.Command{Use: "list", Short: "List the alarms that are raised", Args: cobra.NoArgs}
	format := target.AddFormat(command)
	command.RunE = func(cmd *cobra.Command, _ []string) error {
		return target.Query[*machinepb.EtcdAlarm]{
			Ask: func(ctx context.Context, s *target.Session) ([]*machinepb.EtcdAlarm, error) {
				r, err := s.Machine.EtcdAlarmList(s.All(ctx), &emptypb.Empty{})
				return r.GetMessages(), err
			},
			Header: alarmHeader,
			Rows:   func(m *machinepb.EtcdAlarm) [][]string { return alarmRows(m.GetMemberAlarms()) },
		}.Run(cmd, t, format)
	}
	return command
}

func newAlarmDisarm(t *target.Target) *cobra.Command {
	command := &cobra.Command{Use: "disarm", Short: "Disarm the alarms; do it after what caused them is mended", Args: cobra.NoArgs}
	format := target.AddFormat(command)
	command.RunE = func(cmd *cobra.Command, _ []string) error {
		return target.Query[*machinepb.EtcdAlarmDisarm]{
			Ask: func(ctx context.Context, s *target.Session) ([]*machinepb.EtcdAlarmDisarm, error) {
				r, err := s.Machine.EtcdAlarmDisarm(s.All(ctx), &emptypb.Empty{})
				return r.GetMessages(), err
			},
			Header: alarmHeader,
			Rows:   func(m *machinepb.EtcdAlarmDisarm) [][]string { return alarmRows(m.GetMemberAlarms()) },
		}.Run(cmd, t, format)
	}
	return command
}

// act calls nodes and says what they did.
func act(cmd *cobra.Command, t *target.Target, call func(ctx context.Context, c *client.Client) (string, error)) error {
	return t.Run(cmd, func(ctx context.Context, s *target.Session) error {
		return s.Each(ctx, func(ctx context.Context, c *client.Client, node string) error {
			said, err := call(ctx, c)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s: %s\n", node, said)
			return err
		})
	})
}

// onOne is act for what must not be done to several members at once.
func onOne(cmd *cobra.Command, t *target.Target, call func(ctx context.Context, s *target.Session) (string, error)) error {
	return t.Run(cmd, func(ctx context.Context, s *target.Session) error {
		ctx, err := s.One(ctx)
		if err != nil {
			return err
		}
		said, err := call(ctx, s)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintln(cmd.OutOrStdout(), said)
		return err
	})
}

func newLeave(t *target.Target) *cobra.Command {
	return &cobra.Command{
		Use: "leave", Short: "Make nodes leave etcd", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return act(cmd, t, func(ctx context.Context, c *client.Client) (string, error) {
				_, err := c.Machine.EtcdLeaveCluster(ctx, &machinepb.EtcdLeaveClusterRequest{})
				return "has left etcd", err
			})
		},
	}
}

func newForfeit(t *target.Target) *cobra.Command {
	return &cobra.Command{
		Use: "forfeit-leadership", Short: "Make a node hand on the leadership of etcd", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return act(cmd, t, func(ctx context.Context, c *client.Client) (string, error) {
				r, err := c.Machine.EtcdForfeitLeadership(ctx, &machinepb.EtcdForfeitLeadershipRequest{})
				for _, m := range r.GetMessages() {
					if m.GetMember() != "" {
						return "the leader is now " + m.GetMember(), err
					}
				}
				return "was not the leader", err
			})
		},
	}
}

func newRemove(t *target.Target) *cobra.Command {
	return &cobra.Command{
		Use: "remove-member <member ID>", Short: "Remove a member whose node is gone for good", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			id, err := strconv.ParseUint(args[0], 16, 64)
			if err != nil {
				return fmt.Errorf("member ID %q: want the hexadecimal number that 'etcd members' shows", args[0])
			}
			return onOne(cmd, t, func(ctx context.Context, s *target.Session) (string, error) {
				_, err := s.Machine.EtcdRemoveMemberByID(ctx, &machinepb.EtcdRemoveMemberByIDRequest{MemberId: id})
				return "member " + ID(id) + " is removed", err
			})
		},
	}
}

func newDefrag(t *target.Target) *cobra.Command {
	return &cobra.Command{
		Use: "defrag", Short: "Give unused space of a member's database back", Args: cobra.NoArgs,
		Long: `Give unused space of a member's database back.

The member answers nothing meanwhile, so it is done to one at a time.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return onOne(cmd, t, func(ctx context.Context, s *target.Session) (string, error) {
				_, err := s.Machine.EtcdDefragment(ctx, &emptypb.Empty{})
				return "the database is defragmented", err
			})
		},
	}
}

func newSnapshot(t *target.Target) *cobra.Command {
	return &cobra.Command{
		Use: "snapshot <path>", Short: "Write a snapshot of etcd to a file", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return onOne(cmd, t, func(ctx context.Context, s *target.Session) (string, error) {
				size, err := snapshot(ctx, s, args[0])
				return fmt.Sprintf("snapshot of %s in %s", humanize.IBytes(uint64(size)), args[0]), err
			})
		},
	}
}

// snapshot writes to a file beside path and renames it when it is whole, so that
// path never holds a part.
func snapshot(ctx context.Context, s *target.Session, path string) (int64, error) {
	stream, err := s.Machine.EtcdSnapshot(ctx, &machinepb.EtcdSnapshotRequest{})
	if err != nil {
		return 0, err
	}
	part := path + ".part"
	file, err := os.OpenFile(part, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600) // it holds all secrets
	if err != nil {
		return 0, err
	}
	var size int64
	err = client.Collect(stream, func(data *commonpb.Data) error {
		n, err := file.Write(data.GetBytes())
		size += int64(n)
		return err
	})
	if err == nil && size == 0 {
		err = fmt.Errorf("the node sent nothing: %w", io.ErrUnexpectedEOF)
	}
	if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
		return 0, errors.Join(err, os.Remove(part))
	}
	return size, os.Rename(part, path)
}

func newDowngrade(t *target.Target) *cobra.Command {
	command := &cobra.Command{Use: "downgrade", Short: "Take etcd to an older version"}
	said := func(what string, d *machinepb.EtcdClusterDowngrade) string {
		return what + "; the version of the cluster is " + d.GetClusterVersion()
	}
	command.AddCommand(
		&cobra.Command{
			Use: "validate <version>", Short: "Say whether etcd can go to a version", Args: cobra.ExactArgs(1),
			RunE: func(cmd *cobra.Command, args []string) error {
				return onOne(cmd, t, func(ctx context.Context, s *target.Session) (string, error) {
					r, err := s.Machine.EtcdDowngradeValidate(ctx, &machinepb.EtcdDowngradeValidateRequest{Version: args[0]})
					return said("the downgrade is possible", one(r.GetMessages()).GetClusterDowngrade()), err
				})
			},
		},
		&cobra.Command{
			Use: "enable <version>", Short: "Let members of an older version join", Args: cobra.ExactArgs(1),
			RunE: func(cmd *cobra.Command, args []string) error {
				return onOne(cmd, t, func(ctx context.Context, s *target.Session) (string, error) {
					r, err := s.Machine.EtcdDowngradeEnable(ctx, &machinepb.EtcdDowngradeEnableRequest{Version: args[0]})
					return said("the downgrade is enabled", one(r.GetMessages()).GetClusterDowngrade()), err
				})
			},
		},
		&cobra.Command{
			Use: "cancel", Short: "Go back to the version that there is", Args: cobra.NoArgs,
			RunE: func(cmd *cobra.Command, _ []string) error {
				return onOne(cmd, t, func(ctx context.Context, s *target.Session) (string, error) {
					r, err := s.Machine.EtcdDowngradeCancel(ctx, &emptypb.Empty{})
					return said("the downgrade is cancelled", one(r.GetMessages()).GetClusterDowngrade()), err
				})
			},
		},
	)
	return command
}

func one[M any](messages []*M) *M {
	if len(messages) == 0 {
		return nil
	}
	return messages[0]
}
