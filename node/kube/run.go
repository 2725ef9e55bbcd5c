package kube

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"time"

	filespec "github.com/ichor-os/ichor/node/file/spec"
)

// ControlPlane brings up the control plane of a node.
type ControlPlane struct {
	Settings Settings
	// AwaitEtcd returns when this node's etcd can be used.
	AwaitEtcd func(context.Context) error
	// Write writes files to the node.
	Write func([]filespec.File) error
	Log   *slog.Logger
}

// retry is the pause before a step is tried again.
const retry = 250 * time.Millisecond

// Prepare writes keys and certificates, and takes away static pods of an earlier
// start, which must wait until what they need is there again.
func (c *ControlPlane) Prepare(now time.Time) error {
	files, err := Files(c.Settings, now)
	if err != nil {
		return err
	}
	if err := c.Write(files); err != nil {
		return err
	}
	for _, name := range []string{"kube-apiserver", "kube-controller-manager", "kube-scheduler"} {
		if err := os.Remove(filepath.Join(ManifestFolder, name+".json")); err != nil && !os.IsNotExist(err) {
			return fmt.Errorf("remove static pod: %w", err)
		}
	}
	return nil
}

// Run brings the static pods up in their order, applies the add-ons, and tries
// again what fails, until all is done or ctx ends.
func (c *ControlPlane) Run(ctx context.Context) {
	steps := []struct {
		name string
		do   func(context.Context) error
	}{
		{"etcd", c.AwaitEtcd},
		{"API server's static pod", func(context.Context) error { return c.render(APIServer) }},
		// The others start when the API server is ready, not when its port
		// opens: until then they would only fail and back off.
		{"API server to be ready", c.ready},
		{"controllers' static pods", func(context.Context) error {
			return errors.Join(c.render(ControllerManager), c.render(Scheduler))
		}},
		{"add-ons", c.applyAddons},
		{"node label", c.labelNode},
	}
	for _, step := range steps {
		last := ""
		for {
			err := step.do(ctx)
			if err == nil {
				c.Log.Info("control plane step is done", "step", step.name)
				break
			}
			if ctx.Err() != nil {
				return
			}
			if err.Error() != last {
				last = err.Error()
				c.Log.Warn("control plane step is not done yet", "step", step.name, "error", err)
			}
			if !pause(ctx, retry) {
				return
			}
		}
	}
}

func (c *ControlPlane) render(pod func(Settings) (filespec.File, error)) error {
	f, err := pod(c.Settings)
	if err != nil {
		return err
	}
	return c.Write([]filespec.File{f})
}

func (c *ControlPlane) ready(ctx context.Context) error {
	client, err := NewClient(AdminKubeconfig)
	if err != nil {
		return err
	}
	return client.Ready(ctx)
}

func (c *ControlPlane) applyAddons(ctx context.Context) error {
	objects, err := Addons(c.Settings)
	if err != nil {
		return err
	}
	client, err := NewClient(AdminKubeconfig)
	if err != nil {
		return err
	}
	var failures error
	for _, object := range objects {
		failures = errors.Join(failures, client.Apply(ctx, object))
	}
	return failures
}

func (c *ControlPlane) labelNode(ctx context.Context) error {
	client, err := NewClient(AdminKubeconfig)
	if err != nil {
		return err
	}
	return client.LabelNode(ctx, c.Settings.NodeName, map[string]string{"node-role.kubernetes.io/control-plane": ""})
}

// Others asks the cluster's endpoint for its control planes but this one.
func (c *ControlPlane) Others(ctx context.Context) ([]netip.Addr, error) {
	client, err := NewClient(AdminKubeconfig)
	if err != nil {
		return nil, err
	}
	all, err := client.At(c.Settings.Endpoint).ControlPlanes(ctx)
	return slices.DeleteFunc(all, func(a netip.Addr) bool { return a == c.Settings.Address }), err
}

// ConfigureCNI writes the network configuration once flannel is there.
func ConfigureCNI(ctx context.Context, write func([]filespec.File) error, log *slog.Logger) {
	for {
		if _, err := os.Stat(SubnetFile); err == nil {
			err := write([]filespec.File{{Path: CNIConfigPath, Content: []byte(CNIConfig), Mode: 0o644}})
			if err == nil {
				return
			}
			log.Warn("pod network is not configured yet", "error", err)
		}
		if !pause(ctx, retry) {
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
