// Package node keeps what a config says of the Kubernetes node true in the
// cluster: labels, annotations, taints and whether it takes pods. It also shows
// the node and its static pods as Kubernetes knows them, and signs in kubelets:
// what a control plane node's approver lets through is narrow.
package node

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"net/netip"
	"net/url"
	"slices"
	"time"

	"github.com/ichor-os/ichor/node/kube/client"
	kubeletspec "github.com/ichor-os/ichor/node/kubelet/spec"
	"github.com/ichor-os/ichor/resource"
)

// Node keeps this machine's node as its config says.
type Node struct {
	// Client gives a client with this node's rights; Admin one with all rights,
	// on control plane nodes alone. Both fail while there is no identity yet.
	Client, Admin func() (*client.Client, error)
	// View reads the node's resources.
	View func(context.Context, func(*resource.Session) error) error
	// MaySetItself reports whether a node without all rights may set a label.
	MaySetItself func(label string) bool
	Log          *slog.Logger
}

// Blocks are the blocks of the node.
func (n *Node) Blocks() []resource.Block {
	return []resource.Block{
		resource.Source("node-status", kubeletspec.NodeStatuses, n.watch),
		resource.Mirror("node-keep", kubeletspec.Nodenames, kubeletspec.NodeStatuses, n.ensure, func(context.Context, *resource.Session, resource.Resource[kubeletspec.NodenameSpec]) error {
			return nil
		}),
		resource.Source("kubelet-requests", requests, n.watchRequests),
		resource.Mirror("kubelet-approval", requests, nil, n.approve, func(context.Context, *resource.Session, resource.Resource[requestSpec]) error { return nil }),
		resource.Source("static-pod-status", podStatuses, n.watchPods),
	}
}

// pause is the time between two tries to reach an API server.
const pause = time.Second

