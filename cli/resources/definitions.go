// Package resources holds the commands about the resources of nodes: get, edit
// and patch.
//
// What types there are, their aliases and their columns is asked of the nodes
// themselves (Definition); a type that this program never heard of is shown like
// any other.
package resources

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v3"

	resourcepb "github.com/ichor-os/ichor/api/cosi/resource"
	"github.com/ichor-os/ichor/client"
)

const (
	metaNamespace     = "meta"
	definitionType    = "ResourceDefinitions.meta.cosi.dev"
	namespaceType     = "Namespaces.meta.cosi.dev"
	machineConfigType = "MachineConfigs.config.talos.dev"
)

// Definition says what a type of resource is called and how it is shown.
type Definition struct {
	Type             string   `yaml:"type"`
	DisplayType      string   `yaml:"displayType"`
	DefaultNamespace string   `yaml:"defaultNamespace"`
	Aliases          []string `yaml:"aliases"`
	AllAliases       []string `yaml:"allAliases"`
	PrintColumns     []column `yaml:"printColumns"`
}

// column is a column of the table of a type.
type column struct {
	Name     string `yaml:"name"`
	JSONPath string `yaml:"jsonPath"`
}

// definitions lists the types of a node.
func definitions(ctx context.Context, c *client.Client) ([]Definition, error) {
	list, err := listAll(ctx, c, metaNamespace, definitionType)
	if err != nil {
		return nil, err
	}
	all := make([]Definition, len(list))
	for i, found := range list {
		if err := yaml.Unmarshal([]byte(found.GetSpec().GetYamlSpec()), &all[i]); err != nil {
			return nil, fmt.Errorf("read definition of %s: %w", found.GetMetadata().GetId(), err)
		}
	}
	return all, nil
}

func listAll(ctx context.Context, c *client.Client, namespace, kind string) ([]*resourcepb.Resource, error) {
	stream, err := c.Resources.List(ctx, &resourcepb.ListRequest{Namespace: namespace, Type: kind})
	if err != nil {
		return nil, err
	}
	var list []*resourcepb.Resource
	for {
		item, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return list, nil
		}
		if err != nil {
			return nil, err
		}
		list = append(list, item.GetResource())
	}
}

// resolve finds the type that is meant by a name, in any case: its type, else an
// alias that it was given, else one that the node made up, else its display
// type, plural or initials.
// Names that mean several types are refused.
func resolve(all []Definition, name string) (Definition, error) {
	lower := strings.ToLower(name)
	for _, names := range []func(Definition) []string{
		func(d Definition) []string { return []string{d.Type} },
		func(d Definition) []string { return d.Aliases },
		func(d Definition) []string { return d.AllAliases },
		derivedNames,
	} {
		var found []Definition
		for _, d := range all {
			if slices.ContainsFunc(names(d), func(a string) bool { return strings.ToLower(a) == lower }) {
				found = append(found, d)
			}
		}
		if len(found) == 1 {
			return found[0], nil
		}
		if len(found) > 1 {
			types := make([]string, len(found))
			for i, d := range found {
				types[i] = d.Type
			}
			slices.Sort(types)
			return Definition{}, fmt.Errorf("resource type %q is ambiguous: say which of %s is meant", name, strings.Join(types, ", "))
		}
	}
	return Definition{}, fmt.Errorf("resource type %q is not known%s: 'get rd' lists the types", name, near(all, lower))
}

// derivedNames are what people call a type that has no alias: the first label of
// its name, its display type, and the initials of that, with and without s.
func derivedNames(d Definition) []string {
	plural, _, _ := strings.Cut(d.Type, ".")
	initials := strings.Map(func(r rune) rune {
		if unicode.IsUpper(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, d.DisplayType)
	names := []string{plural, d.DisplayType}
	if len(initials) > 1 {
		names = append(names, initials, initials+"s")
	}
	return names
}

// near names types that contain what was typed.
func near(all []Definition, name string) string {
	var names []string
	for _, d := range all {
		if strings.Contains(strings.ToLower(d.Type), name) {
			names = append(names, strings.ToLower(cmp.Or(d.DisplayType, d.Type)))
		}
	}
	if len(names) == 0 || len(names) > 8 {
		return ""
	}
	slices.Sort(names)
	return " (there are " + strings.Join(names, ", ") + ")"
}
