// Package container runs system services as containers of containerd.
//
// A Runner pulls the image, makes the container anew and runs it until it ends
// or is stopped. When containerd itself ends meanwhile, the container goes on:
// its shim lives, its output is read by the Runner and not by containerd, and
// the Runner takes it up again once containerd is back. Images come through the
// hosts folder that the node's image cache and mirrors are configured in, so a
// cached image needs no network.
package container

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"syscall"
	"time"

	containersapi "github.com/containerd/containerd/api/services/containers/v1"
	snapshotsapi "github.com/containerd/containerd/api/services/snapshots/v1"
	tasksapi "github.com/containerd/containerd/api/services/tasks/v1"
	"github.com/containerd/containerd/api/types/task"
	"github.com/containerd/errdefs"
	"google.golang.org/protobuf/types/known/anypb"

	"github.com/ichor-os/ichor/node/containerd"
	"github.com/ichor-os/ichor/node/service/spec"
)

const (
	// Namespace holds the system's own containers.
	Namespace = "system"
	// HostsFolder says where the images of each registry come from.
	HostsFolder = "/etc/cri/conf.d/hosts"
	fifoFolder  = "/run/containerd/fifo"
	pullTimeout = 10 * time.Minute
	// specType names an OCI runtime spec, which stands as JSON.
	specType = "types.containerd.io/opencontainers/runtime-spec/1/Spec"
)

// Runner runs one container; it implements service.Runner.
type Runner struct {
	// Spec is asked for at each start.
	Spec func() (spec.Container, error)
	// Output gets what the container prints.
	Output io.Writer
	// Grace is the time between SIGTERM and SIGKILL; 0 means 20 s.
	Grace time.Duration
}

// Ready reports whether containerd serves.
func Ready(ctx context.Context) error {
	client, err := containerd.Connect(Namespace)
	if err != nil {
		return err
	}
	defer client.Close()
	return client.Serving(ctx)
}

// Run implements service.Runner.
func (r *Runner) Run(ctx context.Context, started func(what string)) error {
	want, err := r.Spec()
	if err != nil {
		return err
	}
	client, err := containerd.Connect(Namespace)
	if err != nil {
		return err
	}
	defer client.Close()
	img, err := ensureImage(ctx, client, want.Image)
	if err != nil {
		return err
	}
	// Stopping must go on when ctx has ended.
	calls := context.WithoutCancel(ctx)
	if err := remove(calls, client, want.ID); err != nil {
		return err
	}
	defer func() { _ = remove(calls, client, want.ID) }()
	out, err := openOutput(fifoFolder, want.ID, r.Output)
	if err != nil {
		return err
	}
	defer out.Close()
	pid, err := create(calls, client, want, img, out.Path())
	if err != nil {
		return err
	}
	one := running{tasks: client.Tasks(), id: want.ID}
	watching, unwatch := context.WithCancel(calls)
	defer unwatch()
	ended := one.watch(watching)
	if _, err := client.Tasks().Start(calls, &tasksapi.StartRequest{ContainerID: want.ID}); err != nil {
		return fmt.Errorf("start container: %s: %w", want.ID, err)
	}
	started(fmt.Sprintf("container of %s, process %d", want.Image, pid))
	select {
	case end := <-ended:
		return end.err(want.ID)
	case <-ctx.Done():
		return one.stop(calls, ended, r.Grace)
	}
}

// create makes the container, its writable layer and its process, which waits
// to be started.
func create(ctx context.Context, client *containerd.Client, want spec.Container, img containerd.Unpacked, output string) (uint32, error) {
	runtime, err := json.Marshal(runtimeSpec(want, img.Config))
	if err != nil {
		return 0, fmt.Errorf("make container: %s: %w", want.ID, err)
	}
	layer, err := client.Snapshots().Prepare(ctx, &snapshotsapi.PrepareSnapshotRequest{
		Snapshotter: containerd.Snapshotter, Key: want.ID, Parent: img.Chain,
		Labels: map[string]string{
			"ichor.dev/service": want.ID,
			// The container that refers to it comes only after it.
			"containerd.io/gc.root": time.Now().UTC().Format(time.RFC3339),
		},
	})
	if err != nil {
		return 0, fmt.Errorf("make layer of container: %s: %w", want.ID, err)
	}
	_, err = client.Containers().Create(ctx, &containersapi.CreateContainerRequest{Container: &containersapi.Container{
		ID: want.ID, Image: img.Name, Snapshotter: containerd.Snapshotter, SnapshotKey: want.ID,
		Runtime: &containersapi.Container_Runtime{Name: containerd.Runtime},
		Spec:    &anypb.Any{TypeUrl: specType, Value: runtime},
	}})
	if err != nil {
		return 0, fmt.Errorf("make container: %s: %w", want.ID, err)
	}
	made, err := client.Tasks().Create(ctx, &tasksapi.CreateTaskRequest{
		ContainerID: want.ID, Rootfs: layer.GetMounts(), Stdout: output, Stderr: output,
	})
	if err != nil {
		return 0, fmt.Errorf("make container task: %s: %w", want.ID, err)
	}
	return made.GetPid(), nil
}

