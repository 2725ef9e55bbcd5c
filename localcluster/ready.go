package localcluster

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"google.golang.org/protobuf/types/known/emptypb"

	machinepb "github.com/ichor-os/ichor/api/machine"
	"github.com/ichor-os/ichor/client"
	"github.com/ichor-os/ichor/client/health"
	"github.com/ichor-os/ichor/pki/kubeconfig"
)

// Bounds of the steps of Create.
const (
	configureTimeout = 3 * time.Minute
	bootstrapTimeout = 2 * time.Minute
	readyTimeout     = 3 * time.Minute
)

// Client connects to the cluster's API as its administrator.
func (c *Cluster) Client() (*client.Client, error) {
	context, err := c.Talosconfig.Get(c.Spec.Name)
	if err != nil {
		return nil, err
	}
	options, err := client.FromContext(c.Spec.Name, context, nil)
	if err != nil {
		return nil, err
	}
	return client.New(options)
}

// bootstrapFirst makes etcd on the first control plane node.
func bootstrapFirst(ctx context.Context, c *Cluster) error {
	ctx, cancel := context.WithTimeout(ctx, bootstrapTimeout)
	defer cancel()
	node, err := c.Client()
	if err != nil {
		return err
	}
	defer node.Close()
	target := client.WithNode(ctx, c.Spec.Nodes[0].Address.String())
	err = poll(target, func(ctx context.Context) error {
		_, err := node.Machine.Bootstrap(ctx, &machinepb.BootstrapRequest{})
		return err
	})
	if err != nil {
		return fmt.Errorf("bootstrap: %s: %w", c.Spec.Nodes[0].Name, err)
	}
	return nil
}

// kubeconfig asks for an administrator's kubeconfig and points it at this
// computer's loopback address of the cluster.
func (c *Cluster) kubeconfig(ctx context.Context) ([]byte, error) {
	node, err := c.Client()
	if err != nil {
		return nil, err
	}
	defer node.Close()
	stream, err := node.Machine.Kubeconfig(client.WithNode(ctx, c.Spec.Nodes[0].Address.String()), &emptypb.Empty{})
	if err != nil {
		return nil, fmt.Errorf("get kubeconfig: %w", err)
	}
	var archive bytes.Buffer
	for {
		data, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("get kubeconfig: %w", err)
		}
		archive.Write(data.GetBytes())
	}
	zipped, err := gzip.NewReader(&archive)
	if err != nil {
		return nil, fmt.Errorf("unpack kubeconfig: %w", err)
	}
	files := tar.NewReader(zipped)
	if _, err := files.Next(); err != nil {
		return nil, fmt.Errorf("unpack kubeconfig: %w", err)
	}
	text, err := io.ReadAll(io.LimitReader(files, 1<<20))
	if err != nil {
		return nil, fmt.Errorf("unpack kubeconfig: %w", err)
	}
	return []byte(strings.ReplaceAll(string(text), c.Spec.Gateway().String(), c.Spec.LoopbackEndpoint().String())), nil
}

// awaitReady waits until every node is Ready and so is the name service.
func (c *Cluster) awaitReady(ctx context.Context, ready func(node string)) error {
	ctx, cancel := context.WithTimeout(ctx, readyTimeout)
	defer cancel()
	api, err := NewAPI(c.Kubeconfig)
	if err != nil {
		return err
	}
	told := map[string]bool{}
	return poll(ctx, func(ctx context.Context) error {
		states, err := api.Nodes(ctx)
		if err != nil {
			return err
		}
		for _, node := range c.Spec.Nodes {
			if !states[node.Name] {
				return fmt.Errorf("node %s is not Ready yet", node.Name)
			}
			if !told[node.Name] {
				told[node.Name] = true
				ready(node.Name)
			}
		}
		return api.DeploymentReady(ctx, "kube-system", "coredns")
	})
}

// API reads from the Kubernetes API what tells that a cluster works.
type API struct{ health.Kubernetes }

// NewAPI makes an API from a kubeconfig with one user.
func NewAPI(text []byte) (*API, error) {
	config, err := kubeconfig.Parse(text)
	if err != nil {
		return nil, err
	}
	api, err := health.NewKubernetes(config)
	if err != nil {
		return nil, err
	}
	return &API{api}, nil
}

// Nodes says of each node whether it is Ready.
func (a *API) Nodes(ctx context.Context) (map[string]bool, error) {
	var list struct {
		Items []struct {
			Metadata struct{ Name string }
			Status   struct {
				Conditions []struct{ Type, Status string }
			}
		}
	}
	if err := a.Get(ctx, "/api/v1/nodes", &list); err != nil {
		return nil, err
	}
	states := map[string]bool{}
	for _, item := range list.Items {
		states[item.Metadata.Name] = false
		for _, condition := range item.Status.Conditions {
			if condition.Type == "Ready" && condition.Status == "True" {
				states[item.Metadata.Name] = true
			}
		}
	}
	return states, nil
}

// DeploymentReady is nil when every replica of the deployment is ready.
func (a *API) DeploymentReady(ctx context.Context, namespace, name string) error {
	var deployment struct {
		Spec   struct{ Replicas int }
		Status struct{ ReadyReplicas int }
	}
	if err := a.Get(ctx, "/apis/apps/v1/namespaces/"+namespace+"/deployments/"+name, &deployment); err != nil {
		return err
	}
	if deployment.Status.ReadyReplicas < deployment.Spec.Replicas {
		return fmt.Errorf("deployment %s/%s: %d of %d replicas are ready", namespace, name, deployment.Status.ReadyReplicas, deployment.Spec.Replicas)
	}
	return nil
}
