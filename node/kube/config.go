package kube

import (
	"context"
	"fmt"
	"maps"
	"net/netip"
	"slices"

	"github.com/ichor-os/ichor/config/document"
	"github.com/ichor-os/ichor/config/documents/v1alpha1"
	configspec "github.com/ichor-os/ichor/node/config/spec"
	"github.com/ichor-os/ichor/node/kube/spec"
	kubeletspec "github.com/ichor-os/ichor/node/kubelet/spec"
	"github.com/ichor-os/ichor/resource"
	"github.com/ichor-os/ichor/version"
)

// Names of the components, which are also the ids of their resources.
const (
	apiServer         = "kube-apiserver"
	controllerManager = "kube-controller-manager"
	scheduler         = "kube-scheduler"
)

// reconcileConfig says what the config wants of the control plane.
func reconcileConfig(_ context.Context, s *resource.Session) error {
	c, ok, err := configspec.Config(s)
	if err != nil || !ok {
		return err
	}
	main := c.Main()
	if main == nil || main.Machine == nil || main.Machine.Type == "worker" || main.Cluster == nil || main.Cluster.ControlPlane == nil {
		return nil
	}
	ips, ok := kubeletspec.NodeIPs.Get(s, "kubelet")
	if !ok {
		return resource.Hold("waiting for the node's addresses")
	}
	cluster := main.Cluster
	putAPIServer(s, cluster, ips.Addresses[0])
	pods, services := subnets(cluster)
	cm := cluster.ControllerManager
	if cm == nil {
		cm = &v1alpha1.ControllerManagerConfig{}
	}
	out := spec.ControllerManagerConfigSpec{
		Enabled: true, Image: orDefault(cm.Image, image(controllerManager)), CloudProvider: cloud(cluster), PodCIDRs: pods, ServiceCIDRs: services,
		ExtraArgs: arguments(cm.ExtraArgs), ExtraVolumes: volumes(cm.ExtraVolumes), EnvironmentVariables: cm.Env, Resources: resourcesOf(cm.Resources, "50m", "256Mi"),
	}
	if m := main.Machine.ControlPlane; m != nil && m.ControllerManager != nil {
		out.Enabled = !isTrue(m.ControllerManager.Disabled)
	}
	spec.ControllerManagerConfigs.Put(s, controllerManager, out)
	sched := cluster.Scheduler
	if sched == nil {
		sched = &v1alpha1.SchedulerConfig{}
	}
	plan := spec.SchedulerConfigSpec{
		Enabled: true, Image: orDefault(sched.Image, image(scheduler)), ExtraArgs: arguments(sched.ExtraArgs), ExtraVolumes: volumes(sched.ExtraVolumes),
		EnvironmentVariables: sched.Env, Resources: resourcesOf(sched.Resources, "10m", "64Mi"), Config: sched.Config,
	}
	if m := main.Machine.ControlPlane; m != nil && m.Scheduler != nil {
		plan.Enabled = !isTrue(m.Scheduler.Disabled)
	}
	spec.SchedulerConfigs.Put(s, scheduler, plan)
	return nil
}

