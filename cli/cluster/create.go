//go:build linux

package cluster

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/netip"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/ichor-os/ichor/config"
	"github.com/ichor-os/ichor/localcluster"
	"github.com/ichor-os/ichor/localcluster/namespaces"
	"github.com/ichor-os/ichor/osimage/assets"
	"github.com/ichor-os/ichor/version"
)

// createFlags are the flags of `cluster create`.
type createFlags struct {
	*local
	nodes                          shape
	network                        string
	kubernetes                     string
	memory, workerMemory           string
	cpus, workerCPUs               float64
	timeout                        time.Duration
	wait, skipKubeconfig, existing bool
	talosconfig                    string
	all, controlPlane, worker      []string // patches
}

// shape is a number of nodes of each role, as a flag CONTROLPLANES+WORKERS.
type shape struct{ controlPlanes, workers int }

func (s *shape) String() string { return fmt.Sprintf("%d+%d", s.controlPlanes, s.workers) }
func (*shape) Type() string     { return "string" }
func (s *shape) Set(text string) error {
	first, second, both := strings.Cut(text, "+")
	controlPlanes, err := strconv.Atoi(first)
	if err != nil {
		return fmt.Errorf("%q: want CONTROLPLANES+WORKERS, such as 3+1", text)
	}
	workers := 0
	if both {
		if workers, err = strconv.Atoi(second); err != nil {
			return fmt.Errorf("%q: want CONTROLPLANES+WORKERS, such as 3+1", text)
		}
	}
	s.controlPlanes, s.workers = controlPlanes, workers
	return nil
}

