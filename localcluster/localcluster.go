// Package localcluster makes whole Kubernetes clusters on this computer, the way
// real machines become one: nodes start without a config, get theirs over the
// API against a pinned fingerprint, and one control plane node bootstraps.
//
// Create does all of it; the rooms below say what a node is: namespaces (root is
// all it needs).
package localcluster

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"regexp"
	"time"

	"golang.org/x/sync/errgroup"

	machinepb "github.com/ichor-os/ichor/api/machine"
	"github.com/ichor-os/ichor/client"
	machineconfig "github.com/ichor-os/ichor/config"
	"github.com/ichor-os/ichor/config/generate"
	"github.com/ichor-os/ichor/localcluster/namespaces"
	"github.com/ichor-os/ichor/osimage/assets"
	"github.com/ichor-os/ichor/pki/secrets"
	"github.com/ichor-os/ichor/pki/talosconfig"
)

// Options say what cluster to make.
type Options struct {
	Name                   string
	ControlPlanes, Workers int
	// Network of the nodes; the zero value is 10.5.0.0/24.
	Network netip.Prefix
	// Assets is the folder with what nodes start from; empty is the latest.
	Assets string
	// State is the folder that holds a folder per cluster.
	State string
	// Memory (bytes) and CPUs limit each node of a role; 0 is no limit.
	ControlPlaneMemory, WorkerMemory uint64
	ControlPlaneCPUs, WorkerCPUs     float64
	// Patch changes a node's generated config; nil for none.
	Patch func(role namespaces.Role, text []byte) ([]byte, error)
	// Bootstrap makes the cluster's etcd; nil does so on the first control plane
	// node.
	Bootstrap func(context.Context, *Cluster) error
	// Progress is told what happens; nil for nobody.
	Progress func(Event)
}

// Event is one step of a node, or of the cluster where Node is empty.
type Event struct {
	Node, Step string
	Since      time.Duration
}

// Cluster is a cluster that was made.
type Cluster struct {
	Spec namespaces.Spec
	// State is the folder that holds the cluster's folder.
	State string
	// Talosconfig and Kubeconfig are what an administrator needs; both lead
	// to loopback addresses of this computer.
	Talosconfig *talosconfig.Config
	Kubeconfig  []byte
}

// DefaultState is where clusters of this computer are kept by default.
func DefaultState() string { return "/var/lib/ichor/clusters" }

