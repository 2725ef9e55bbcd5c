package resources

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	resourcepb "github.com/ichor-os/ichor/api/cosi/resource"
	"github.com/ichor-os/ichor/cli/target"
	"github.com/ichor-os/ichor/client"
)

// getFlags are the flags of `get`.
type getFlags struct {
	t         *target.Target
	namespace string
	output    string
	watch     bool
}

// NewGet makes the command `get`. Env is like [os.LookupEnv].
func NewGet(env func(name string) (string, bool)) *cobra.Command {
	f := &getFlags{}
	command := &cobra.Command{
		Use:     "get <type> [<id>]",
		Aliases: []string{"g"},
		Short:   "Show resources of nodes",
		Long: `Show resources of nodes.

"get rd" lists the types, with their aliases. With --watch, what is there is shown
first, then every change: + came, ~ changed, - went.`,
		Example: `  talosctl get members
  talosctl get services kubelet -o yaml
  talosctl get nodeaddresses -o jsonpath='{.spec.addresses[*]}'`,
		Args:              cobra.RangeArgs(1, 2),
		ValidArgsFunction: f.complete,
		RunE:              func(cmd *cobra.Command, args []string) error { return f.run(cmd, args) },
	}
	f.t = target.New(command, env)
	f.t.AddInsecure(command, "i")
	flags := command.Flags()
	flags.StringVar(&f.namespace, "namespace", "", "namespace of the resources instead of the type's own")
	flags.StringVarP(&f.output, "output", "o", "table", "how to write them: table, json, yaml or jsonpath=TEMPLATE")
	flags.BoolVarP(&f.watch, "watch", "w", false, "show changes as they come")
	return command
}

func (f *getFlags) run(cmd *cobra.Command, args []string) error {
	out, err := newWriter(cmd.OutOrStdout(), f.output)
	if err != nil {
		return err
	}
	var id string
	if len(args) > 1 {
		id = args[1]
	}
	return f.t.Run(cmd, func(ctx context.Context, s *target.Session) error {
		if f.watch {
			return f.follow(ctx, s, out, args[0], id)
		}
		found, err := f.read(ctx, s, args[0], id)
		return errors.Join(out.all(found), err)
	})
}

// answer is what one node has.
type answer struct {
	definition Definition
	objects    []object
}

// read asks all nodes and returns what they have, in the order of the nodes.
func (f *getFlags) read(ctx context.Context, s *target.Session, kind, id string) ([]answer, error) {
	var (
		mu     sync.Mutex
		byNode = map[string]answer{}
	)
	err := s.Each(ctx, func(ctx context.Context, c *client.Client, node string) error {
		definition, namespace, err := f.find(ctx, c, kind)
		if err != nil {
			return err
		}
		list, err := fetch(ctx, c, namespace, definition.Type, id)
		if err != nil {
			return err
		}
		found := answer{definition: definition}
		for _, r := range list {
			o, err := objectOf(node, "", r)
			if err != nil {
				return err
			}
			found.objects = append(found.objects, o)
		}
		slices.SortFunc(found.objects, func(a, b object) int { return cmp.Compare(a.Metadata.ID, b.Metadata.ID) })
		mu.Lock()
		defer mu.Unlock()
		byNode[node] = found
		return nil
	})
	var answers []answer
	nodes := s.Nodes
	if len(nodes) == 0 {
		nodes = []string{s.Name("")}
	}
	for _, node := range nodes {
		if found, ok := byNode[node]; ok {
			answers = append(answers, found)
		}
	}
	return answers, err
}

// find asks a node what a name means and where it is kept.
func (f *getFlags) find(ctx context.Context, c *client.Client, kind string) (Definition, string, error) {
	all, err := definitions(ctx, c)
	if err != nil {
		return Definition{}, "", err
	}
	definition, err := resolve(all, kind)
	return definition, cmp.Or(f.namespace, definition.DefaultNamespace), err
}

func fetch(ctx context.Context, c *client.Client, namespace, kind, id string) ([]*resourcepb.Resource, error) {
	if id == "" {
		return listAll(ctx, c, namespace, kind)
	}
	found, err := c.Resources.Get(ctx, &resourcepb.GetRequest{Namespace: namespace, Type: kind, Id: id})
	if err != nil {
		return nil, err
	}
	return []*resourcepb.Resource{found.GetResource()}, nil
}

// follow shows what is there and what changes, until the user ends it.
func (f *getFlags) follow(ctx context.Context, s *target.Session, out *writer, kind, id string) error {
	err := s.Each(ctx, func(ctx context.Context, c *client.Client, node string) error {
		definition, namespace, err := f.find(ctx, c, kind)
		if err != nil {
			return err
		}
		request := &resourcepb.WatchRequest{
			Namespace: namespace, Type: definition.Type, ApiVersion: 1, Options: &resourcepb.WatchOptions{BootstrapContents: id == ""},
		}
		if id != "" {
			request.Id = &id
		}
		stream, err := c.Resources.Watch(ctx, request)
		if err != nil {
			return err
		}
		for {
			response, err := stream.Recv()
			if err != nil {
				return err
			}
			for _, event := range response.GetEvent() {
				if err := out.event(node, definition, event); err != nil {
					return err
				}
			}
		}
	})
	if ctx.Err() != nil {
		return nil // the user has seen enough
	}
	return err
}

// complete offers types, and then the ids of a type, of the nodes.
func (f *getFlags) complete(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	var (
		mu    sync.Mutex
		names []string
	)
	_ = f.t.Run(cmd, func(ctx context.Context, s *target.Session) error {
		return s.Each(ctx, func(ctx context.Context, c *client.Client, _ string) error {
			all, err := definitions(ctx, c)
			if err != nil {
				return err
			}
			mu.Lock()
			defer mu.Unlock()
			if len(args) == 0 {
				for _, d := range all {
					names = append(names, strings.ToLower(cmp.Or(d.DisplayType, d.Type)))
				}
				return nil
			}
			definition, err := resolve(all, args[0])
			if err != nil {
				return err
			}
			list, err := listAll(ctx, c, cmp.Or(f.namespace, definition.DefaultNamespace), definition.Type)
			for _, r := range list {
				names = append(names, r.GetMetadata().GetId())
			}
			return err
		})
	})
	slices.Sort(names)
	return slices.Compact(names), cobra.ShellCompDirectiveNoFileComp
}

// errorEvent is what a node says when a watch cannot go on.
func errorEvent(node string, event *resourcepb.Event) error {
	return fmt.Errorf("%s: watch: %s", node, event.GetError())
}
