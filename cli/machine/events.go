package machine

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/known/anypb"
	"google.golang.org/protobuf/types/known/timestamppb"

	machinepb "github.com/ichor-os/ichor/api/machine"
	"github.com/ichor-os/ichor/cli/output"
	"github.com/ichor-os/ichor/cli/target"
	"github.com/ichor-os/ichor/client"
)

// eventPrefix comes before the message's name in the type of an event.
const eventPrefix = "talos/runtime/"

func newEvents(env environment) *cobra.Command {
	var (
		tail            int32
		duration        time.Duration
		since, actor    string
		kind            string
		formats, layout = []output.Format{output.Table, output.JSON, output.YAML}, output.Table
	)
	command := &cobra.Command{
		Use:   "events",
		Short: "Show the events of nodes as they come",
		Args:  cobra.NoArgs,
	}
	t := target.New(command, env)
	flags := command.Flags()
	flags.Int32Var(&tail, "tail", 0, "how many of the last events to begin with; -1 is all")
	flags.DurationVar(&duration, "duration", 0, "begin with events of this long ago")
	flags.StringVar(&since, "since", "", "begin after the event with this id")
	flags.StringVar(&actor, "actor-id", "", "only those that a request with this id caused")
	flags.StringVarP(&kind, "output", "o", "table", "how to write them: table, json or yaml")
	command.RunE = func(cmd *cobra.Command, _ []string) error {
		var err error
		if layout, err = output.Parse(kind, formats...); err != nil {
			return err
		}
		request := &machinepb.EventsRequest{TailEvents: tail, TailId: since, TailSeconds: int32(duration / time.Second), WithActorId: actor}
		return t.Run(cmd, func(ctx context.Context, s *target.Session) error {
			stream, err := s.Machine.Events(s.All(ctx), request)
			if err != nil {
				return err
			}
			first := true
			err = client.Collect(stream, func(event *machinepb.Event) error {
				defer func() { first = false }()
				return writeEvent(cmd, layout, s.Name(client.Node(event)), event, first)
			})
			if ctx.Err() != nil {
				return nil // the user has seen enough
			}
			return err
		})
	}
	return command
}

func writeEvent(cmd *cobra.Command, layout output.Format, node string, event *machinepb.Event, first bool) error {
	message, err := eventMessage(event)
	if err != nil {
		return err
	}
	name := string(message.ProtoReflect().Descriptor().Name())
	if layout != output.Table {
		return output.Write(cmd.OutOrStdout(), layout, map[string]any{
			"node": node, "id": event.GetId(), "actor": event.GetActorId(), "event": name, "data": fieldsOf(message),
		})
	}
	const row = "%-20s %-22s %-20s %-36s %s\n"
	if first {
		if _, err := fmt.Fprintf(cmd.OutOrStdout(), row, "NODE", "ID", "EVENT", "ACTOR", "MESSAGE"); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintf(cmd.OutOrStdout(), row, node, event.GetId(), name, event.GetActorId(), eventText(message))
	return err
}

// eventMessage decodes what an event carries.
func eventMessage(event *machinepb.Event) (proto.Message, error) {
	name, ok := strings.CutPrefix(event.GetData().GetTypeUrl(), eventPrefix)
	if !ok {
		return nil, fmt.Errorf("read event %s: type %q: it does not begin with %s", event.GetId(), event.GetData().GetTypeUrl(), eventPrefix)
	}
	kind, err := protoregistry.GlobalTypes.FindMessageByName(protoreflect.FullName(name))
	if errors.Is(err, protoregistry.NotFound) {
		return event.GetData(), nil // of a newer node
	}
	if err != nil {
		return nil, err
	}
	message := kind.New().Interface()
	return message, proto.Unmarshal(event.GetData().GetValue(), message)
}

// fieldsOf lists what a message holds, as text, lists and maps.
func fieldsOf(message proto.Message) map[string]any {
	if unknown, ok := message.(*anypb.Any); ok {
		return map[string]any{"type": unknown.GetTypeUrl()}
	}
	fields := map[string]any{}
	message.ProtoReflect().Range(func(field protoreflect.FieldDescriptor, value protoreflect.Value) bool {
		if !field.IsList() {
			fields[string(field.Name())] = valueOf(field, value)
			return true
		}
		list := make([]any, 0, value.List().Len())
		for i := range value.List().Len() {
			list = append(list, valueOf(field, value.List().Get(i)))
		}
		fields[string(field.Name())] = list
		return true
	})
	return fields
}

// valueOf is a value that is no list.
func valueOf(field protoreflect.FieldDescriptor, value protoreflect.Value) any {
	switch field.Kind() {
	case protoreflect.EnumKind:
		if number := field.Enum().Values().ByNumber(value.Enum()); number != nil {
			return strings.ToLower(string(number.Name()))
		}
	case protoreflect.MessageKind:
		message := value.Message().Interface()
		if at, ok := message.(*timestamppb.Timestamp); ok {
			return at.AsTime().Format(time.RFC3339)
		}
		return fieldsOf(message)
	case protoreflect.BoolKind:
		return value.Bool()
	}
	return value.String()
}

// eventText is an event in one line: its fields in their order.
func eventText(message proto.Message) string {
	fields := message.ProtoReflect().Descriptor().Fields()
	values := fieldsOf(message)
	var parts []string
	for i := range fields.Len() {
		name := string(fields.Get(i).Name())
		if value, ok := values[name]; ok {
			parts = append(parts, name+": "+oneLine(value))
		}
	}
	if len(parts) == 0 && values["type"] != nil {
		return oneLine(values["type"])
	}
	return strings.Join(parts, ", ")
}

// oneLine writes a value of fieldsOf, maps by their keys in order.
func oneLine(value any) string {
	switch v := value.(type) {
	case map[string]any:
		var parts []string
		for _, key := range slices.Sorted(maps.Keys(v)) {
			parts = append(parts, key+": "+oneLine(v[key]))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case []any:
		var parts []string
		for _, item := range v {
			parts = append(parts, oneLine(item))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	}
	return fmt.Sprint(value)
}
