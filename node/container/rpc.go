// Package container looks at the containers that run on a node: those of its
// services, in containerd's namespace system, and those of pods, in k8s.io.
//
// Containers of pods are named NAMESPACE/POD:CONTAINER, the pod itself
// NAMESPACE/POD, as users of Kubernetes know them; ids of containerd are taken,
// too. What runs the services is not here, see package service.
package container

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/containerd/errdefs"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	commonpb "github.com/ichor-os/ichor/api/common"
	machinepb "github.com/ichor-os/ichor/api/machine"
)

// The namespaces.
const (
	System     = "system"
	Kubernetes = "k8s.io"
)

// Container is one container.
type Container struct {
	// ID is containerd's.
	ID, Image string
	// PID of its first process; 0 if it does not run.
	PID uint32
	// Status as the runtime says it: created, running, stopped, paused.
	Status string
	// Pod, PodNamespace, PodUID and Name are empty outside of pods; Name is
	// empty for the pod's own container.
	Pod, PodNamespace, PodUID, Name string
	// NetworkNamespace is a path; empty for the node's own.
	NetworkNamespace string
}

// sandbox reports whether it is the container that holds a pod's namespaces.
func (c Container) sandbox() bool { return c.Pod != "" && c.Name == "" }

// pod is the id of the pod, or of a container outside of pods.
func (c Container) pod() string {
	if c.Pod == "" {
		return c.ID
	}
	return c.PodNamespace + "/" + c.Pod
}

// id is the name by which users call the container.
func (c Container) id() string {
	if c.Pod == "" || c.sandbox() {
		return c.pod()
	}
	return c.pod() + ":" + c.Name
}

// name is the container's own, in its pod.
func (c Container) name() string {
	switch {
	case c.Pod == "":
		return c.ID
	case c.sandbox():
		return c.Pod
	}
	return c.Name
}

// Use is what a container uses.
type Use struct {
	Memory uint64 // bytes, without file pages that can be dropped
	CPU    uint64 // nanoseconds of processor time since its start
}

// Engine is where containers are; Containerd is the real one.
type Engine interface {
	List(ctx context.Context, namespace string) ([]Container, error)
	// Use says what a running container uses.
	Use(ctx context.Context, namespace, id string) (Use, error)
	// End ends a container's processes; whoever started it starts it again.
	End(ctx context.Context, namespace, id string) error
}

// RPC serves the methods of MachineService about containers.
type RPC struct{ Engine Engine }

// namespaceOf takes the namespace of a request; without one its driver says.
func namespaceOf(name string, driver commonpb.ContainerDriver) (string, error) {
	if name == "" {
		name = System
		if driver == commonpb.ContainerDriver_CRI {
			name = Kubernetes
		}
	}
	if name != System && name != Kubernetes {
		return "", status.Errorf(codes.InvalidArgument, "namespace %q: there are %s and %s", name, System, Kubernetes)
	}
	return name, nil
}

func (r RPC) list(ctx context.Context, namespace string) ([]Container, error) {
	all, err := r.Engine.List(ctx, namespace)
	if err != nil {
		return nil, code("list containers", err)
	}
	slices.SortFunc(all, func(a, b Container) int {
		return strings.Compare(a.id()+"\x00"+a.ID, b.id()+"\x00"+b.ID)
	})
	return all, nil
}

func code(what string, err error) error {
	switch {
	case errdefs.IsNotFound(err):
		return status.Errorf(codes.NotFound, "%s: %v", what, err)
	case errors.Is(err, context.DeadlineExceeded):
		return status.Errorf(codes.DeadlineExceeded, "%s: %v", what, err)
	}
	return status.Errorf(codes.Unavailable, "%s: %v: 'talosctl service containerd' says how it is", what, err)
}