// Create makes the cluster and returns when its nodes are Ready, or with the
// reason why they are not; what was made stays then, for a look at it.
func Create(ctx context.Context, o Options) (*Cluster, error) {
	begun := time.Now()
	tell := func(node, step string) {
		if o.Progress != nil {
			o.Progress(Event{Node: node, Step: step, Since: time.Since(begun)})
		}
	}
	spec, err := o.spec()
	if err != nil {
		return nil, err
	}
	store := namespaces.Store{Root: o.State}
	if spec, err = store.Create(ctx, spec); err != nil {
		return nil, err
	}
	tell("", "nodes started")
	made, err := o.configs(spec)
	if err != nil {
		return nil, err
	}
	group, configuring := errgroup.WithContext(ctx)
	for _, node := range spec.Nodes {
		group.Go(func() error {
			if err := configure(configuring, store, spec, node, made.texts[node.Role]); err != nil {
				return fmt.Errorf("configure node: %s: %w", node.Name, err)
			}
			tell(node.Name, "configured")
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	cluster := &Cluster{Spec: spec, State: o.State, Talosconfig: made.client}
	if o.Bootstrap == nil {
		o.Bootstrap = bootstrapFirst
	}
	if err := o.Bootstrap(ctx, cluster); err != nil {
		return cluster, err
	}
	tell("", "bootstrapped")
	if cluster.Kubeconfig, err = cluster.kubeconfig(ctx); err != nil {
		return cluster, err
	}
	err = cluster.awaitReady(ctx, func(node string) { tell(node, "ready") })
	if err != nil {
		return cluster, err
	}
	tell("", "cluster is ready")
	return cluster, nil
}

func (o *Options) spec() (namespaces.Spec, error) {
	if o.ControlPlanes < 1 {
		return namespaces.Spec{}, errors.New("create cluster: it needs at least one control plane node")
	}
	if o.State == "" {
		o.State = DefaultState()
	}
	folder := o.Assets
	var err error
	if folder == "" {
		if folder, err = assets.Default(); err != nil {
			return namespaces.Spec{}, err
		}
	}
	built, err := assets.Open(folder)
	if err != nil {
		return namespaces.Spec{}, err
	}
	if built.Manifest.RootFS == nil || built.Manifest.Images == nil {
		return namespaces.Spec{}, fmt.Errorf("open assets: %s: it holds no root file system or no images", folder)
	}
	spec := namespaces.Spec{
		Name: o.Name, Network: o.Network,
		Rootfs: filepath.Join(built.Folder, built.Manifest.RootFS.Path),
		Images: filepath.Join(built.Folder, built.Manifest.Images.Path),
	}
	for i := range o.ControlPlanes {
		spec.Nodes = append(spec.Nodes, namespaces.Node{
			Name: fmt.Sprintf("%s-controlplane-%d", o.Name, i+1), Role: namespaces.ControlPlane,
			Memory: o.ControlPlaneMemory, CPUs: o.ControlPlaneCPUs,
		})
	}
	for i := range o.Workers {
		spec.Nodes = append(spec.Nodes, namespaces.Node{
			Name: fmt.Sprintf("%s-worker-%d", o.Name, i+1), Role: namespaces.Worker,
			Memory: o.WorkerMemory, CPUs: o.WorkerCPUs,
		})
	}
	return spec, nil
}

// configs are the generated configs of a cluster.
type configs struct {
	texts  map[namespaces.Role][]byte
	client *talosconfig.Config
}

func (o *Options) configs(spec namespaces.Spec) (configs, error) {
	bundle, err := secrets.Generate(secrets.Options{Now: time.Now()})
	if err != nil {
		return configs{}, err
	}
	options := generate.NewOptions(spec.Name, fmt.Sprintf("https://%s:6443", spec.Gateway()), bundle)
	options.AdditionalSANs = []string{spec.LoopbackEndpoint().String()}
	for _, node := range spec.Nodes {
		options.AdditionalSANs = append(options.AdditionalSANs, node.Loopback.String())
	}
	made := configs{texts: map[namespaces.Role][]byte{}}
	for role, generated := range map[namespaces.Role]generate.Role{
		namespaces.ControlPlane: generate.ControlPlane, namespaces.Worker: generate.Worker,
	} {
		config, err := generate.MachineConfig(generated, options)
		if err != nil {
			return configs{}, err
		}
		text, err := config.Encode()
		if err != nil {
			return configs{}, err
		}
		if o.Patch != nil {
			if text, err = o.Patch(role, text); err != nil {
				return configs{}, fmt.Errorf("patch config: %s: %w", role, err)
			}
		}
		if _, err := machineconfig.Parse(text); err != nil {
			return configs{}, fmt.Errorf("patch config: %s: %w", role, err)
		}
		made.texts[role] = text
	}
	if made.client, err = generate.ClientConfig(options, time.Now()); err != nil {
		return configs{}, err
	}
	context, err := made.client.Get(spec.Name)
	if err != nil {
		return configs{}, err
	}
	for _, node := range spec.Nodes {
		if node.Role == namespaces.ControlPlane {
			context.Endpoints = append(context.Endpoints, node.Loopback.String())
		}
	}
	context.Nodes = []string{spec.Nodes[0].Address.String()}
	return made, nil
}

// fingerprintPattern finds what a node in maintenance prints on its console.
var fingerprintPattern = regexp.MustCompile(`stage=maintenance .*fingerprint=([0-9a-f]{64})`)

// configure waits until the node is in maintenance and gives it its config.
func configure(ctx context.Context, store namespaces.Store, spec namespaces.Spec, node namespaces.Node, text []byte) error {
	ctx, cancel := context.WithTimeout(ctx, configureTimeout)
	defer cancel()
	console := filepath.Join(store.Root, spec.Name, node.Name, namespaces.ConsoleFile)
	var fingerprint string
	err := poll(ctx, func(context.Context) error {
		printed, err := os.ReadFile(console)
		if err != nil {
			return err
		}
		found := fingerprintPattern.FindAllSubmatch(printed, -1)
		if len(found) == 0 {
			return fmt.Errorf("the node is not in maintenance yet: see %s", console)
		}
		fingerprint = string(found[len(found)-1][1])
		return nil
	})
	if err != nil {
		return err
	}
	c, err := client.New(client.Options{Endpoints: []string{node.Loopback.String()}, Insecure: true, Fingerprints: []string{fingerprint}})
	if err != nil {
		return err
	}
	defer c.Close()
	return poll(ctx, func(ctx context.Context) error {
		_, err := c.Machine.ApplyConfiguration(ctx, &machinepb.ApplyConfigurationRequest{
			Data: text, Mode: machinepb.ApplyConfigurationRequest_AUTO,
		})
		return err
	})
}

// poll calls try until it succeeds or ctx ends, and then gives its last error.
func poll(ctx context.Context, try func(context.Context) error) error {
	for {
		bounded, cancel := context.WithTimeout(ctx, 10*time.Second)
		err := try(bounded)
		cancel()
		if err == nil {
			return nil
		}
		timer := time.NewTimer(100 * time.Millisecond)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return fmt.Errorf("%w: %w", ctx.Err(), err)
		}
	}
}
