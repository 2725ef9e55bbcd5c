package kubelet

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	configspec "github.com/ichor-os/ichor/node/config/spec"
	"github.com/ichor-os/ichor/node/kubelet/spec"
	"github.com/ichor-os/ichor/resource"
)

// controlPlaneRole is label and taint of control plane nodes.
const controlPlaneRole = "node-role.kubernetes.io/control-plane"

// reconcileNode says which labels, annotations and taints the node has.
func reconcileNode(_ context.Context, s *resource.Session) error {
	c, ok, err := configspec.Config(s)
	if err != nil || !ok || c.Main() == nil || c.Main().Machine == nil {
		return err
	}
	main := c.Main()
	labels, taints := maps.Clone(main.Machine.NodeLabels), main.Machine.NodeTaints
	if labels == nil {
		labels = map[string]string{}
	}
	if main.Machine.Type != "worker" {
		labels[controlPlaneRole] = ""
		if cluster := main.Cluster; cluster == nil || !isTrue(cluster.AllowSchedulingOnControlPlane) && !isTrue(cluster.AllowSchedulingOnMasters) {
			spec.NodeTaintSpecs.Put(s, controlPlaneRole, spec.NodeTaintSpecSpec{Key: controlPlaneRole, Effect: "NoSchedule"})
			taints = maps.Clone(taints)
			delete(taints, controlPlaneRole)
		}
	}
	for key, value := range labels {
		spec.NodeLabelSpecs.Put(s, key, spec.NodeLabelSpecSpec{Key: key, Value: value})
	}
	for key, value := range main.Machine.NodeAnnotations {
		spec.NodeAnnotationSpecs.Put(s, key, spec.NodeAnnotationSpecSpec{Key: key, Value: value})
	}
	for key, text := range taints {
		value, effect, found := strings.Cut(text, ":")
		if !found {
			value, effect = "", text
		}
		spec.NodeTaintSpecs.Put(s, key, spec.NodeTaintSpecSpec{Key: key, Value: value, Effect: effect})
	}
	return nil
}

// registration are the arguments with which a node registers: kubelet refuses
// labels that it may not set itself, which are set through the API later.
func registration(labels []spec.NodeLabelSpecSpec, taints []spec.NodeTaintSpecSpec) []string {
	var args, own []string
	for _, l := range labels {
		if MaySetItself(l.Key) {
			own = append(own, l.Key+"="+l.Value)
		}
	}
	if len(own) > 0 {
		slices.Sort(own)
		args = append(args, "--node-labels="+strings.Join(own, ","))
	}
	var list []string
	for _, t := range taints {
		list = append(list, fmt.Sprintf("%s=%s:%s", t.Key, t.Value, t.Effect))
	}
	if len(list) > 0 {
		slices.Sort(list)
		args = append(args, "--register-with-taints="+strings.Join(list, ","))
	}
	return args
}

// ownLabels are labels of Kubernetes' own domains that kubelet may set, besides
// those below node.kubernetes.io and kubelet.kubernetes.io.
var ownLabels = []string{
	"kubernetes.io/hostname", "kubernetes.io/arch", "kubernetes.io/os", "beta.kubernetes.io/arch", "beta.kubernetes.io/os",
	"beta.kubernetes.io/instance-type", "node.kubernetes.io/instance-type", "topology.kubernetes.io/region", "topology.kubernetes.io/zone",
	"failure-domain.beta.kubernetes.io/region", "failure-domain.beta.kubernetes.io/zone",
}

// MaySetItself reports whether a node may set a label on itself.
func MaySetItself(label string) bool {
	domain, _, found := strings.Cut(label, "/")
	if !found {
		return true
	}
	below := func(of string) bool { return domain == of || strings.HasSuffix(domain, "."+of) }
	if !below("kubernetes.io") && !below("k8s.io") {
		return true
	}
	return below("node.kubernetes.io") || below("kubelet.kubernetes.io") || slices.Contains(ownLabels, label)
}
