// Package disk holds the commands about the disks of nodes.
package disk

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"
	"google.golang.org/protobuf/types/known/emptypb"

	storagepb "github.com/ichor-os/ichor/api/storage"
	"github.com/ichor-os/ichor/cli/target"
	"github.com/ichor-os/ichor/client"
)

// New makes the commands of this package. Env is like [os.LookupEnv].
func New(env func(name string) (string, bool)) []*cobra.Command {
	return []*cobra.Command{newDisks(env), newWipe(env)}
}

func newDisks(env target.Environment) *cobra.Command {
	command := &cobra.Command{
		Use:   "disks",
		Short: "Show the disks of nodes",
		Args:  cobra.NoArgs,
	}
	t := target.New(command, env)
	t.AddInsecure(command, "i")
	format := target.AddFormat(command)
	command.RunE = func(cmd *cobra.Command, _ []string) error {
		return target.Query[*storagepb.Disks]{
			Ask: func(ctx context.Context, s *target.Session) ([]*storagepb.Disks, error) {
				r, err := s.Storage.Disks(s.All(ctx), &emptypb.Empty{})
				return r.GetMessages(), err
			},
			Header: []string{"DEV", "MODEL", "SERIAL", "TYPE", "UUID", "WWID", "MODALIAS", "NAME", "SIZE", "BUS PATH", "SUBSYSTEM", "READ ONLY", "SYSTEM DISK"},
			Rows: func(m *storagepb.Disks) [][]string {
				var rows [][]string
				for _, d := range m.GetDisks() {
					rows = append(rows, []string{
						d.GetDeviceName(), dash(d.GetModel()), dash(d.GetSerial()), d.GetType().String(), dash(d.GetUuid()), dash(d.GetWwid()), dash(d.GetModalias()),
						dash(d.GetName()), humanize.Bytes(d.GetSize()), dash(d.GetBusPath()), dash(d.GetSubsystem()),
						strconv.FormatBool(d.GetReadonly()), strconv.FormatBool(d.GetSystemDisk()),
					})
				}
				return rows
			},
		}.Run(cmd, t, format)
	}
	return command
}

func dash(text string) string {
	if text == "" {
		return "-"
	}
	return text
}

func newWipe(env target.Environment) *cobra.Command {
	command := &cobra.Command{Use: "wipe", Short: "Wipe what nodes keep"}
	command.AddCommand(newWipeDisk(env))
	return command
}

func newWipeDisk(env target.Environment) *cobra.Command {
	var (
		method                string
		partition, volume, up bool
	)
	command := &cobra.Command{
		Use:   "disk <device names>...",
		Short: "Wipe disks or partitions that are not in use",
		Long:  "Wipe disks or partitions that are not in use. They are named without /dev/.",
		Args:  cobra.MinimumNArgs(1),
	}
	t := target.New(command, env)
	t.AddInsecure(command, "i")
	flags := command.Flags()
	flags.StringVar(&method, "method", "FAST", "how: FAST (what marks the content) or ZEROES (everything)")
	flags.BoolVar(&partition, "drop-partition", false, "remove the partition, too")
	flags.BoolVar(&volume, "skip-volume-check", false, "wipe what a volume uses, too")
	flags.BoolVar(&up, "skip-secondary-check", false, "wipe what other devices are made of, too")
	command.RunE = func(cmd *cobra.Command, args []string) error {
		number, ok := storagepb.BlockDeviceWipeDescriptor_Method_value[strings.ToUpper(method)]
		if !ok {
			return fmt.Errorf("--method %q: use FAST or ZEROES", method)
		}
		request := &storagepb.BlockDeviceWipeRequest{}
		for _, device := range args {
			request.Devices = append(request.Devices, &storagepb.BlockDeviceWipeDescriptor{
				Device: strings.TrimPrefix(device, "/dev/"), Method: storagepb.BlockDeviceWipeDescriptor_Method(number),
				DropPartition: partition, SkipVolumeCheck: volume, SkipSecondaryCheck: up,
			})
		}
		return t.Act(cmd, func(ctx context.Context, c *client.Client, _ string) (string, error) {
			_, err := c.Storage.BlockDeviceWipe(ctx, request)
			return "wiped " + strings.Join(args, ", "), err
		})
	}
	return command
}