func wait(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// name is the node's, once it is known.
func (n *Node) name(ctx context.Context) string {
	name := ""
	_ = n.View(ctx, func(s *resource.Session) error {
		node, ok := kubeletspec.Nodenames.Get(s, "nodename")
		if ok && !node.SkipNodeRegistration {
			name = node.Nodename
		}
		return nil
	})
	return name
}

// follow keeps a collection followed until ctx ends; what is known stays while
// the API server cannot be reached.
func follow(ctx context.Context, connect func() (*client.Client, error), path string, selector func() string,
	all func([]map[string]any) error, change func(map[string]any, bool) error,
) error {
	for {
		if field := selector(); field != "" {
			if api, err := connect(); err == nil {
				_ = api.Follow(ctx, path, field, all, change)
				api.Close()
			}
		}
		if err := wait(ctx, pause); err != nil {
			return err
		}
	}
}

// watch shows this node as Kubernetes has it.
func (n *Node) watch(ctx context.Context, feed *resource.Feed[kubeletspec.NodeStatusSpec]) error {
	if err := feed.Replace(); err != nil {
		return err
	}
	show := func(o map[string]any) resource.Item[kubeletspec.NodeStatusSpec] {
		status := statusOf(o)
		return resource.Item[kubeletspec.NodeStatusSpec]{ID: status.Nodename, Spec: status}
	}
	selector := func() string {
		if name := n.name(ctx); name != "" {
			return "metadata.name=" + name
		}
		return ""
	}
	return follow(ctx, n.Client, "/api/v1/nodes", selector,
		func(list []map[string]any) error {
			var items []resource.Item[kubeletspec.NodeStatusSpec]
			for _, o := range list {
				items = append(items, show(o))
			}
			return feed.Replace(items...)
		},
		func(o map[string]any, deleted bool) error {
			item := show(o)
			if deleted {
				return feed.Delete(item.ID)
			}
			return feed.Put(item)
		})
}

// nodeObject is what is read of a node.
type nodeObject struct {
	Metadata struct {
		Name                string
		Labels, Annotations map[string]string
	}
	Spec struct {
		Unschedulable bool
		PodCIDRs      []netip.Prefix
		Taints        []taint
	}
	Status struct {
		Conditions []struct{ Type, Status string }
		Addresses  []struct{ Type, Address string }
	}
}

type taint struct {
	Key    string `json:"key"`
	Value  string `json:"value,omitempty"`
	Effect string `json:"effect"`
	Added  string `json:"timeAdded,omitempty"`
}

func into[T any](o map[string]any) T {
	var out T
	if text, err := json.Marshal(o); err == nil {
		_ = json.Unmarshal(text, &out)
	}
	return out
}

func statusOf(o map[string]any) kubeletspec.NodeStatusSpec {
	node := into[nodeObject](o)
	out := kubeletspec.NodeStatusSpec{
		Nodename: node.Metadata.Name, Unschedulable: node.Spec.Unschedulable, Labels: node.Metadata.Labels, Annotations: node.Metadata.Annotations,
		PodCIDRs: node.Spec.PodCIDRs,
	}
	for _, c := range node.Status.Conditions {
		out.NodeReady = out.NodeReady || c.Type == "Ready" && c.Status == "True"
	}
	return out
}

// Annotations that say which of the node's keys are this system's to take away.
const (
	ownedLabels      = "talos.dev/owned-labels"
	ownedAnnotations = "talos.dev/owned-annotations"
	ownedTaints      = "talos.dev/owned-taints"
	ownCordon        = "ichor.dev/cordoned"
)

// ensure sets what the config wants of the node, and takes away what it wanted
// before and does not any more. What others set stays.
func (n *Node) ensure(ctx context.Context, s *resource.Session, r resource.Resource[kubeletspec.NodenameSpec]) error {
	if _, ok := kubeletspec.NodeStatuses.Get(s, r.Spec.Nodename); !ok {
		return resource.Hold("waiting for the node to register")
	}
	api, err := n.Client()
	if err != nil {
		return err
	}
	defer api.Close()
	_, adminErr := n.Admin()
	path := "/api/v1/nodes/" + url.PathEscape(r.Spec.Nodename)
	var node nodeObject
	if err := api.Get(ctx, path, &node); err != nil {
		return err
	}
	w := wanted{labels: map[string]string{}, annotations: map[string]string{}}
	for _, l := range kubeletspec.NodeLabelSpecs.List(s) {
		if adminErr == nil || n.MaySetItself(l.Spec.Key) {
			w.labels[l.Spec.Key] = l.Spec.Value
		} else if _, set := node.Metadata.Labels[l.Spec.Key]; !set {
			n.Log.Warn("a worker may not set this label on itself: set it with kubectl", "label", l.Spec.Key)
		}
	}
	for _, a := range kubeletspec.NodeAnnotationSpecs.List(s) {
		w.annotations[a.Spec.Key] = a.Spec.Value
	}
	for _, t := range kubeletspec.NodeTaintSpecs.List(s) {
		w.taints = append(w.taints, taint{Key: t.Spec.Key, Value: t.Spec.Value, Effect: t.Spec.Effect})
	}
	w.cordoned = len(kubeletspec.NodeCordonedSpecs.List(s)) > 0
	change := w.change(node, adminErr == nil)
	if change == nil {
		return nil
	}
	if err := api.Merge(ctx, path, change); err != nil {
		return fmt.Errorf("set labels, annotations and taints of the node: %w", err)
	}
	return nil
}

// wanted is what the config wants of a node.
type wanted struct {
	labels, annotations map[string]string
	taints              []taint
	cordoned            bool
}

// change is the merge patch that makes a node as wanted, nil where it is. Who
// has not all rights leaves taints alone: the API server takes none of a node's
// own after its registration.
func (w wanted) change(node nodeObject, all bool) map[string]any {
	annotations, labels := map[string]any{}, map[string]any{}
	owned := func(annotation string) []string {
		var list []string
		_ = json.Unmarshal([]byte(node.Metadata.Annotations[annotation]), &list)
		return list
	}
	own := func(annotation string, keys []string) {
		text, err := json.Marshal(keys)
		if old, had := node.Metadata.Annotations[annotation]; err == nil && old != string(text) && (had || len(keys) > 0) {
			annotations[annotation] = string(text)
		}
	}
	lay := func(want, have map[string]string, before []string, to map[string]any) []string {
		for key, value := range want {
			if old, ok := have[key]; !ok || old != value {
				to[key] = value
			}
		}
		for _, key := range before {
			if _, ok := want[key]; !ok {
				if _, there := have[key]; there {
					to[key] = nil
				}
			}
		}
		return slices.Sorted(maps.Keys(want))
	}
	own(ownedLabels, lay(w.labels, node.Metadata.Labels, owned(ownedLabels), labels))
	own(ownedAnnotations, lay(w.annotations, node.Metadata.Annotations, owned(ownedAnnotations), annotations))
	spec := map[string]any{}
	if all {
		taints, keys, differ := w.lay(node.Spec.Taints, owned(ownedTaints))
		if differ {
			spec["taints"] = taints
		}
		own(ownedTaints, keys)
	}
	_, cordonedByUs := node.Metadata.Annotations[ownCordon]
	switch {
	case w.cordoned && !node.Spec.Unschedulable:
		spec["unschedulable"], annotations[ownCordon] = true, "true"
	case !w.cordoned && cordonedByUs:
		spec["unschedulable"], annotations[ownCordon] = nil, nil
	}
	change, metadata := map[string]any{}, map[string]any{}
	if len(labels) > 0 {
		metadata["labels"] = labels
	}
	if len(annotations) > 0 {
		metadata["annotations"] = annotations
	}
	if len(metadata) > 0 {
		change["metadata"] = metadata
	}
	if len(spec) > 0 {
		change["spec"] = spec
	}
	if len(change) == 0 {
		return nil
	}
	return change
}

// lay puts wanted taints over those that a node has.
func (w wanted) lay(have []taint, before []string) (list []taint, keys []string, differ bool) {
	for _, t := range have {
		i := slices.IndexFunc(w.taints, func(o taint) bool { return o.Key == t.Key })
		switch {
		case i < 0 && slices.Contains(before, t.Key):
			differ = true
		case i >= 0 && (w.taints[i].Effect != t.Effect || w.taints[i].Value != t.Value):
			differ = true
		default:
			list = append(list, t)
		}
	}
	for _, t := range w.taints {
		keys = append(keys, t.Key)
		if !slices.ContainsFunc(list, func(o taint) bool { return o.Key == t.Key }) {
			list, differ = append(list, t), true
		}
	}
	return list, keys, differ
}
