package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/ichor-os/ichor/atomicfile"
	"github.com/ichor-os/ichor/config/render"
)

func newMachineConfigRender(env environment) *cobra.Command {
	var out string
	var nodes []string
	var advice adviceFlag
	command := &cobra.Command{
		Use:   "render <folder>",
		Short: "Make one machine config a node from a folder of layers",
		Long: `Make one machine config a node from a folder of layers.

The file render.yaml in the folder lists the nodes, their layers and variables.
Layers are patches, laid over each other: base.yaml and base/*.yaml, then
role/NAME.yaml, region/NAME.yaml, hardware/NAME.yaml and node/NAME.yaml. In their
values ${name} stands for a variable, ${node} for the node's name, ${env:NAME} for
an environment variable and ${file:PATH} for a file's content. What cannot be
resolved is an error.

Every config is validated. Nothing is written unless all are valid. Files get mode
0600: they hold secrets.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			folder, err := render.Load(os.DirFS(args[0]), render.Source{Env: env, File: os.ReadFile})
			if err != nil {
				return fmt.Errorf("render %s: %w", args[0], err)
			}
			if len(nodes) == 0 {
				nodes = folder.Nodes()
			}
			if out == "" && len(nodes) != 1 {
				return fmt.Errorf("render %s: %d nodes need a folder to write to: name it with --output, or choose a node with --node", args[0], len(nodes))
			}
			rendered, err := renderNodes(folder, nodes)
			if err != nil {
				return err
			}
			if err := reportRendered(cmd, rendered, advice); err != nil {
				return err
			}
			if out == "" {
				_, err := cmd.OutOrStdout().Write(rendered[0].Text)
				return err
			}
			return writeRendered(cmd, out, rendered)
		},
	}
	command.Flags().StringVarP(&out, "output", "o", "", "`folder` to write NODE.yaml files to; one node without it goes to standard output")
	command.Flags().StringSliceVar(&nodes, "node", nil, "nodes to render, instead of all")
	advice.add(command)
	return command
}

func renderNodes(folder *render.Folder, nodes []string) ([]*render.Rendered, error) {
	var all []*render.Rendered
	var faults []error
	now := time.Now()
	for _, name := range nodes {
		rendered, err := folder.Render(name, now)
		if err == nil {
			err = rendered.Report.Err()
		}
		if err != nil {
			faults = append(faults, fmt.Errorf("node %s: %w", name, err))
			continue
		}
		all = append(all, rendered)
	}
	return all, errors.Join(faults...)
}

// reportRendered writes warnings and advice to standard error: standard output
// may carry a config.
func reportRendered(cmd *cobra.Command, all []*render.Rendered, advice adviceFlag) error {
	var faults []error
	for _, rendered := range all {
		for _, finding := range rendered.Report.Warnings {
			cmd.PrintErrf("WARNING: node %s: %s\n", rendered.Node, finding)
		}
		for _, finding := range rendered.Report.Advice {
			if advice == "error" {
				faults = append(faults, fmt.Errorf("node %s: %s", rendered.Node, finding))
			} else {
				cmd.PrintErrf("ADVICE: node %s: %s\n", rendered.Node, finding)
			}
		}
	}
	return errors.Join(faults...)
}

func writeRendered(cmd *cobra.Command, out string, all []*render.Rendered) error {
	for _, rendered := range all {
		if strings.ContainsAny(rendered.Node, `/\`) || strings.HasPrefix(rendered.Node, ".") {
			return fmt.Errorf("render node %q: its name is no file name", rendered.Node)
		}
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	for _, rendered := range all {
		path := filepath.Join(out, rendered.Node+".yaml")
		if err := atomicfile.Replace(path, rendered.Text, secretMode); err != nil {
			return err
		}
		cmd.PrintErrf("Created %s\n", path)
	}
	return nil
}
