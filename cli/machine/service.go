package machine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"
	"google.golang.org/protobuf/types/known/emptypb"

	machinepb "github.com/ichor-os/ichor/api/machine"
	"github.com/ichor-os/ichor/cli/output"
	"github.com/ichor-os/ichor/cli/target"
	"github.com/ichor-os/ichor/client"
)

func newService(env environment) *cobra.Command {
	command := &cobra.Command{
		Use:     "service [<id> [start|stop|restart|status]]",
		Aliases: []string{"services"},
		Short:   "Show the services of nodes, or start, stop and restart one",
		Args:    cobra.MaximumNArgs(2),
	}
	t := target.New(command, env)
	format := target.AddFormat(command)
	command.RunE = func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) == 0:
			return listServices(cmd, t, format)
		case len(args) == 1 || args[1] == "status":
			return showService(cmd, t, format, args[0])
		}
		return changeService(cmd, t, args[0], args[1])
	}
	return command
}

func askServices(ctx context.Context, s *target.Session) ([]*machinepb.ServiceList, error) {
	response, err := s.Machine.ServiceList(s.All(ctx), &emptypb.Empty{})
	return response.GetMessages(), err
}

func listServices(cmd *cobra.Command, t *target.Target, format *target.Format) error {
	return target.Query[*machinepb.ServiceList]{
		Ask:    askServices,
		Header: []string{"SERVICE", "STATE", "HEALTH", "LAST CHANGE", "LAST EVENT"},
		Rows: func(list *machinepb.ServiceList) [][]string {
			var rows [][]string
			for _, s := range list.GetServices() {
				event := lastEvent(s)
				change := "-"
				if event != nil {
					change = time.Since(event.GetTs().AsTime()).Round(time.Second).String() + " ago"
				}
				rows = append(rows, []string{s.GetId(), s.GetState(), healthOf(s), change, event.GetMsg()})
			}
			return rows
		},
	}.Run(cmd, t, format)
}

func lastEvent(s *machinepb.ServiceInfo) *machinepb.ServiceEvent {
	events := s.GetEvents().GetEvents()
	if len(events) == 0 {
		return nil
	}
	return events[len(events)-1]
}

func healthOf(s *machinepb.ServiceInfo) string {
	switch {
	case s.GetHealth().GetUnknown():
		return "?"
	case s.GetHealth().GetHealthy():
		return "OK"
	}
	return "Fail"
}

// errNoService says that a node has no such service.
var errNoService = errors.New("there is no such service: 'services' lists what there is")

func showService(cmd *cobra.Command, t *target.Target, format *target.Format, id string) error {
	kind, err := format.Parse()
	if err != nil {
		return err
	}
	return t.Run(cmd, func(ctx context.Context, s *target.Session) error {
		messages, err := askServices(ctx, s)
		if err != nil && len(messages) == 0 {
			return err
		}
		answers, failed := client.Answers(messages)
		errs := []error{err, failed}
		var objects []target.Object
		for _, answer := range answers {
			node, found := s.Name(client.Node(answer)), false
			for _, service := range answer.GetServices() {
				if service.GetId() != id {
					continue
				}
				found = true
				if kind == output.Table {
					errs = append(errs, writeService(cmd.OutOrStdout(), node, service))
					continue
				}
				object, err := target.ObjectOf(node, &machinepb.ServiceList{Services: []*machinepb.ServiceInfo{service}})
				objects, errs = append(objects, object), append(errs, err)
			}
			if !found {
				errs = append(errs, fmt.Errorf("%s: %q: %w", node, id, errNoService))
			}
		}
		if kind != output.Table && len(objects) > 0 {
			errs = append(errs, output.Write(cmd.OutOrStdout(), kind, objects))
		}
		return errors.Join(errs...)
	})
}

func writeService(w io.Writer, node string, s *machinepb.ServiceInfo) error {
	health := healthOf(s)
	if message := s.GetHealth().GetLastMessage(); message != "" {
		health += ": " + message
	}
	rows := [][]string{{"ID", s.GetId()}, {"STATE", s.GetState()}, {"HEALTH", health}}
	for i, event := range s.GetEvents().GetEvents() {
		label := ""
		if i == 0 {
			label = "EVENTS"
		}
		rows = append(rows, []string{label, fmt.Sprintf("%s  [%s] %s", event.GetTs().AsTime().UTC().Format(time.DateTime), event.GetState(), event.GetMsg())})
	}
	return output.WriteTable(w, []string{"NODE", node}, rows)
}

func changeService(cmd *cobra.Command, t *target.Target, id, verb string) error {
	calls := map[string]func(ctx context.Context, c *client.Client) (string, error){
		"start": func(ctx context.Context, c *client.Client) (string, error) {
			r, err := c.Machine.ServiceStart(ctx, &machinepb.ServiceStartRequest{Id: id})
			return first(r.GetMessages()).GetResp(), err
		},
		"stop": func(ctx context.Context, c *client.Client) (string, error) {
			r, err := c.Machine.ServiceStop(ctx, &machinepb.ServiceStopRequest{Id: id})
			return first(r.GetMessages()).GetResp(), err
		},
		"restart": func(ctx context.Context, c *client.Client) (string, error) {
			r, err := c.Machine.ServiceRestart(ctx, &machinepb.ServiceRestartRequest{Id: id})
			return first(r.GetMessages()).GetResp(), err
		},
	}
	call, known := calls[verb]
	if !known {
		return fmt.Errorf("%q is nothing that a service can do: use status, start, stop or restart", verb)
	}
	return t.Act(cmd, func(ctx context.Context, c *client.Client, _ string) (string, error) { return call(ctx, c) })
}

// first is the answer of the node in a response of one node; nil for none.
func first[M any](messages []*M) *M {
	if len(messages) == 0 {
		return nil
	}
	return messages[0]
}
