package spec

import "github.com/ichor-os/ichor/resource"

// APIServerStates tell whether this node's API server is ready. Clients do not
// see the kind.
var APIServerStates = resource.Define[APIServerStateSpec]("APIServerStates.kubernetes.ichor.dev",
	resource.Namespace("controlplane"), resource.Singleton("local"))

// APIServerStateSpec is the spec of [APIServerStates].
type APIServerStateSpec struct {
	Ready bool `yaml:"ready" protobuf:"1"`
}

// PodNetworks ask a node for the configuration of its pod network. Clients do not
// see the kind.
var PodNetworks = resource.Define[PodNetworkSpec]("PodNetworks.kubernetes.ichor.dev",
	resource.Namespace("k8s"), resource.Singleton("pod-network"))

// PodNetworkSpec is the spec of [PodNetworks].
type PodNetworkSpec struct {
	Name string `yaml:"name" protobuf:"1"`
}
