package kube

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"reflect"

	configspec "github.com/ichor-os/ichor/node/config/spec"
	"github.com/ichor-os/ichor/node/kube/spec"
	secretspec "github.com/ichor-os/ichor/node/secret/spec"
	servicespec "github.com/ichor-os/ichor/node/service/spec"
	"github.com/ichor-os/ichor/resource"
)

// reconcilePods says which static pods the control plane consists of. A pod
// starts when what it needs is there, and one that runs stays: only one of them
// changes at a time, the next when the API server is ready again.
func (c *ControlPlane) reconcilePods(_ context.Context, s *resource.Session) error {
	api, ok := spec.APIServerConfigs.Get(s, apiServer)
	manager, ok2 := spec.ControllerManagerConfigs.Get(s, controllerManager)
	plan, ok3 := spec.SchedulerConfigs.Get(s, scheduler)
	root, ok4 := secretspec.KubernetesRootSecrets.Get(s, "k8s")
	if !ok || !ok2 || !ok3 || !ok4 {
		return nil
	}
	_, ok = spec.SecretStatuses.Get(s, "static-pods")
	_, ok2 = spec.ConfigStatuses.Get(s, "static-pods")
	if !ok || !ok2 {
		return resource.Hold("waiting for the files of the control plane")
	}
	state, _ := spec.APIServerStates.Get(s)
	etcd, _ := servicespec.Services.Get(s, "etcd")
	wanted := []struct {
		component component
		enabled   bool
		// ready says that what the pod needs to start is there.
		ready bool
	}{
		{apiServerOf(api), true, etcd.Healthy},
		{controllerManagerOf(manager, root.Name), manager.Enabled, state.Ready},
		{schedulerOf(plan), plan.Enabled, state.Ready},
	}
	changing := s.Now().Sub(c.changed) < rolloutPause
	var failures error
	for _, w := range wanted {
		old, had := spec.StaticPods.Get(s, w.component.name)
		pod, err := w.component.pod(c.versions(w.component.name))
		if err != nil {
			failures = errors.Join(failures, err)
			pod = nil
		}
		switch {
		case !w.enabled:
		case pod == nil && had:
			spec.StaticPods.Put(s, w.component.name, old)
		case pod == nil:
		case !had && w.ready:
			spec.StaticPods.Put(s, w.component.name, spec.StaticPodSpec{Pod: pod})
		case had && reflect.DeepEqual(old.Pod, pod):
			spec.StaticPods.Put(s, w.component.name, old)
		case !had:
		case !changing && (state.Ready || w.component.name == apiServer):
			// An API server that does not serve may be healed by what changes.
			spec.StaticPods.Put(s, w.component.name, spec.StaticPodSpec{Pod: pod})
			changing, c.changed = true, s.Now()
		default:
			spec.StaticPods.Put(s, w.component.name, old)
		}
	}
	if wait := rolloutPause - s.Now().Sub(c.changed); wait > 0 {
		s.WakeAfter(wait)
	}
	// What is refused is said; the others go on.
	c.said.Tell(c.Log, slog.LevelError, "the control plane goes on as it was", failures)
	return nil
}

// reconcileConfigPods takes the static pods that the config holds.
func reconcileConfigPods(_ context.Context, s *resource.Session) error {
	c, ok, err := configspec.Config(s)
	if err != nil || !ok || c.Main() == nil || c.Main().Machine == nil {
		return err
	}
	for i, pod := range c.Main().Machine.Pods {
		metadata, _ := pod["metadata"].(map[string]any)
		name, _ := metadata["name"].(string)
		namespace, _ := metadata["namespace"].(string)
		if name == "" {
			return fmt.Errorf("machine.pods: pod %d has no name", i+1)
		}
		if namespace == "" {
			namespace = "default"
		}
		spec.StaticPods.Put(s, namespace+"-"+name, spec.StaticPodSpec{Pod: pod})
	}
	return nil
}

// MakeAuditFolder makes the folder of the API server's records, for the user
// that it runs as.
func MakeAuditFolder() error {
	if err := os.MkdirAll(auditFolder, 0o700); err != nil {
		return fmt.Errorf("make audit folder: %w", err)
	}
	if err := os.Chown(auditFolder, apiServerUID, apiServerUID); err != nil {
		return fmt.Errorf("make audit folder: %w", err)
	}
	return nil
}
