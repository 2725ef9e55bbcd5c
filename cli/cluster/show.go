//go:build linux

package cluster

import (
	"fmt"
	"strconv"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"github.com/ichor-os/ichor/cli/output"
	"github.com/ichor-os/ichor/localcluster/namespaces"
)

// clusterInfo is a cluster as `cluster show` writes it.
type clusterInfo struct {
	Name     string     `json:"name"`
	Network  string     `json:"network"`
	Endpoint string     `json:"endpoint"`
	Folder   string     `json:"folder"`
	Nodes    []nodeInfo `json:"nodes"`
}

type nodeInfo struct {
	Name     string  `json:"name"`
	Role     string  `json:"role"`
	State    string  `json:"state"`
	Address  string  `json:"address"`
	Loopback string  `json:"loopback"`
	CPUs     float64 `json:"cpus,omitempty"`
	Memory   uint64  `json:"memory,omitempty"`
	PID      int     `json:"pid,omitempty"`
	Console  string  `json:"console"`
}

func newShow(l *local) *cobra.Command {
	var format string
	command := &cobra.Command{
		Use:   "show",
		Short: "Show a cluster of this computer and its nodes",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			format, err := output.Parse(format, output.Table, output.JSON, output.YAML)
			if err != nil {
				return err
			}
			status, err := l.show()
			if err != nil {
				return err
			}
			info := l.describe(status)
			if format != output.Table {
				return output.Write(cmd.OutOrStdout(), format, info)
			}
			return info.writeTable(cmd)
		},
	}
	command.Flags().StringVarP(&format, "output", "o", "table", "how to write it: table, json or yaml")
	command.Flags().Var(provisionerFlag{}, "provisioner", "what nodes are made of")
	return command
}

func (l *local) describe(status namespaces.Status) clusterInfo {
	info := clusterInfo{
		Name:     status.Spec.Name,
		Network:  status.Spec.Network.String(),
		Endpoint: "https://" + status.Spec.LoopbackEndpoint().String() + ":6443",
		Folder:   l.state + "/" + status.Spec.Name,
		Nodes:    []nodeInfo{},
	}
	for _, node := range status.Nodes {
		info.Nodes = append(info.Nodes, nodeInfo{
			Name: node.Name, Role: string(node.Role), State: node.State, Address: node.Address.String(),
			Loopback: node.Loopback.String(), CPUs: node.CPUs, Memory: node.Memory, PID: node.PID,
			Console: node.Folder + "/" + namespaces.ConsoleFile,
		})
	}
	return info
}

func (i clusterInfo) writeTable(cmd *cobra.Command) error {
	about := [][]string{
		{"network", i.Network},
		{"Kubernetes API", i.Endpoint},
		{"folder", i.Folder},
	}
	if err := output.WriteTable(cmd.OutOrStdout(), []string{"CLUSTER", i.Name}, about); err != nil {
		return err
	}
	if _, err := fmt.Fprintln(cmd.OutOrStdout()); err != nil {
		return err
	}
	var rows [][]string
	for _, node := range i.Nodes {
		cpus, memory := "-", "-"
		if node.CPUs > 0 {
			cpus = strconv.FormatFloat(node.CPUs, 'f', -1, 64)
		}
		if node.Memory > 0 {
			memory = humanize.IBytes(node.Memory)
		}
		rows = append(rows, []string{node.Name, node.Role, node.State, node.Address, node.Loopback, cpus, memory})
	}
	return output.WriteTable(cmd.OutOrStdout(), []string{"NODE", "ROLE", "STATE", "ADDRESS", "LOOPBACK", "CPUS", "MEMORY"}, rows)
}

func newList(l *local) *cobra.Command {
	var format string
	command := &cobra.Command{
		Use:     "list",
		Aliases: []string{"ls"},
		Short:   "List the clusters of this computer",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			format, err := output.Parse(format, output.Table, output.JSON, output.YAML)
			if err != nil {
				return err
			}
			names, err := l.store().List()
			if err != nil {
				return err
			}
			list := []clusterInfo{}
			for _, name := range names {
				status, err := l.store().Show(name)
				if err != nil {
					return err
				}
				list = append(list, l.describe(status))
			}
			if format != output.Table {
				return output.Write(cmd.OutOrStdout(), format, list)
			}
			return output.WriteTable(cmd.OutOrStdout(), []string{"CLUSTER", "NODES", "RUNNING", "NETWORK", "KUBERNETES API"}, listRows(list))
		},
	}
	command.Flags().StringVarP(&format, "output", "o", "table", "how to write it: table, json or yaml")
	return command
}

func listRows(list []clusterInfo) [][]string {
	var rows [][]string
	for _, info := range list {
		running := 0
		for _, node := range info.Nodes {
			if node.State == "running" {
				running++
			}
		}
		rows = append(rows, []string{info.Name, strconv.Itoa(len(info.Nodes)), strconv.Itoa(running), info.Network, info.Endpoint})
	}
	return rows
}
