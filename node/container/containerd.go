package container

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"syscall"
	"time"

	cgroup1 "github.com/containerd/cgroups/v3/cgroup1/stats"
	cgroup2 "github.com/containerd/cgroups/v3/cgroup2/stats"
	containersapi "github.com/containerd/containerd/api/services/containers/v1"
	tasksapi "github.com/containerd/containerd/api/services/tasks/v1"
	"github.com/containerd/containerd/api/types"
	"github.com/containerd/containerd/api/types/task"
	"github.com/containerd/errdefs"
	"github.com/opencontainers/runtime-spec/specs-go"
	"google.golang.org/protobuf/proto"

	"github.com/ichor-os/ichor/node/containerd"
)

// endGrace is the time between SIGTERM and SIGKILL.
const endGrace = 10 * time.Second

// Labels of pods' containers.
const (
	labelPod       = "io.kubernetes.pod.name"
	labelNamespace = "io.kubernetes.pod.namespace"
	labelUID       = "io.kubernetes.pod.uid"
	labelContainer = "io.kubernetes.container.name"
)

// Containerd looks at the containers of containerd.
type Containerd struct {
	// Connect dials it; the caller closes the client.
	Connect func(namespace string) (*containerd.Client, error)
}

// List implements Engine.
func (c Containerd) List(ctx context.Context, namespace string) ([]Container, error) {
	client, err := c.Connect(namespace)
	if err != nil {
		return nil, err
	}
	defer client.Close()
	all, err := client.Containers().List(ctx, &containersapi.ListContainersRequest{})
	if err != nil {
		return nil, err
	}
	tasks, err := client.Tasks().List(ctx, &tasksapi.ListTasksRequest{})
	if err != nil {
		return nil, err
	}
	running := map[string]*task.Process{}
	for _, t := range tasks.GetTasks() {
		running[t.GetID()] = t
	}
	list := make([]Container, 0, len(all.GetContainers()))
	for _, one := range all.GetContainers() {
		list = append(list, describe(one, running[one.GetID()]))
	}
	return list, nil
}

// describe says what is known of a container and of its process, if it has one.
func describe(one *containersapi.Container, process *task.Process) Container {
	labels := one.GetLabels()
	out := Container{
		ID: one.GetID(), Image: one.GetImage(), Status: statusOf(process.GetStatus()),
		Pod: labels[labelPod], PodNamespace: labels[labelNamespace], PodUID: labels[labelUID], Name: labels[labelContainer],
	}
	var spec specs.Spec
	if json.Unmarshal(one.GetSpec().GetValue(), &spec) == nil && spec.Linux != nil {
		for _, n := range spec.Linux.Namespaces {
			if n.Type == specs.NetworkNamespace {
				out.NetworkNamespace = n.Path
			}
		}
	}
	if out.Status != stopped {
		out.PID = process.GetPid()
	}
	return out
}

const stopped = "stopped"

// statusOf names a status; a container without a process is stopped.
func statusOf(s task.Status) string {
	if s == task.Status_UNKNOWN {
		return stopped
	}
	return strings.ToLower(s.String())
}

// Use implements Engine.
func (c Containerd) Use(ctx context.Context, namespace, id string) (Use, error) {
	client, err := c.Connect(namespace)
	if err != nil {
		return Use{}, err
	}
	defer client.Close()
	got, err := client.Tasks().Metrics(ctx, &tasksapi.MetricsRequest{Filters: []string{"id==" + id}})
	if err != nil {
		return Use{}, err
	}
	for _, metric := range got.GetMetrics() {
		if metric.GetID() == id {
			return useIn(metric)
		}
	}
	return Use{}, fmt.Errorf("metrics of container %s: %w", id, errdefs.ErrNotFound)
}

// useIn unpacks the metrics, which either version of control groups has its own
// kind of.
func useIn(metric *types.Metric) (Use, error) {
	var into proto.Message
	switch name := containerd.TypeName(metric.GetData().GetTypeUrl()); name {
	case "io.containerd.cgroups.v1.Metrics":
		into = &cgroup1.Metrics{}
	case "io.containerd.cgroups.v2.Metrics":
		into = &cgroup2.Metrics{}
	default:
		return Use{}, fmt.Errorf("read metrics: unknown kind %q", name)
	}
	if err := proto.Unmarshal(metric.GetData().GetValue(), into); err != nil {
		return Use{}, fmt.Errorf("read metrics: %w", err)
	}
	return useOf(into)
}

// useOf reads the metrics of either version of control groups.
func useOf(data any) (Use, error) {
	switch m := data.(type) {
	case *cgroup1.Metrics:
		memory := m.GetMemory()
		return Use{
			Memory: without(memory.GetUsage().GetUsage(), memory.GetTotalInactiveFile()),
			CPU:    m.GetCPU().GetUsage().GetTotal(),
		}, nil
	case *cgroup2.Metrics:
		memory := m.GetMemory()
		return Use{
			Memory: without(memory.GetUsage(), memory.GetInactiveFile()),
			CPU:    m.GetCPU().GetUsageUsec() * 1000,
		}, nil
	}
	return Use{}, fmt.Errorf("read metrics: unknown kind %T", data)
}

func without(all, part uint64) uint64 {
	if part > all {
		return 0
	}
	return all - part
}

// End implements Engine.
func (c Containerd) End(ctx context.Context, namespace, id string) error {
	client, err := c.Connect(namespace)
	if err != nil {
		return err
	}
	defer client.Close()
	// Ends the wait below, whatever comes of it.
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if _, err := client.Tasks().Get(ctx, &tasksapi.GetRequest{ContainerID: id}); err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() {
		_, err := client.Tasks().Wait(ctx, &tasksapi.WaitRequest{ContainerID: id})
		ended <- err
	}()
	for _, signal := range []syscall.Signal{syscall.SIGTERM, syscall.SIGKILL} {
		_, err := client.Tasks().Kill(ctx, &tasksapi.KillRequest{ContainerID: id, Signal: uint32(signal), All: true})
		if err != nil && !errdefs.IsNotFound(err) {
			return err
		}
		timer := time.NewTimer(endGrace)
		select {
		case err := <-ended:
			timer.Stop()
			return err
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return ctx.Err()
		}
	}
	return fmt.Errorf("it does not end")
}
