package machined

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"sync"
	"time"

	machineconfig "github.com/ichor-os/ichor/config"
	"github.com/ichor-os/ichor/node/etcd"
	"github.com/ichor-os/ichor/node/file"
	"github.com/ichor-os/ichor/node/kube"
	"github.com/ichor-os/ichor/node/kubelet"
	"github.com/ichor-os/ichor/node/service"
	"github.com/ichor-os/ichor/node/service/container"
	servicespec "github.com/ichor-os/ichor/node/service/spec"
)

// cluster is the node's part in a Kubernetes cluster.
type cluster struct {
	node *node

	mu        sync.Mutex
	bootstrap chan struct{} // closed when this node may make an etcd cluster
	asked     bool
	initial   []string     // what a member that joins starts with
	peers     []netip.Addr // members that it joined
	settings  *clusterSettings
}

// start puts a config in force and starts what it asks for.
func (c *cluster) start(ctx context.Context, config *machineconfig.Config) error {
	settings, err := derive(config, c.node)
	if err != nil {
		return fmt.Errorf("derive from config: %w", err)
	}
	c.mu.Lock()
	c.settings = settings
	c.mu.Unlock()
	// Kubernetes does not wait for the certificate of the machine's API.
	identified := make(chan error, 1)
	go func() { identified <- c.node.useConfig(ctx, config) }()
	if err := c.startKubernetes(ctx, settings); err != nil {
		return err
	}
	return <-identified
}

func (c *cluster) startKubernetes(ctx context.Context, settings *clusterSettings) error {
	now := time.Now()
	kubeletFiles, err := kubelet.Files(settings.kubelet, now)
	if err != nil {
		return err
	}
	if _, err := file.Write(kubeletFiles); err != nil {
		return err
	}
	services := []service.Service{c.kubeletService(settings)}
	if settings.controlPlane {
		if err := c.writeControlPlane(settings, now); err != nil {
			return err
		}
		services = append(services, c.etcdService(settings))
		go c.runControlPlane(ctx, settings)
	}
	for _, s := range services {
		if err := c.node.startService(s); err != nil {
			return err
		}
	}
	if settings.kube.CNI == "flannel" {
		go c.configureCNI(ctx)
	}
	return nil
}

func (c *cluster) writeControlPlane(s *clusterSettings, now time.Time) error {
	etcdFiles, err := etcd.Files(s.etcd, now)
	if err != nil {
		return err
	}
	kubeFiles, err := kube.Files(s.kube, now)
	if err != nil {
		return err
	}
	if _, err := file.Write(append(etcdFiles, kubeFiles...)); err != nil {
		return err
	}
	// What an earlier start rendered must wait until its needs are there again.
	for _, name := range []string{"kube-apiserver", "kube-controller-manager", "kube-scheduler"} {
		if err := os.Remove(kube.ManifestFolder + "/" + name + ".json"); err != nil && !os.IsNotExist(err) {
			return fmt.Errorf("remove static pod: %w", err)
		}
	}
	return nil
}

func (c *cluster) kubeletService(s *clusterSettings) service.Service {
	return service.Service{
		ID:    "kubelet",
		Needs: []string{"containerd"},
		Pre: func(context.Context) error {
			for _, folder := range []string{kubelet.ManifestFolder, "/var/lib/kubelet", "/var/log/pods", "/var/log/containers", "/etc/cni/net.d"} {
				if err := os.MkdirAll(folder, 0o700); err != nil {
					return fmt.Errorf("make folder: %w", err)
				}
			}
			return nil
		},
		Uses: []string{"etcd"},
		Runner: &withPods{node: c.node, Runner: &container.Runner{
			Spec:   func() (servicespec.Container, error) { return kubelet.Container(s.kubelet), nil },
			Output: c.node.logs.Open("kubelet"),
		}},
		Health: &service.Health{Check: kubelet.Healthy},
	}
}

// runControlPlane brings the static pods up in their order and applies the
// add-ons, and tries again what fails until ctx ends.
func (c *cluster) runControlPlane(ctx context.Context, s *clusterSettings) {
	steps := []struct {
		name string
		do   func(context.Context) error
	}{
		{"etcd membership", func(ctx context.Context) error { return c.promote(ctx, s) }},
		{"etcd to be healthy", func(ctx context.Context) error {
			return c.node.services.Await(ctx, "etcd", service.Status.Ready)
		}},
		{"API server's static pod", func(context.Context) error { return render(s, kube.APIServer) }},
		{"API server to be ready", c.apiReady},
		{"controllers' static pods", func(context.Context) error {
			return errors.Join(render(s, kube.ControllerManager), render(s, kube.Scheduler))
		}},
		{"add-ons", func(ctx context.Context) error { return c.applyAddons(ctx, s) }},
		{"node label", func(ctx context.Context) error { return c.labelNode(ctx, s) }},
	}
	for _, step := range steps {
		last := ""
		for {
			err := step.do(ctx)
			if err == nil {
				c.node.log.Info("control plane step is done", "step", step.name)
				break
			}
			if ctx.Err() != nil {
				return
			}
			if err.Error() != last {
				last = err.Error()
				c.node.log.Warn("control plane step is not done yet", "step", step.name, "error", err)
			}
			if !pause(ctx, 250*time.Millisecond) {
				return
			}
		}
	}
}

func render(s *clusterSettings, pod func(kube.Settings) (f fileSpec, err error)) error {
	f, err := pod(s.kube)
	if err != nil {
		return err
	}
	_, err = file.Write([]fileSpec{f})
	return err
}

func (c *cluster) apiReady(ctx context.Context) error {
	client, err := kube.NewClient(kube.AdminKubeconfig)
	if err != nil {
		return err
	}
	return client.Ready(ctx)
}

func (c *cluster) applyAddons(ctx context.Context, s *clusterSettings) error {
	objects, err := kube.Addons(s.kube)
	if err != nil {
		return err
	}
	client, err := kube.NewClient(kube.AdminKubeconfig)
	if err != nil {
		return err
	}
	var failures error
	for _, object := range objects {
		failures = errors.Join(failures, client.Apply(ctx, object))
	}
	return failures
}

func (c *cluster) labelNode(ctx context.Context, s *clusterSettings) error {
	client, err := kube.NewClient(kube.AdminKubeconfig)
	if err != nil {
		return err
	}
	return client.LabelNode(ctx, s.kube.NodeName, map[string]string{"node-role.kubernetes.io/control-plane": ""})
}

// configureCNI writes the network configuration once flannel is there.
func (c *cluster) configureCNI(ctx context.Context) {
	for {
		if _, err := os.Stat(kube.SubnetFile); err == nil {
			_, err := file.Write([]fileSpec{{Path: kube.CNIConfigPath, Content: []byte(kube.CNIConfig), Mode: 0o644}})
			if err == nil {
				return
			}
			c.node.log.Warn("pod network is not configured yet", "error", err)
		}
		if !pause(ctx, 200*time.Millisecond) {
			return
		}
	}
}

func pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