// Containers implements MachineService.
func (r RPC) Containers(ctx context.Context, in *machinepb.ContainersRequest) (*machinepb.ContainersResponse, error) {
	namespace, err := namespaceOf(in.GetNamespace(), in.GetDriver())
	if err != nil {
		return nil, err
	}
	all, err := r.list(ctx, namespace)
	if err != nil {
		return nil, err
	}
	answer := &machinepb.Container{}
	for _, c := range all {
		answer.Containers = append(answer.Containers, &machinepb.ContainerInfo{
			Namespace: namespace, Id: c.id(), Image: c.Image, Pid: c.PID, Status: statusText(c), PodId: c.pod(), Name: c.name(),
			NetworkNamespace: c.NetworkNamespace, InternalId: c.ID, Uid: c.PodUID,
		})
	}
	return &machinepb.ContainersResponse{Messages: []*machinepb.Container{answer}}, nil
}

// statusText is the state in the words of whoever runs the container.
func statusText(c Container) string {
	if c.Pod == "" {
		return strings.ToUpper(c.Status)
	}
	if c.sandbox() {
		if c.Status == "running" {
			return "SANDBOX_READY"
		}
		return "SANDBOX_NOTREADY"
	}
	switch c.Status {
	case "running", "paused":
		return "CONTAINER_RUNNING"
	case "created":
		return "CONTAINER_CREATED"
	case "stopped":
		return "CONTAINER_EXITED"
	}
	return "CONTAINER_UNKNOWN"
}

// Stats implements MachineService. A container that ends meanwhile is left out.
func (r RPC) Stats(ctx context.Context, in *machinepb.StatsRequest) (*machinepb.StatsResponse, error) {
	namespace, err := namespaceOf(in.GetNamespace(), in.GetDriver())
	if err != nil {
		return nil, err
	}
	all, err := r.list(ctx, namespace)
	if err != nil {
		return nil, err
	}
	answer := &machinepb.Stats{}
	for _, c := range all {
		if c.Status != "running" {
			continue
		}
		use, err := r.Engine.Use(ctx, namespace, c.ID)
		if errdefs.IsNotFound(err) {
			continue
		}
		if err != nil {
			return nil, code("measure container "+c.id(), err)
		}
		answer.Stats = append(answer.Stats, &machinepb.Stat{
			Namespace: namespace, Id: c.id(), MemoryUsage: use.Memory, CpuUsage: use.CPU, PodId: c.pod(), Name: c.name(),
		})
	}
	return &machinepb.StatsResponse{Messages: []*machinepb.Stats{answer}}, nil
}

// Restart implements MachineService.
func (r RPC) Restart(ctx context.Context, in *machinepb.RestartRequest) (*machinepb.RestartResponse, error) {
	namespace, err := namespaceOf(in.GetNamespace(), in.GetDriver())
	if err != nil {
		return nil, err
	}
	all, err := r.list(ctx, namespace)
	if err != nil {
		return nil, err
	}
	c, err := find(all, in.GetId())
	if err != nil {
		return nil, err
	}
	if err := r.Engine.End(ctx, namespace, c.ID); err != nil {
		return nil, code(fmt.Sprintf("restart container %s", c.id()), err)
	}
	return &machinepb.RestartResponse{Messages: []*machinepb.Restart{{}}}, nil
}

// find takes a name or an id of containerd, and prefers what runs: a container
// that was started anew leaves the ended one behind for a while.
func find(all []Container, id string) (Container, error) {
	var found []Container
	for _, c := range all {
		if c.ID == id || c.id() == id {
			found = append(found, c)
		}
	}
	if len(found) == 0 {
		return Container{}, status.Errorf(codes.NotFound, "container %q is not there: 'talosctl containers' lists those of services, with -k those of pods", id)
	}
	if i := slices.IndexFunc(found, func(c Container) bool { return c.Status == "running" }); i >= 0 {
		return found[i], nil
	}
	return Container{}, status.Errorf(codes.FailedPrecondition, "container %q does not run", id)
}
