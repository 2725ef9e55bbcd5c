package machine

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"
	"google.golang.org/protobuf/types/known/emptypb"

	inspectpb "github.com/ichor-os/ichor/api/inspect"
	"github.com/ichor-os/ichor/cli/target"
	"github.com/ichor-os/ichor/client"
)

func newInspect(env environment) *cobra.Command {
	command := &cobra.Command{
		Use:   "inspect",
		Short: "Look into nodes",
	}
	command.AddCommand(newDependencies(env))
	return command
}

func newDependencies(env environment) *cobra.Command {
	var resources bool
	command := &cobra.Command{
		Use:   "dependencies",
		Short: "Write how reconcilers depend on each other, for graphviz",
		Args:  cobra.NoArgs,
	}
	t := target.New(command, env)
	command.Flags().BoolVar(&resources, "with-resources", false, "name single resources, not only their types")
	command.RunE = func(cmd *cobra.Command, _ []string) error {
		return t.Run(cmd, func(ctx context.Context, s *target.Session) error {
			response, err := s.Inspect.ControllerRuntimeDependencies(s.All(ctx), &emptypb.Empty{})
			if err != nil {
				return err
			}
			answers, failed := client.Answers(response.GetMessages())
			if len(answers) == 0 {
				return failed
			}
			return errors.Join(writeGraph(cmd.OutOrStdout(), answers, resources), failed)
		})
	}
	return command
}

// writeGraph writes a graph in the language of graphviz.
func writeGraph(w io.Writer, answers []*inspectpb.ControllerRuntimeDependency, resources bool) error {
	text := "digraph dependencies {\n\trankdir=LR\n"
	for _, answer := range answers {
		for _, edge := range answer.GetEdges() {
			resource := edge.GetResourceType()
			if resources && edge.GetResourceId() != "" {
				resource += "/" + edge.GetResourceId()
			}
			text += fmt.Sprintf("\t%q [shape=box]\n", edge.GetControllerName())
			switch edge.GetEdgeType() {
			case inspectpb.DependencyEdgeType_OUTPUT_EXCLUSIVE, inspectpb.DependencyEdgeType_OUTPUT_SHARED:
				text += fmt.Sprintf("\t%q -> %q\n", edge.GetControllerName(), resource)
			default:
				text += fmt.Sprintf("\t%q -> %q\n", resource, edge.GetControllerName())
			}
		}
	}
	_, err := io.WriteString(w, text+"}\n")
	return err
}
