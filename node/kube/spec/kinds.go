// Package spec holds the resources about the Kubernetes control plane on a node.
package spec

import "github.com/ichor-os/ichor/resource"

// The kinds of this noun.
var (
	// APIServerConfigs: how the API server is to run.
	APIServerConfigs = resource.Define[APIServerConfigSpec]("APIServerConfigs.kubernetes.talos.dev",
		resource.Namespace("controlplane"), resource.DisplayType("APIServerConfig"), resource.Sensitive())
	// ControllerManagerConfigs: how the controller manager is to run.
	ControllerManagerConfigs = resource.Define[ControllerManagerConfigSpec]("ControllerManagerConfigs.kubernetes.talos.dev",
		resource.Namespace("controlplane"), resource.DisplayType("ControllerManagerConfig"))
	// SchedulerConfigs: how the scheduler is to run.
	SchedulerConfigs = resource.Define[SchedulerConfigSpec]("SchedulerConfigs.kubernetes.talos.dev",
		resource.Namespace("controlplane"), resource.DisplayType("SchedulerConfig"))
	// AdmissionControlConfigs: the admission plugins of the API server.
	AdmissionControlConfigs = resource.Define[AdmissionControlConfigSpec]("AdmissionControlConfigs.kubernetes.talos.dev",
		resource.Namespace("controlplane"), resource.DisplayType("AdmissionControlConfig"))
	// AuditPolicyConfigs: what the API server records.
	AuditPolicyConfigs = resource.Define[AuditPolicyConfigSpec]("AuditPolicyConfigs.kubernetes.talos.dev",
		resource.Namespace("controlplane"), resource.DisplayType("AuditPolicyConfig"), resource.Sensitive())
	// AuthorizationConfigs: who may do what at the API server.
	AuthorizationConfigs = resource.Define[AuthorizationConfigSpec]("AuthorizationConfigs.kubernetes.talos.dev",
		resource.Namespace("controlplane"), resource.DisplayType("AuthorizationConfig"), resource.Sensitive())
	// BootstrapManifestsConfigs: what a new cluster is given.
	BootstrapManifestsConfigs = resource.Define[BootstrapManifestsConfigSpec]("BootstrapManifestsConfigs.kubernetes.talos.dev",
		resource.Namespace("controlplane"), resource.DisplayType("BootstrapManifestsConfig"))
	// ExtraManifestsConfigs: what the config adds to that.
	ExtraManifestsConfigs = resource.Define[ExtraManifestsConfigSpec]("ExtraManifestsConfigs.kubernetes.talos.dev",
		resource.Namespace("controlplane"), resource.DisplayType("ExtraManifestsConfig"))
	// Manifests: objects that are applied to the cluster.
	Manifests = resource.Define[ManifestSpec]("Manifests.kubernetes.talos.dev",
		resource.Namespace("controlplane"), resource.DisplayType("Manifest"))
	// ManifestStatuses: objects that have been applied.
	ManifestStatuses = resource.Define[ManifestStatusSpec]("ManifestStatuses.kubernetes.talos.dev",
		resource.Namespace("controlplane"), resource.DisplayType("ManifestStatus"))
	// ConfigStatuses: whether the control plane's files are written.
	ConfigStatuses = resource.Define[ConfigStatusSpec]("ConfigStatuses.kubernetes.talos.dev",
		resource.Namespace("controlplane"), resource.DisplayType("ConfigStatus"), resource.Columns(
			resource.Column{Name: "Ready", Path: "{.ready}"},
			resource.Column{Name: "Secrets Version", Path: "{.version}"},
		))
	// SecretStatuses: whether the control plane's secrets are written.
	SecretStatuses = resource.Define[SecretStatusSpec]("SecretStatuses.kubernetes.talos.dev",
		resource.Namespace("controlplane"), resource.DisplayType("SecretStatus"), resource.Columns(
			resource.Column{Name: "Ready", Path: "{.ready}"},
			resource.Column{Name: "Secrets Version", Path: "{.version}"},
		))
	// Endpoints: the API servers that Kubernetes tells of.
	Endpoints = resource.Define[EndpointSpec]("Endpoints.kubernetes.talos.dev",
		resource.Namespace("controlplane"), resource.DisplayType("Endpoint"), resource.Columns(
			resource.Column{Name: "Addresses", Path: "{.addresses}"},
			resource.Column{Name: "Hosts", Path: "{.hosts}"},
		))
	// StaticPods: a pod that kubelet runs from the node.
	StaticPods = resource.Define[StaticPodSpec]("StaticPods.kubernetes.talos.dev",
		resource.Namespace("k8s"), resource.DisplayType("StaticPod"))
	// StaticPodStatuses: a static pod as kubelet tells of it.
	StaticPodStatuses = resource.Define[StaticPodStatusSpec]("StaticPodStatuses.kubernetes.talos.dev",
		resource.Namespace("k8s"), resource.DisplayType("StaticPodStatus"), resource.Aliases("podstatus"), resource.Columns(
			resource.Column{Name: "Ready", Path: `{.conditions[?(@.type=="Ready")].status}`},
		))
	// StaticPodServerStatuses: where kubelet reads static pods.
	StaticPodServerStatuses = resource.Define[StaticPodServerStatusSpec]("StaticPodServerStatuses.kubernetes.talos.dev",
		resource.Namespace("k8s"), resource.DisplayType("StaticPodServerStatus"))
)

// Kinds lists them.
func Kinds() []resource.AnyKind {
	return []resource.AnyKind{
		APIServerConfigs,
		ControllerManagerConfigs,
		SchedulerConfigs,
		AdmissionControlConfigs,
		AuditPolicyConfigs,
		AuthorizationConfigs,
		BootstrapManifestsConfigs,
		ExtraManifestsConfigs,
		Manifests,
		ManifestStatuses,
		ConfigStatuses,
		SecretStatuses,
		Endpoints,
		StaticPods,
		StaticPodStatuses,
		StaticPodServerStatuses,
	}
}
