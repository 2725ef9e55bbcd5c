// Package spec holds the resources about kubelet and the Kubernetes node.
package spec

import "github.com/ichor-os/ichor/resource"

// The kinds of this noun.
var (
	// KubeletConfigs: what the config says of kubelet.
	KubeletConfigs = resource.Define[KubeletConfigSpec]("KubeletConfigs.kubernetes.talos.dev",
		resource.Namespace("k8s"), resource.DisplayType("KubeletConfig"), resource.Sensitive())
	// KubeletSpecs: how kubelet is to be started.
	KubeletSpecs = resource.Define[KubeletSpecSpec]("KubeletSpecs.kubernetes.talos.dev",
		resource.Namespace("k8s"), resource.DisplayType("KubeletSpec"), resource.Sensitive())
	// KubeletLifecycles: exists while kubelet may run.
	KubeletLifecycles = resource.Define[KubeletLifecycleSpec]("KubeletLifecycles.kubernetes.talos.dev",
		resource.Namespace("k8s"), resource.DisplayType("KubeletLifecycle"))
	// KubeletKubeconfigs: which kubeconfig kubelet has.
	KubeletKubeconfigs = resource.Define[KubeletKubeconfigSpec]("KubeletKubeconfigs.kubernetes.talos.dev",
		resource.Namespace("k8s"), resource.DisplayType("KubeletKubeconfig"), resource.Columns(
			resource.Column{Name: "Hash", Path: "{.hash}"},
		))
	// Nodenames: the name of the Kubernetes node.
	Nodenames = resource.Define[NodenameSpec]("Nodenames.kubernetes.talos.dev",
		resource.Namespace("k8s"), resource.DisplayType("Nodename"), resource.Columns(
			resource.Column{Name: "Nodename", Path: "{.nodename}"},
		))
	// NodeIPs: the addresses that kubelet announces.
	NodeIPs = resource.Define[NodeIPSpec]("NodeIPs.kubernetes.talos.dev",
		resource.Namespace("k8s"), resource.DisplayType("NodeIP"))
	// NodeIPConfigs: which addresses it may announce.
	NodeIPConfigs = resource.Define[NodeIPConfigSpec]("NodeIPConfigs.kubernetes.talos.dev",
		resource.Namespace("k8s"), resource.DisplayType("NodeIPConfig"))
	// NodeLabelSpecs: a label of the node.
	NodeLabelSpecs = resource.Define[NodeLabelSpecSpec]("NodeLabelSpecs.k8s.talos.dev",
		resource.Namespace("k8s"), resource.DisplayType("NodeLabelSpec"), resource.Sensitive(), resource.Columns(
			resource.Column{Name: "Value", Path: "{.value}"},
		))
	// NodeAnnotationSpecs: an annotation of the node.
	NodeAnnotationSpecs = resource.Define[NodeAnnotationSpecSpec]("NodeAnnotationSpecs.k8s.talos.dev",
		resource.Namespace("k8s"), resource.DisplayType("NodeAnnotationSpec"), resource.Sensitive(), resource.Columns(
			resource.Column{Name: "Value", Path: "{.value}"},
		))
	// NodeTaintSpecs: a taint of the node.
	NodeTaintSpecs = resource.Define[NodeTaintSpecSpec]("NodeTaintSpecs.k8s.talos.dev",
		resource.Namespace("k8s"), resource.DisplayType("NodeTaintSpec"), resource.Sensitive(), resource.Columns(
			resource.Column{Name: "Effect", Path: "{.effect}"},
			resource.Column{Name: "Value", Path: "{.value}"},
		))
	// NodeCordonedSpecs: asks to take no more pods.
	NodeCordonedSpecs = resource.Define[NodeCordonedSpecSpec]("NodeCordonedSpecs.k8s.talos.dev",
		resource.Namespace("k8s"), resource.DisplayType("NodeCordonedSpec"), resource.Sensitive())
	// NodeStatuses: the node as Kubernetes has it.
	NodeStatuses = resource.Define[NodeStatusSpec]("NodeStatuses.kubernetes.talos.dev",
		resource.Namespace("k8s"), resource.DisplayType("NodeStatus"), resource.Columns(
			resource.Column{Name: "Ready", Path: "{.nodeReady}"},
			resource.Column{Name: "Unschedulable", Path: "{.unschedulable}"},
		))
)

// Kinds lists them.
func Kinds() []resource.AnyKind {
	return []resource.AnyKind{
		KubeletConfigs,
		KubeletSpecs,
		KubeletLifecycles,
		KubeletKubeconfigs,
		Nodenames,
		NodeIPs,
		NodeIPConfigs,
		NodeLabelSpecs,
		NodeAnnotationSpecs,
		NodeTaintSpecs,
		NodeCordonedSpecs,
		NodeStatuses,
	}
}
