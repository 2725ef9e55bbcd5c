package target

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"

	"github.com/spf13/cobra"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"github.com/ichor-os/ichor/cli/output"
	"github.com/ichor-os/ichor/client"
)

// Message is a part of a merged answer: what one node said.
type Message interface {
	client.Message
	proto.Message
}

// Format is the flag --output of a command.
type Format struct{ text string }

// AddFormat adds the flag --output.
func AddFormat(command *cobra.Command) *Format { return addFormat(command, "o") }

// AddLongFormat adds the flag --output to a command whose -o is another.
func AddLongFormat(command *cobra.Command) *Format { return addFormat(command, "") }

func addFormat(command *cobra.Command, shorthand string) *Format {
	f := &Format{}
	command.Flags().StringVarP(&f.text, "output", shorthand, string(output.Table), "how to write it: table, json or yaml")
	return f
}

// Parse checks the flag.
func (f *Format) Parse() (output.Format, error) {
	return output.Parse(f.text, output.Table, output.JSON, output.YAML)
}

// A Query asks nodes once and shows what they said.
type Query[M Message] struct {
	// Ask makes the call.
	Ask func(ctx context.Context, s *Session) ([]M, error)
	// Header names the columns after NODE.
	Header []string
	// Rows are the lines of a node, without the column NODE.
	Rows func(m M) [][]string
}

// Run asks and writes the answers to standard output. Errors of single nodes are
// returned after the answers of the others are written.
func (q Query[M]) Run(cmd *cobra.Command, t *Target, format *Format) error {
	kind, err := format.Parse()
	if err != nil {
		return err
	}
	return t.Run(cmd, func(ctx context.Context, s *Session) error {
		messages, err := q.Ask(ctx, s)
		if err != nil && len(messages) == 0 {
			return err
		}
		answers, failed := client.Answers(messages)
		if len(answers) == 0 && kind == output.Table {
			return errors.Join(err, failed)
		}
		return errors.Join(q.write(cmd, kind, s, answers), err, failed)
	})
}

func (q Query[M]) write(cmd *cobra.Command, kind output.Format, s *Session, answers []M) error {
	if kind != output.Table {
		list := make([]Object, 0, len(answers))
		for _, answer := range answers {
			object, err := ObjectOf(s.Name(client.Node(answer)), answer)
			if err != nil {
				return err
			}
			list = append(list, object)
		}
		return output.Write(cmd.OutOrStdout(), kind, list)
	}
	var rows [][]string
	for _, answer := range answers {
		for _, row := range q.Rows(answer) {
			rows = append(rows, append([]string{s.Name(client.Node(answer))}, row...))
		}
	}
	return output.WriteTable(cmd.OutOrStdout(), append([]string{"NODE"}, q.Header...), rows)
}

// Object is what a node said, for programs: the fields of the message, with the
// node in front.
type Object json.RawMessage

// MarshalJSON implements [json.Marshaler].
func (o Object) MarshalJSON() ([]byte, error) { return o, nil }

// ObjectOf makes an Object of a message, without its metadata.
func ObjectOf(node string, message Message) (Object, error) {
	copied := proto.Clone(message)
	reflected := copied.ProtoReflect()
	if field := reflected.Descriptor().Fields().ByName("metadata"); field != nil {
		reflected.Clear(field)
	}
	body, err := protojson.MarshalOptions{EmitDefaultValues: true}.Marshal(copied)
	if err != nil {
		return nil, err
	}
	name, err := json.Marshal(node)
	if err != nil {
		return nil, err
	}
	object := append([]byte(`{"node":`), name...)
	if rest := bytes.TrimSpace(body[1:]); len(rest) > 1 { // more than the closing brace
		object = append(object, ',')
	}
	return Object(append(object, body[1:]...)), nil
}
