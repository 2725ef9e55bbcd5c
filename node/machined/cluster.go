package machined

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync/atomic"
	"time"

	machineconfig "github.com/ichor-os/ichor/config"
	"github.com/ichor-os/ichor/node/etcd"
	"github.com/ichor-os/ichor/node/file"
	filespec "github.com/ichor-os/ichor/node/file/spec"
	"github.com/ichor-os/ichor/node/kube"
	"github.com/ichor-os/ichor/node/kubelet"
	"github.com/ichor-os/ichor/node/machined/trust"
	"github.com/ichor-os/ichor/node/service"
	"github.com/ichor-os/ichor/node/service/container"
	servicespec "github.com/ichor-os/ichor/node/service/spec"
)

type fileSpec = filespec.File

// parts are the node's share of a Kubernetes cluster. Both are nil until a
// config makes the node a control plane node.
type parts struct {
	membership   atomic.Pointer[etcd.Membership]
	controlPlane atomic.Pointer[kube.ControlPlane]
}

func write(files []fileSpec) error {
	_, err := file.Write(files)
	return err
}

// startCluster puts a config in force and starts what it asks for.
func (n *node) startCluster(ctx context.Context, config *machineconfig.Config) error {
	main := config.Main()
	if main.Cluster == nil || main.Cluster.ControlPlane == nil || main.Cluster.ControlPlane.Endpoint == nil {
		return errors.New("start cluster: cluster.controlPlane.endpoint is missing in the config")
	}
	// Kubernetes does not wait for the certificate of the machine's API.
	identified := make(chan error, 1)
	go func() { identified <- n.useConfig(ctx, main) }()
	if err := n.startKubernetes(ctx, config); err != nil {
		return err
	}
	return <-identified
}

func (n *node) startKubernetes(ctx context.Context, config *machineconfig.Config) error {
	main := config.Main()
	if err := n.host.Time.Wait(ctx); err != nil { // certificates are about to be made
		return err
	}
	control, err := kube.FromConfig(main, n.platform.Hostname, n.address())
	if err != nil {
		return fmt.Errorf("read config: %w", err)
	}
	control.Namespaced = true
	if main.Machine.Type != "worker" {
		if err := n.startControlPlane(ctx, config, control); err != nil {
			return err
		}
	} else if err := trust.Discover(ctx, n.discovery, config, nil, n.platform.Hostname); err != nil {
		return err
	}
	if control.CNI == "flannel" {
		go kube.ConfigureCNI(ctx, write, n.log)
	}
	settings, err := kubelet.FromConfig(main, n.platform.Hostname, n.address())
	if err != nil {
		return fmt.Errorf("read config: %w", err)
	}
	settings.Namespaced = true
	files, err := kubelet.Files(settings, time.Now())
	if err != nil {
		return err
	}
	if err := write(files); err != nil {
		return err
	}
	return n.startService(n.kubeletService(settings))
}

func (n *node) startControlPlane(ctx context.Context, config *machineconfig.Config, settings kube.Settings) error {
	member := etcd.FromConfig(config.Main(), n.platform.Hostname, n.address())
	control := &kube.ControlPlane{Settings: settings, Write: write, Log: n.log}
	membership := etcd.NewMembership(member, control.Others, n.log)
	if err := trust.Discover(ctx, n.discovery, config, membership, n.platform.Hostname); err != nil {
		return err
	}
	control.AwaitEtcd = func(ctx context.Context) error { return n.awaitEtcd(ctx, membership) }
	if err := control.Prepare(time.Now()); err != nil {
		return err
	}
	files, err := etcd.Files(member, time.Now())
	if err != nil {
		return err
	}
	if err := write(files); err != nil {
		return err
	}
	n.cluster.membership.Store(membership)
	n.cluster.controlPlane.Store(control)
	go control.Run(ctx)
	return n.startService(n.etcdService(membership))
}

// awaitEtcd waits until etcd runs, has become a voter and is healthy.
func (n *node) awaitEtcd(ctx context.Context, membership *etcd.Membership) error {
	running := func(s service.Status) bool { return s.State == service.Running }
	if err := n.services.Await(ctx, "etcd", running); err != nil {
		return err
	}
	if err := membership.Promote(ctx); err != nil {
		return err
	}
	if err := n.services.Await(ctx, "etcd", service.Status.Ready); err != nil {
		return err
	}
	return membership.Settled()
}

func (n *node) etcdService(membership *etcd.Membership) service.Service {
	return service.Service{
		ID:    "etcd",
		Needs: []string{"containerd"},
		// Who ended the machine can follow that while these stop.
		Uses: []string{"apid"},
		Conditions: []service.Condition{{
			Name: "bootstrap, a cluster to join, or etcd data of an earlier start",
			Wait: membership.Await,
		}},
		Pre: func(context.Context) error { return etcd.MakeDataFolder() },
		Runner: &container.Runner{
			Spec: func() (servicespec.Container, error) {
				return n.host.Container(etcd.Container(membership.Settings())), nil
			},
			Output: n.logs.Open("etcd"),
		},
		Health: &service.Health{Check: etcd.Healthy},
	}
}

func (n *node) kubeletService(settings kubelet.Settings) service.Service {
	return service.Service{
		ID:    "kubelet",
		Needs: []string{"containerd"},
		Uses:  []string{"etcd", "apid"},
		Pre: func(context.Context) error {
			for _, folder := range kubelet.Folders {
				if err := os.MkdirAll(folder, 0o700); err != nil {
					return fmt.Errorf("make folder: %w", err)
				}
			}
			return nil
		},
		Runner: &withPods{node: n, Runner: &container.Runner{
			Spec:   func() (servicespec.Container, error) { return n.host.Container(kubelet.Container(settings)), nil },
			Output: n.logs.Open("kubelet"),
		}},
		Health: &service.Health{Check: kubelet.Healthy},
	}
}

// withPods runs kubelet and, when the machine goes down, ends what it started.
type withPods struct {
	service.Runner
	node *node
}

// Run implements service.Runner.
func (w *withPods) Run(ctx context.Context, started func(what string)) error {
	err := w.Runner.Run(ctx, started)
	if w.node.ending.Load() {
		err = errors.Join(err, kubelet.EndPods(w.node.groups.ProcessesBelow))
	}
	return err
}

// leaveEtcd takes this node's member out of its cluster, if it has one, and
// stops it.
func (n *node) leaveEtcd(ctx context.Context) error {
	membership := n.cluster.membership.Load()
	if membership == nil {
		return nil
	}
	if err := n.discovery.Leave(ctx); err != nil {
		n.log.Warn("other nodes do not know yet that this one goes", "error", err)
	}
	return membership.Leave(ctx, n.stopEtcd)
}

func (n *node) stopEtcd(ctx context.Context) error { return n.services.Stop(ctx, "etcd") }
