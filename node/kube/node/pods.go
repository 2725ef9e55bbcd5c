package node

import (
	"context"

	kubespec "github.com/ichor-os/ichor/node/kube/spec"
	"github.com/ichor-os/ichor/resource"
)

var podStatuses = kubespec.StaticPodStatuses

// watchPods shows the static pods of this node as Kubernetes has them.
func (n *Node) watchPods(ctx context.Context, feed *resource.Feed[kubespec.StaticPodStatusSpec]) error {
	if err := feed.Replace(); err != nil {
		return err
	}
	selector := func() string {
		if name := n.name(ctx); name != "" {
			return "spec.nodeName=" + name
		}
		return ""
	}
	return follow(ctx, n.Client, "/api/v1/pods", selector,
		func(list []map[string]any) error {
			var items []resource.Item[kubespec.StaticPodStatusSpec]
			for _, o := range list {
				if item, static := podOf(o); static {
					items = append(items, item)
				}
			}
			return feed.Replace(items...)
		},
		func(o map[string]any, deleted bool) error {
			item, static := podOf(o)
			switch {
			case !static:
				return nil
			case deleted:
				return feed.Delete(item.ID)
			}
			return feed.Put(item)
		})
}

// podOf reads the status of a pod; static says that kubelet has it from a file.
func podOf(o map[string]any) (item resource.Item[kubespec.StaticPodStatusSpec], static bool) {
	p := into[struct {
		Metadata struct {
			Name, Namespace string
			Annotations     map[string]string
		}
	}](o)
	status, _ := o["status"].(map[string]any)
	item = resource.Item[kubespec.StaticPodStatusSpec]{ID: p.Metadata.Namespace + "/" + p.Metadata.Name, Spec: kubespec.StaticPodStatusSpec{Status: status}}
	return item, p.Metadata.Annotations["kubernetes.io/config.mirror"] != ""
}
