package health

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// controlPlaneLabel marks control plane nodes in Kubernetes.
const controlPlaneLabel = "node-role.kubernetes.io/control-plane"

// node is a node as Kubernetes knows it.
type node struct {
	name, address string
	controlPlane  bool
	unschedulable bool
	notReady      string // why it is not Ready; empty if it is
}

func nodesOf(ctx context.Context, api Kubernetes) ([]node, error) {
	var list struct {
		Items []struct {
			Metadata struct {
				Name   string
				Labels map[string]string
			}
			Spec   struct{ Unschedulable bool }
			Status struct {
				Conditions []struct{ Type, Status, Message string }
				Addresses  []struct{ Type, Address string }
			}
		}
	}
	if err := api.Get(ctx, "/api/v1/nodes", &list); err != nil {
		return nil, err
	}
	var nodes []node
	for _, item := range list.Items {
		_, controlPlane := item.Metadata.Labels[controlPlaneLabel]
		n := node{name: item.Metadata.Name, controlPlane: controlPlane, unschedulable: item.Spec.Unschedulable, notReady: "its kubelet has not said yet"}
		for _, condition := range item.Status.Conditions {
			if condition.Type == "Ready" {
				n.notReady = ""
				if condition.Status != "True" {
					n.notReady = condition.Message
				}
			}
		}
		for _, address := range item.Status.Addresses {
			if address.Type == "InternalIP" && n.address == "" {
				n.address = address.Address
			}
		}
		nodes = append(nodes, n)
	}
	return nodes, nil
}

func (c *Cluster) ready(ctx context.Context) error {
	nodes, err := nodesOf(ctx, c.kubernetes)
	if err != nil {
		return err
	}
	var errs []error
	for _, n := range nodes {
		switch {
		case n.notReady != "":
			errs = append(errs, fmt.Errorf("node %s is not Ready: %s", n.name, n.notReady))
		case n.unschedulable:
			errs = append(errs, fmt.Errorf("node %s is cordoned: 'kubectl uncordon %s' ends that", n.name, n.name))
		}
	}
	return errors.Join(errs...)
}

// podsOf lists the pods of a label: their nodes, and why one is not ready.
func (c *Cluster) podsOf(ctx context.Context, app string) (on []string, waiting error, err error) {
	var list struct {
		Items []struct {
			Metadata struct{ Name string }
			Spec     struct{ NodeName string }
			Status   struct {
				Phase      string
				Conditions []struct{ Type, Status string }
			}
		}
	}
	path := "/api/v1/namespaces/kube-system/pods?labelSelector=" + url.QueryEscape("k8s-app="+app)
	if err := c.kubernetes.Get(ctx, path, &list); err != nil {
		return nil, nil, err
	}
	var errs []error
	for _, pod := range list.Items {
		ready := false
		for _, condition := range pod.Status.Conditions {
			ready = ready || condition.Type == "Ready" && condition.Status == "True"
		}
		if pod.Status.Phase != "Running" || !ready {
			errs = append(errs, fmt.Errorf("pod %s is not ready (%s)", pod.Metadata.Name, pod.Status.Phase))
		}
		on = append(on, pod.Spec.NodeName)
	}
	return on, errors.Join(errs...), nil
}

// staticPods checks that each control plane node has its pods.
func (c *Cluster) staticPods(ctx context.Context) error {
	for _, app := range []string{"kube-apiserver", "kube-controller-manager", "kube-scheduler"} {
		on, waiting, err := c.podsOf(ctx, app)
		if err := errors.Join(err, waiting); err != nil {
			return err
		}
		for _, n := range c.nodes {
			if n.controlPlane && !slices.Contains(on, n.name) {
				return fmt.Errorf("there is no pod of %s on %s: there are some on %s", app, n.name, strings.Join(on, ", "))
			}
		}
	}
	return nil
}

// An addon is a part of Kubernetes that the system runs as pods, unless the
// config of the cluster says otherwise.
type addon struct {
	// label of its pods; kind and name of what makes them.
	label, kind, name string
	// everywhere is true where each node has one.
	everywhere bool
}

// addon checks that the pods of an add-on are there and ready. One that the
// cluster has none of by its config is fine.
func (c *Cluster) addon(a addon) func(ctx context.Context) error {
	return func(ctx context.Context) error {
		on, waiting, err := c.podsOf(ctx, a.label)
		if err := errors.Join(err, waiting); err != nil {
			return err
		}
		if len(on) == 0 {
			wanted, err := c.wanted(ctx, a)
			if err == nil && wanted {
				err = fmt.Errorf("there is no pod of %s, which the cluster has by its config", a.name)
			}
			return err
		}
		for _, n := range c.nodes {
			if a.everywhere && !slices.Contains(on, n.name) {
				return fmt.Errorf("there is no pod of %s on %s: there are some on %s", a.name, n.name, strings.Join(on, ", "))
			}
		}
		return nil
	}
}

// wanted tells whether the cluster has an add-on by its config: what makes its
// pods is there, or the system's inventory of what it applied lists it.
func (c *Cluster) wanted(ctx context.Context, a addon) (bool, error) {
	var makers struct{ Items []struct{} }
	path := "/apis/apps/v1/namespaces/kube-system/" + strings.ToLower(a.kind) + "s?fieldSelector=" + url.QueryEscape("metadata.name="+a.name)
	if err := c.kubernetes.Get(ctx, path, &makers); err != nil || len(makers.Items) > 0 {
		return true, err
	}
	var inventories struct {
		Items []struct{ Data struct{ Objects string } }
	}
	if err := c.kubernetes.Get(ctx, "/api/v1/namespaces/kube-system/configmaps?fieldSelector="+url.QueryEscape("metadata.name=ichor-inventory"), &inventories); err != nil {
		return true, err
	}
	for _, inventory := range inventories.Items {
		var objects []struct{ Kind, Name string }
		if err := json.Unmarshal([]byte(inventory.Data.Objects), &objects); err != nil {
			return true, fmt.Errorf("read config map kube-system/ichor-inventory: %w", err)
		}
		if slices.Contains(objects, struct{ Kind, Name string }{a.kind, a.name}) {
			return true, nil
		}
	}
	return false, nil
}