// running is a container that runs, whether or not containerd does.
type running struct {
	tasks tasksapi.TasksClient
	id    string
}

// end is how a container ended.
type end struct {
	code  uint32
	cause error
}

func (e end) err(id string) error {
	if e.cause != nil {
		return fmt.Errorf("watch container: %s: %w", id, e.cause)
	}
	if e.code != 0 {
		return fmt.Errorf("container ended: %s: exit code %d", id, e.code)
	}
	return nil
}

// again is the pause between attempts to reach containerd.
const again = 200 * time.Millisecond

// watch tells once how the container ended. While containerd is away it waits:
// the container lives on below its shim, which containerd takes up again.
func (r running) watch(ctx context.Context) <-chan end {
	ended := make(chan end, 1)
	go func() {
		for {
			answer, err := r.tasks.Wait(ctx, &tasksapi.WaitRequest{ContainerID: r.id})
			if !errdefs.IsUnavailable(err) {
				ended <- end{answer.GetExitStatus(), err}
				return
			}
			select {
			case <-time.After(again):
			case <-ctx.Done():
				return
			}
		}
	}()
	return ended
}

// stop ends the container politely, then not.
func (r running) stop(ctx context.Context, ended <-chan end, grace time.Duration) error {
	if grace == 0 {
		grace = 20 * time.Second
	}
	for _, step := range []struct {
		signal syscall.Signal
		within time.Duration
	}{{syscall.SIGTERM, grace}, {syscall.SIGKILL, 10 * time.Second}} {
		bounded, cancel := context.WithTimeout(ctx, step.within)
		err := r.kill(bounded, step.signal)
		if err == nil {
			select {
			case <-ended:
				cancel()
				return nil
			case <-bounded.Done():
			}
		}
		cancel()
		if err != nil && !errors.Is(err, context.DeadlineExceeded) {
			return fmt.Errorf("stop container: %s: %w", r.id, err)
		}
	}
	return fmt.Errorf("kill container: %s: it does not end", r.id)
}

// kill sends a signal, as soon as containerd is there to do it.
func (r running) kill(ctx context.Context, signal syscall.Signal) error {
	for {
		_, err := r.tasks.Kill(ctx, &tasksapi.KillRequest{ContainerID: r.id, Signal: uint32(signal), All: signal == syscall.SIGKILL})
		switch {
		case err == nil, errdefs.IsNotFound(err):
			return nil
		case !errdefs.IsUnavailable(err):
			return err
		}
		select {
		case <-time.After(again):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// remove deletes a container, its process and its writable layer, if there.
func remove(ctx context.Context, client *containerd.Client, id string) error {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	if err := removeTask(ctx, client.Tasks(), id); err != nil && !errdefs.IsNotFound(err) {
		return fmt.Errorf("remove container task: %s: %w", id, err)
	}
	_, err := client.Containers().Delete(ctx, &containersapi.DeleteContainerRequest{ID: id})
	if err != nil && !errdefs.IsNotFound(err) {
		return fmt.Errorf("remove container: %s: %w", id, err)
	}
	_, err = client.Snapshots().Remove(ctx, &snapshotsapi.RemoveSnapshotRequest{Snapshotter: containerd.Snapshotter, Key: id})
	if err != nil && !errdefs.IsNotFound(err) {
		return fmt.Errorf("remove layer of container: %s: %w", id, err)
	}
	return nil
}

func removeTask(ctx context.Context, tasks tasksapi.TasksClient, id string) error {
	got, err := tasks.Get(ctx, &tasksapi.GetRequest{ContainerID: id})
	if err != nil {
		return err
	}
	if got.GetProcess().GetStatus() != task.Status_STOPPED {
		_, err := tasks.Kill(ctx, &tasksapi.KillRequest{ContainerID: id, Signal: uint32(syscall.SIGKILL), All: true})
		if err != nil {
			return err
		}
		if _, err := tasks.Wait(ctx, &tasksapi.WaitRequest{ContainerID: id}); err != nil {
			return err
		}
	}
	_, err = tasks.Delete(ctx, &tasksapi.DeleteTaskRequest{ContainerID: id})
	return err
}

// ensureImage gives the image, pulled by containerd itself if it is not there.
func ensureImage(ctx context.Context, client *containerd.Client, ref string) (containerd.Unpacked, error) {
	img, err := client.Unpacked(ctx, ref)
	if err == nil || !errdefs.IsNotFound(err) {
		return img, err
	}
	ctx, cancel := context.WithTimeout(ctx, pullTimeout)
	defer cancel()
	if err := client.Pull(ctx, ref, HostsFolder, nil, nil); err != nil {
		return containerd.Unpacked{}, fmt.Errorf("pull image: %s: neither the image cache nor its registry gave it: %w", ref, err)
	}
	return client.Unpacked(ctx, ref)
}
