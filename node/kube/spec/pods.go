package spec

import "go.yaml.in/yaml/v3"

// StaticPodSpec is the spec of [StaticPods]: a Pod of Kubernetes. In YAML it is
// the pod alone.
type StaticPodSpec struct {
	Pod map[string]any `protobuf:"1"`
}

// MarshalYAML gives the pod.
func (s StaticPodSpec) MarshalYAML() (any, error) { return s.Pod, nil }

// UnmarshalYAML reads the pod.
func (s *StaticPodSpec) UnmarshalYAML(node *yaml.Node) error { return node.Decode(&s.Pod) }

// StaticPodStatusSpec is the spec of [StaticPodStatuses]: the PodStatus that
// kubelet tells of. In YAML it is the status alone.
type StaticPodStatusSpec struct {
	Status map[string]any `protobuf:"1"`
}

// MarshalYAML gives the status.
func (s StaticPodStatusSpec) MarshalYAML() (any, error) { return s.Status, nil }

// UnmarshalYAML reads the status.
func (s *StaticPodStatusSpec) UnmarshalYAML(node *yaml.Node) error { return node.Decode(&s.Status) }