func newCreate(l *local) *cobra.Command {
	f := &createFlags{local: l, nodes: shape{1, 1}}
	command := &cobra.Command{
		Use:   "create",
		Short: "Make a Kubernetes cluster on this computer",
		Long: `Make a Kubernetes cluster on this computer.

Nodes start without a config, get theirs over the API and make the cluster, as
machines do. When all of them are ready, the cluster is a context of the client
config ($TALOSCONFIG or ~/.talos/config) and of the kubeconfig ($KUBECONFIG or
~/.kube/config). It needs root, and the assets that 'make assets' builds.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	f.add(command)
	refuse(command)
	command.AddCommand(newRefused("docker"), newRefused("qemu"), newRefused("dev"))
	return command
}

func (f *createFlags) add(command *cobra.Command) {
	flags := command.Flags()
	flags.IntVar(&f.nodes.controlPlanes, "controlplanes", 1, "how many control plane nodes")
	flags.IntVar(&f.nodes.workers, "workers", 1, "how many worker nodes")
	flags.Var(&f.nodes, "nodes", "how many nodes of both roles: `CONTROLPLANES+WORKERS`")
	flags.StringVar(&f.network, "cidr", "10.5.0.0/24", "IPv4 network of the nodes")
	flags.StringVar(&f.kubernetes, "kubernetes-version", version.Kubernetes, "Kubernetes version; it is that of the assets")
	flags.StringArrayVar(&f.all, "config-patch", nil, "`patch` for all machine configs: text, or @file")
	flags.StringArrayVar(&f.controlPlane, "config-patch-control-plane", nil, "`patch` for control plane configs: text, or @file")
	flags.StringArrayVar(&f.worker, "config-patch-worker", nil, "`patch` for worker configs: text, or @file")
	flags.StringVar(&f.memory, "memory", "", "memory limit of a control plane node, such as 2GiB (default: none)")
	flags.StringVar(&f.workerMemory, "memory-workers", "", "memory limit of a worker node (default: none)")
	flags.Float64Var(&f.cpus, "cpus", 0, "CPU limit of a control plane node, such as 1.5 (default: none)")
	flags.Float64Var(&f.workerCPUs, "cpus-workers", 0, "CPU limit of a worker node (default: none)")
	flags.BoolVar(&f.wait, "wait", true, "wait until the cluster is ready")
	flags.DurationVar(&f.timeout, "wait-timeout", 20*time.Minute, "how long to wait")
	flags.StringVar(&f.talosconfig, "talosconfig-destination", "", "client config `file` to add the cluster to (default: $TALOSCONFIG or ~/.talos/config)")
	flags.BoolVar(&f.skipKubeconfig, "skip-kubeconfig", false, "leave the kubeconfig alone")
	flags.BoolVar(&f.existing, "exist-ok", false, "be content with a cluster of this name that is there, and start what is stopped of it")
	flags.Var(provisionerFlag{}, "provisioner", "what nodes are made of")
	for _, name := range []string{"airgapped", "with-apply-config"} {
		flags.Bool(name, false, "always so")
		_ = flags.MarkHidden(name)
	}
	flags.SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		return pflag.NormalizedName(cmp.Or(spellings[name], name))
	})
}

// spellings are other names of flags.
var spellings = map[string]string{
	"subnet":                     "cidr",
	"config-patch-controlplanes": "config-patch-control-plane",
	"config-patch-workers":       "config-patch-worker",
	"memory-controlplanes":       "memory",
	"cpus-controlplanes":         "cpus",
	"talosconfig":                "talosconfig-destination",
}

// options turns the flags into what is to be made.
func (f *createFlags) options() (localcluster.Options, error) {
	options := localcluster.Options{
		Name: f.name, State: f.state, ControlPlanes: f.nodes.controlPlanes, Workers: f.nodes.workers,
		ControlPlaneCPUs: f.cpus, WorkerCPUs: f.workerCPUs,
	}
	var err error
	if options.Network, err = netip.ParsePrefix(f.network); err != nil {
		return options, fmt.Errorf("--cidr: %w", err)
	}
	if options.ControlPlaneMemory, err = bytesOf(f.memory); err != nil {
		return options, fmt.Errorf("--memory: %w", err)
	}
	if options.WorkerMemory, err = bytesOf(f.workerMemory); err != nil {
		return options, fmt.Errorf("--memory-workers: %w", err)
	}
	if !f.wait {
		return options, errors.New("--wait=false: " + noWait)
	}
	if options.Assets, err = f.assets(); err != nil {
		return options, err
	}
	patches := map[namespaces.Role][]*config.Patch{}
	for role, arguments := range map[namespaces.Role][]string{namespaces.ControlPlane: f.controlPlane, namespaces.Worker: f.worker} {
		all := append(append([]string{}, f.all...), arguments...)
		if patches[role], err = config.LoadPatches(all...); err != nil {
			return options, err
		}
	}
	options.Patch = func(role namespaces.Role, text []byte) ([]byte, error) {
		return config.PatchText(text, string(role), patches[role]...)
	}
	return options, nil
}

func bytesOf(text string) (uint64, error) {
	if text == "" {
		return 0, nil
	}
	return humanize.ParseBytes(text)
}

// assets finds the folder that nodes start from, with the Kubernetes that was
// asked for.
func (f *createFlags) assets() (string, error) {
	folder, err := assets.Default()
	if err != nil {
		return "", err
	}
	built, err := assets.Open(folder)
	if err != nil {
		return "", fmt.Errorf("%w: run `make assets` to build them anew", err)
	}
	if want := strings.TrimPrefix(f.kubernetes, "v"); want != built.Manifest.Kubernetes {
		return "", fmt.Errorf("--kubernetes-version: the assets hold the images of Kubernetes %s and not of %s", built.Manifest.Kubernetes, want)
	}
	return built.Folder, nil
}

func (f *createFlags) run(cmd *cobra.Command) error {
	options, err := f.options()
	if err != nil {
		return err
	}
	if f.existing {
		switch _, err := f.store().Show(f.name); {
		case err == nil:
			return f.goOn(cmd)
		case !errors.Is(err, namespaces.ErrNoCluster):
			return err
		}
	}
	ctx, stop := signal.NotifyContext(cmd.Context(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	ctx, cancel := context.WithTimeout(ctx, f.timeout)
	defer cancel()
	progress := newProgress(cmd.ErrOrStderr())
	options.Progress = progress.tell
	begun := time.Now()
	made, err := localcluster.Create(ctx, options)
	progress.end()
	if made != nil && made.Talosconfig != nil {
		// What failed can only be looked at with it.
		err = errors.Join(err, f.addTalosconfig(cmd, made))
	}
	if err != nil {
		return f.explain(err)
	}
	if !f.skipKubeconfig {
		if err := f.addKubeconfig(cmd, made); err != nil {
			return err
		}
	}
	return f.finish(cmd, made.Spec, fmt.Sprintf("cluster %s is ready after %s", f.name, time.Since(begun).Round(100*time.Millisecond)))
}

// explain adds what to do about a cluster that did not come to be.
func (f *createFlags) explain(err error) error {
	if errors.Is(err, namespaces.ErrExists) {
		return fmt.Errorf("%w ('%s cluster destroy%s'), or keep it with --exist-ok", err, program(), f.selector())
	}
	if _, gone := f.store().Show(f.name); gone != nil {
		return err
	}
	return fmt.Errorf("%w\nwhat was made is still there: look at the consoles of the nodes (%s/%s/*/%s), then '%s cluster destroy%s'",
		err, f.state, f.name, namespaces.ConsoleFile, program(), f.selector())
}

// finish says what happened and what to type next.
func (f *createFlags) finish(cmd *cobra.Command, spec namespaces.Spec, what string) error {
	var addresses []string
	for _, node := range spec.Nodes {
		addresses = append(addresses, node.Address.String())
	}
	name := program()
	next := [][2]string{
		{name + " services --nodes " + strings.Join(addresses, ","), "what runs on the nodes"},
		{name + " health", "whether all of it works"},
		{name + " cluster show" + f.selector(), "addresses and states of the nodes"},
		{name + " cluster destroy" + f.selector(), "when you are done"},
	}
	width := 0
	for _, line := range next {
		width = max(width, len(line[0]))
	}
	text := what + "\nnext:\n"
	for _, line := range next {
		text += fmt.Sprintf("  %-*s   %s\n", width, line[0], line[1])
	}
	_, err := fmt.Fprint(cmd.OutOrStdout(), text)
	return err
}
