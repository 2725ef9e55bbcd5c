package container

import (
	"context"
	"fmt"
	"syscall"
	"time"

	cgroup1 "github.com/containerd/cgroups/v3/cgroup1/stats"
	cgroup2 "github.com/containerd/cgroups/v3/cgroup2/stats"
	containerd "github.com/containerd/containerd/v2/client"
	"github.com/containerd/containerd/v2/pkg/namespaces"
	"github.com/containerd/errdefs"
	"github.com/containerd/typeurl/v2"
	"github.com/opencontainers/runtime-spec/specs-go"
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
	Connect func() (*containerd.Client, error)
}

func (c Containerd) in(ctx context.Context, namespace string) (context.Context, *containerd.Client, error) {
	client, err := c.Connect()
	return namespaces.WithNamespace(ctx, namespace), client, err
}

// List implements Engine.
func (c Containerd) List(ctx context.Context, namespace string) ([]Container, error) {
	ctx, client, err := c.in(ctx, namespace)
	if err != nil {
		return nil, err
	}
	defer client.Close()
	all, err := client.Containers(ctx)
	if err != nil {
		return nil, err
	}
	var list []Container
	for _, one := range all {
		described, err := describe(ctx, one)
		if errdefs.IsNotFound(err) {
			continue // it went away meanwhile
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", one.ID(), err)
		}
		list = append(list, described)
	}
	return list, nil
}

func describe(ctx context.Context, one containerd.Container) (Container, error) {
	info, err := one.Info(ctx)
	if err != nil {
		return Container{}, err
	}
	out := Container{
		ID: one.ID(), Image: info.Image, Status: string(containerd.Stopped),
		Pod: info.Labels[labelPod], PodNamespace: info.Labels[labelNamespace], PodUID: info.Labels[labelUID], Name: info.Labels[labelContainer],
	}
	if spec, err := one.Spec(ctx); err == nil && spec.Linux != nil {
		for _, n := range spec.Linux.Namespaces {
			if n.Type == specs.NetworkNamespace {
				out.NetworkNamespace = n.Path
			}
		}
	}
	task, err := one.Task(ctx, nil)
	if errdefs.IsNotFound(err) {
		return out, nil
	}
	if err != nil {
		return Container{}, err
	}
	state, err := task.Status(ctx)
	if err != nil {
		return Container{}, err
	}
	out.Status = string(state.Status)
	if state.Status != containerd.Stopped {
		out.PID = task.Pid()
	}
	return out, nil
}

// Use implements Engine.
func (c Containerd) Use(ctx context.Context, namespace, id string) (Use, error) {
	ctx, client, err := c.in(ctx, namespace)
	if err != nil {
		return Use{}, err
	}
	defer client.Close()
	one, err := client.LoadContainer(ctx, id)
	if err != nil {
		return Use{}, err
	}
	task, err := one.Task(ctx, nil)
	if err != nil {
		return Use{}, err
	}
	metric, err := task.Metrics(ctx)
	if err != nil {
		return Use{}, err
	}
	data, err := typeurl.UnmarshalAny(metric.GetData())
	if err != nil {
		return Use{}, fmt.Errorf("read metrics: %w", err)
	}
	return useOf(data)
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
	ctx, client, err := c.in(ctx, namespace)
	if err != nil {
		return err
	}
	defer client.Close()
	one, err := client.LoadContainer(ctx, id)
	if err != nil {
		return err
	}
	task, err := one.Task(ctx, nil)
	if err != nil {
		return err
	}
	ended, err := task.Wait(ctx)
	if err != nil {
		return err
	}
	for _, signal := range []syscall.Signal{syscall.SIGTERM, syscall.SIGKILL} {
		if err := task.Kill(ctx, signal, containerd.WithKillAll); err != nil && !errdefs.IsNotFound(err) {
			return err
		}
		timer := time.NewTimer(endGrace)
		select {
		case <-ended:
			timer.Stop()
			return nil
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return ctx.Err()
		}
	}
	return fmt.Errorf("it does not end")
}
