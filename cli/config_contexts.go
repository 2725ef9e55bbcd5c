package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/ichor-os/ichor/cli/output"
	"github.com/ichor-os/ichor/cli/target"
	"github.com/ichor-os/ichor/pki/talosconfig"
)

// contextRow is a context as `config contexts` lists it.
type contextRow struct {
	Name      string   `json:"name"`
	Current   bool     `json:"current"`
	Endpoints []string `json:"endpoints"`
	Nodes     []string `json:"nodes"`
}

func newConfigContexts(t *target.Target) *cobra.Command {
	var format string
	command := &cobra.Command{
		Use:     "contexts",
		Aliases: []string{"get-contexts"},
		Short:   "List the contexts",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			format, err := output.Parse(format, output.Table, output.JSON, output.YAML)
			if err != nil {
				return err
			}
			file, err := t.Open()
			if err != nil {
				return err
			}
			rows := contextRows(&file.Config)
			if format != output.Table {
				return output.Write(cmd.OutOrStdout(), format, rows)
			}
			var cells [][]string
			for _, row := range rows {
				current := ""
				if row.Current {
					current = "*"
				}
				cells = append(cells, []string{current, row.Name, strings.Join(row.Endpoints, ","), strings.Join(row.Nodes, ",")})
			}
			return output.WriteTable(cmd.OutOrStdout(), []string{"CURRENT", "NAME", "ENDPOINTS", "NODES"}, cells)
		},
	}
	command.Flags().StringVarP(&format, "output", "o", "table", "how to write it: table, json or yaml")
	return command
}

func contextRows(config *talosconfig.Config) []contextRow {
	rows := []contextRow{}
	for _, name := range config.Names() {
		context := config.Contexts[name]
		rows = append(rows, contextRow{
			Name:      name,
			Current:   name == config.Context,
			Endpoints: append([]string{}, context.Endpoints...),
			Nodes:     append([]string{}, context.Nodes...),
		})
	}
	return rows
}