func putAPIServer(s *resource.Session, cluster *v1alpha1.ClusterConfig, address netip.Addr) {
	api := cluster.APIServer
	if api == nil {
		api = &v1alpha1.APIServerConfig{}
	}
	_, services := subnets(cluster)
	spec.APIServerConfigs.Put(s, apiServer, spec.APIServerConfigSpec{
		Image: orDefault(api.Image, image(apiServer)), CloudProvider: cloud(cluster), ControlPlaneEndpoint: cluster.ControlPlane.Endpoint.String(),
		EtcdServers: []string{"https://127.0.0.1:2379"}, LocalPort: orDefault(cluster.ControlPlane.LocalAPIServerPort, 6443), ServiceCIDR: services,
		ExtraArgs: arguments(api.ExtraArgs), ExtraVolumes: volumes(api.ExtraVolumes), EnvironmentVariables: api.Env,
		AdvertisedAddress: address.String(), Resources: resourcesOf(api.Resources, "200m", "512Mi"),
	})
	var admission spec.AdmissionControlConfigSpec
	for _, plugin := range api.AdmissionControl {
		if plugin != nil {
			admission.Config = append(admission.Config, spec.AdmissionPluginSpec{Name: plugin.Name, Configuration: plugin.Configuration})
		}
	}
	spec.AdmissionControlConfigs.Put(s, "admission-control", admission)
	policy := map[string]any(api.AuditPolicy)
	if len(policy) == 0 {
		policy = map[string]any{"apiVersion": "audit.k8s.io/v1", "kind": "Policy", "rules": []any{map[string]any{"level": "Metadata"}}}
	}
	spec.AuditPolicyConfigs.Put(s, "audit-policy", spec.AuditPolicyConfigSpec{Config: policy})
	authorization := spec.AuthorizationConfigSpec{Image: orDefault(api.Image, image(apiServer)), Config: []spec.AuthorizationAuthorizersSpec{
		{Type: "Node", Name: "node"}, {Type: "RBAC", Name: "rbac"},
	}}
	for _, a := range api.AuthorizationConfig {
		if a == nil {
			continue
		}
		given := spec.AuthorizationAuthorizersSpec{Type: a.Type, Name: a.Name, Webhook: a.Webhook}
		same := func(b spec.AuthorizationAuthorizersSpec) bool { return b.Type == a.Type && a.Type != "Webhook" }
		authorization.Config = append(slices.DeleteFunc(authorization.Config, same), given)
	}
	spec.AuthorizationConfigs.Put(s, "authorization-config", authorization)
}

func image(component string) string {
	return "registry.k8s.io/" + component + ":v" + version.Kubernetes
}

func cloud(cluster *v1alpha1.ClusterConfig) string {
	if e := cluster.ExternalCloudProvider; e != nil && isTrue(e.Enabled) {
		return "external"
	}
	return ""
}

// subnets are those of pods and of services.
func subnets(cluster *v1alpha1.ClusterConfig) (pods, services []string) {
	pods, services = []string{"10.244.0.0/16"}, []string{"10.96.0.0/12"}
	if n := cluster.Network; n != nil {
		if len(n.PodSubnets) > 0 {
			pods = n.PodSubnets
		}
		if len(n.ServiceSubnets) > 0 {
			services = n.ServiceSubnets
		}
	}
	return pods, services
}

func orDefault[T comparable](value, fallback T) T {
	var zero T
	if value == zero {
		return fallback
	}
	return value
}

func isTrue(b *bool) bool { return b != nil && *b }

func arguments(in map[string]v1alpha1.Argument) map[string]spec.ArgValues {
	out := map[string]spec.ArgValues{}
	for name, argument := range in {
		out[name] = spec.ArgValues{Values: argument.Values}
	}
	return out
}

func volumes(in []v1alpha1.VolumeMountConfig) []spec.ExtraVolume {
	var out []spec.ExtraVolume
	for i, v := range in {
		out = append(out, spec.ExtraVolume{Name: fmt.Sprintf("extra-%d", i), HostPath: v.HostPath, MountPath: v.MountPath, Readonly: v.ReadOnly})
	}
	return out
}

// resourcesOf takes requests and limits; what is not asked for is as usual.
func resourcesOf(in *v1alpha1.ResourcesConfig, cpu, memory string) spec.Resources {
	out := spec.Resources{Requests: map[string]string{"cpu": cpu, "memory": memory}}
	if in == nil {
		return out
	}
	take := func(from document.Freeform) map[string]string {
		to := map[string]string{}
		for key, value := range from {
			to[key] = fmt.Sprint(value)
		}
		return to
	}
	maps.Copy(out.Requests, take(in.Requests))
	if len(in.Limits) > 0 {
		out.Limits = take(in.Limits)
	}
	return out
}
