// Package kube renders the Kubernetes control plane of a node: its settings, the
// files that its programs read, and static pods.
//
// Reconcilers derive the settings of each component from the config; a
// ControlPlane writes files and static pods. A static pod changes only when
// something changes that its program reads at its start, so kubelet restarts
// nothing else; and one pod changes at a time.
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
	"sync"
	"time"

	filespec "github.com/ichor-os/ichor/node/file/spec"
	"github.com/ichor-os/ichor/node/kube/client"
	"github.com/ichor-os/ichor/node/kube/spec"
	kubeletspec "github.com/ichor-os/ichor/node/kubelet/spec"
	secretspec "github.com/ichor-os/ichor/node/secret/spec"
	"github.com/ichor-os/ichor/resource"
	"github.com/ichor-os/ichor/told"
)

// ControlPlane writes what the control plane of a node consists of.
type ControlPlane struct {
	// Write writes files to the node.
	Write func([]filespec.File) error
	// Folder gives the folder of static pods: whether people may put files of
	// their own in it is kubelet's setting.
	Folder func(own bool) string
	Log    *slog.Logger

	mu               sync.Mutex
	secrets, configs map[string]string // versions, by component
	said             told.Errors
	// changed is when a pod that ran was changed last; reconcilePods' own.
	changed time.Time
}

// Blocks are the blocks of the control plane.
func (c *ControlPlane) Blocks() []resource.Block {
	return []resource.Block{
		resource.Reconciler("control-plane-config", reconcileConfig),
		resource.Mirror("control-plane-secrets", secretspec.KubernetesSecrets, nil, c.ensureSecrets, keep[secretspec.KubernetesSecretSpec]),
		resource.Mirror("control-plane-files", spec.APIServerConfigs, nil, c.ensureConfigs, keep[spec.APIServerConfigSpec]),
		resource.Source("api-server-state", spec.APIServerStates, c.watchAPIServer),
		resource.Reconciler("control-plane-pods", c.reconcilePods),
		resource.Reconciler("config-pods", reconcileConfigPods),
		resource.Mirror("static-pods", spec.StaticPods, nil, c.ensurePod, c.removePod),
	}
}

// keep leaves files in memory where they are: they end with the node.
func keep[T any](context.Context, *resource.Session, resource.Resource[T]) error { return nil }

func (c *ControlPlane) setVersions(to *map[string]string, versions map[string]string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	*to = versions
}

func (c *ControlPlane) versions(component string) (config, secret string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.configs[component], c.secrets[component]
}

// Client gives a client of this node's API server, as its administrator.
func Client() (*client.Client, error) {
	text, err := os.ReadFile(AdminKubeconfig)
	if err != nil {
		return nil, fmt.Errorf("read kubeconfig: %w", err)
	}
	return client.New(text)
}

// Pauses between two looks at the API server.
const (
	untilReady = 250 * time.Millisecond
	whileReady = 2 * time.Second
)

// watchAPIServer shows whether this node's API server is ready, once there is
// one.
func (c *ControlPlane) watchAPIServer(ctx context.Context, feed *resource.Feed[spec.APIServerStateSpec]) error {
	for {
		pause := untilReady
		state := spec.APIServerStateSpec{}
		if api, err := Client(); err == nil {
			bounded, cancel := context.WithTimeout(ctx, 5*time.Second)
			state.Ready = api.Ready(bounded) == nil
			cancel()
			api.Close()
		} else if !errors.Is(err, os.ErrNotExist) {
			return err
		} else {
			pause = whileReady / 2
		}
		if state.Ready {
			pause = whileReady
		}
		if err := feed.Replace(resource.Item[spec.APIServerStateSpec]{ID: "local", Spec: state}); err != nil {
			return err
		}
		timer := time.NewTimer(pause)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return ctx.Err()
		}
	}
}

// Others asks the cluster's endpoint for its control planes but this one.
func (c *ControlPlane) Others(ctx context.Context, view func(context.Context, func(*resource.Session) error) error) ([]netip.Addr, error) {
	endpoint, own := "", []netip.Addr(nil)
	err := view(ctx, func(s *resource.Session) error {
		root, ok := secretspec.KubernetesRootSecrets.Get(s, "k8s")
		settled, ok2 := kubeletspec.SettledAddresses.Get(s)
		if !ok || !ok2 {
			return errors.New("the cluster's endpoint is not known yet")
		}
		endpoint, own = root.Endpoint.String(), settled.Addresses
		return nil
	})
	if err != nil {
		return nil, err
	}
	api, err := Client()
	if err != nil {
		return nil, err
	}
	defer api.Close()
	all, err := api.At(endpoint).ControlPlanes(ctx)
	return slices.DeleteFunc(all, func(a netip.Addr) bool { return slices.Contains(own, a) }), err
}

// manifests gives the folder of static pods, and the one that is not in use.
func (c *ControlPlane) manifests(s *resource.Session) (folder, other string, err error) {
	config, ok := kubeletspec.KubeletConfigs.Get(s, "kubelet")
	if !ok {
		return "", "", resource.Hold("waiting for kubelet's settings")
	}
	return c.Folder(config.DisableManifestsDirectory), c.Folder(!config.DisableManifestsDirectory), nil
}

func (c *ControlPlane) ensurePod(_ context.Context, s *resource.Session, r resource.Resource[spec.StaticPodSpec]) error {
	folder, other, err := c.manifests(s)
	if err != nil {
		return err
	}
	text, err := encode(r.Spec.Pod)
	if err != nil {
		return err
	}
	if err := removeFile(filepath.Join(other, fileName(r.ID))); err != nil {
		return err
	}
	return c.Write([]filespec.File{{Path: filepath.Join(folder, fileName(r.ID)), Content: text}})
}

func (c *ControlPlane) removePod(_ context.Context, _ *resource.Session, r resource.Resource[spec.StaticPodSpec]) error {
	return errors.Join(removeFile(filepath.Join(c.Folder(true), fileName(r.ID))), removeFile(filepath.Join(c.Folder(false), fileName(r.ID))))
}

// fileName marks the system's own files, so that people's are told from them.
func fileName(id string) string { return "ichor-" + id + ".json" }

func removeFile(path string) error {
	if err := os.Remove(path); err != nil && !os.IsNotExist(err) {
		return fmt.Errorf("remove static pod: %w", err)
	}
	return nil
}

// Clean takes away static pods of an earlier start of the node, which must wait
// until what they need is there again.
func (c *ControlPlane) Clean() error {
	var failures error
	for _, own := range []bool{true, false} {
		old, err := filepath.Glob(filepath.Join(c.Folder(own), "ichor-*.json"))
		failures = errors.Join(failures, err)
		for _, path := range old {
			failures = errors.Join(failures, removeFile(path))
		}
	}
	return failures
}

// rolloutPause is how long after one pod changed the next may: kubelet needs
// some time to end the old one, and until then it still answers.
const rolloutPause = 10 * time.Second
