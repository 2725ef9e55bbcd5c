// Package container runs system services as containers of containerd.
//
// A Runner pulls the image, makes the container anew and runs it until it ends
// or is stopped. Images come through the hosts folder that the node's image
// cache and mirrors are configured in, so a cached image needs no network.
package container

import (
	"context"
	"errors"
	"fmt"
	"io"
	"syscall"
	"time"

	containerd "github.com/containerd/containerd/v2/client"
	"github.com/containerd/containerd/v2/core/containers"
	"github.com/containerd/containerd/v2/core/snapshots"
	"github.com/containerd/containerd/v2/core/transfer/image"
	"github.com/containerd/containerd/v2/core/transfer/registry"
	"github.com/containerd/containerd/v2/pkg/cio"
	"github.com/containerd/containerd/v2/pkg/namespaces"
	"github.com/containerd/containerd/v2/pkg/oci"
	"github.com/containerd/errdefs"
	"github.com/containerd/platforms"
	"github.com/opencontainers/runtime-spec/specs-go"

	"github.com/ichor-os/ichor/node/service/spec"
)

const (
	// Socket is where containerd answers.
	Socket = "/run/containerd/containerd.sock"
	// Namespace holds the system's own containers.
	Namespace = "system"
	// HostsFolder says where the images of each registry come from.
	HostsFolder = "/etc/cri/conf.d/hosts"
	snapshotter = "overlayfs"
	fifoFolder  = "/run/containerd/fifo"
	pullTimeout = 10 * time.Minute
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

// Connect dials containerd; the caller closes the client.
func Connect() (*containerd.Client, error) {
	client, err := containerd.New(Socket, containerd.WithDefaultNamespace(Namespace), containerd.WithTimeout(5*time.Second))
	if err != nil {
		return nil, fmt.Errorf("reach containerd: %w", err)
	}
	return client, nil
}

// Ready reports whether containerd serves.
func Ready(ctx context.Context) error {
	client, err := Connect()
	if err != nil {
		return err
	}
	defer client.Close()
	serving, err := client.IsServing(ctx)
	if err != nil {
		return fmt.Errorf("ask containerd: %w", err)
	}
	if !serving {
		return errors.New("ask containerd: it does not serve yet")
	}
	return nil
}

// Run implements service.Runner.
func (r *Runner) Run(ctx context.Context, started func(what string)) error {
	want, err := r.Spec()
	if err != nil {
		return err
	}
	client, err := Connect()
	if err != nil {
		return err
	}
	defer client.Close()
	// Stopping must go on when ctx has ended.
	calls := namespaces.WithNamespace(context.WithoutCancel(ctx), Namespace)
	img, err := ensureImage(namespaces.WithNamespace(ctx, Namespace), client, want.Image)
	if err != nil {
		return err
	}
	if err := remove(calls, client, want.ID); err != nil {
		return err
	}
	made, err := client.NewContainer(calls, want.ID,
		containerd.WithImage(img),
		containerd.WithSnapshotter(snapshotter),
		containerd.WithNewSnapshot(want.ID, img, snapshots.WithLabels(map[string]string{"ichor.dev/service": want.ID})),
		containerd.WithNewSpec(options(want, img)...),
	)
	if err != nil {
		return fmt.Errorf("make container: %s: %w", want.ID, err)
	}
	defer func() { _ = remove(calls, client, want.ID) }()
	task, err := made.NewTask(calls, cio.NewCreator(cio.WithStreams(nil, r.Output, r.Output), cio.WithFIFODir(fifoFolder)))
	if err != nil {
		return fmt.Errorf("make container task: %s: %w", want.ID, err)
	}
	ended, err := task.Wait(calls)
	if err != nil {
		return fmt.Errorf("watch container: %s: %w", want.ID, err)
	}
	if err := task.Start(calls); err != nil {
		return fmt.Errorf("start container: %s: %w", want.ID, err)
	}
	started(fmt.Sprintf("container of %s, process %d", want.Image, task.Pid()))
	select {
	case status := <-ended:
		return exitError(want.ID, status)
	case <-ctx.Done():
		return r.stop(calls, task, ended)
	}
}

func exitError(id string, status containerd.ExitStatus) error {
	code, _, err := status.Result()
	if err != nil {
		return fmt.Errorf("watch container: %s: %w", id, err)
	}
	if code != 0 {
		return fmt.Errorf("container ended: %s: exit code %d", id, code)
	}
	return nil
}

func (r *Runner) stop(ctx context.Context, task containerd.Task, ended <-chan containerd.ExitStatus) error {
	grace := r.Grace
	if grace == 0 {
		grace = 20 * time.Second
	}
	if err := task.Kill(ctx, syscall.SIGTERM); err != nil && !errdefs.IsNotFound(err) {
		return fmt.Errorf("stop container: %s: %w", task.ID(), err)
	}
	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case <-ended:
		return nil
	case <-timer.C:
	}
	if err := task.Kill(ctx, syscall.SIGKILL, containerd.WithKillAll); err != nil && !errdefs.IsNotFound(err) {
		return fmt.Errorf("kill container: %s: %w", task.ID(), err)
	}
	select {
	case <-ended:
	case <-time.After(10 * time.Second):
		return fmt.Errorf("kill container: %s: it does not end", task.ID())
	}
	return nil
}

// remove deletes a container, its task and its writable layer, if there.
func remove(ctx context.Context, client *containerd.Client, id string) error {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	old, err := client.LoadContainer(ctx, id)
	if errdefs.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("look for container: %s: %w", id, err)
	}
	if task, err := old.Task(ctx, nil); err == nil {
		if _, err := task.Delete(ctx, containerd.WithProcessKill); err != nil && !errdefs.IsNotFound(err) {
			return fmt.Errorf("remove container task: %s: %w", id, err)
		}
	}
	if err := old.Delete(ctx, containerd.WithSnapshotCleanup); err != nil && !errdefs.IsNotFound(err) {
		return fmt.Errorf("remove container: %s: %w", id, err)
	}
	return nil
}

// ensureImage gives the image, pulled by containerd itself if it is not there.
func ensureImage(ctx context.Context, client *containerd.Client, ref string) (containerd.Image, error) {
	img, err := client.GetImage(ctx, ref)
	if err == nil {
		if ready, err := img.IsUnpacked(ctx, snapshotter); err == nil && ready {
			return img, nil
		}
	} else if !errdefs.IsNotFound(err) {
		return nil, fmt.Errorf("look for image: %s: %w", ref, err)
	}
	ctx, cancel := context.WithTimeout(ctx, pullTimeout)
	defer cancel()
	source, err := registry.NewOCIRegistry(ctx, ref, registry.WithHostDir(HostsFolder))
	if err != nil {
		return nil, fmt.Errorf("pull image: %s: %w", ref, err)
	}
	store := image.NewStore(ref, image.WithUnpack(platforms.DefaultSpec(), snapshotter))
	if err := client.Transfer(ctx, source, store); err != nil {
		return nil, fmt.Errorf("pull image: %s: neither the image cache nor its registry gave it: %w", ref, err)
	}
	return client.GetImage(ctx, ref)
}

// options turn the spec into an OCI runtime spec.
func options(want spec.Container, img containerd.Image) []oci.SpecOpts {
	opts := []oci.SpecOpts{oci.WithImageConfig(img)}
	if len(want.Args) > 0 {
		opts = append(opts, oci.WithProcessArgs(want.Args...))
	}
	opts = append(opts,
		oci.WithEnv(want.Env),
		oci.WithHostNamespace(specs.NetworkNamespace),
		oci.WithHostHostsFile,
		oci.WithHostResolvconf,
		oci.WithUIDGID(want.UID, want.GID),
		oci.WithCgroup(want.Group),
		oci.WithMounts(mounts(want.Mounts)),
		oci.WithRootFSReadonly(),
	)
	if want.Privileged {
		opts = append(opts,
			oci.WithPrivileged,
			oci.WithAllDevicesAllowed,
			oci.WithHostNamespace(specs.PIDNamespace),
			oci.WithHostNamespace(specs.CgroupNamespace),
			oci.WithHostNamespace(specs.IPCNamespace),
			withoutMounts(want.Mounts),
		)
	} else {
		opts = append(opts, oci.WithNoNewPrivileges)
	}
	return opts
}

func mounts(list []spec.Mount) []specs.Mount {
	out := make([]specs.Mount, 0, len(list))
	for _, m := range list {
		options := []string{"rbind"}
		if m.Shared {
			options = append(options, "rshared")
		} else {
			options = append(options, "rprivate")
		}
		if m.ReadOnly {
			options = append(options, "ro")
		} else {
			options = append(options, "rw")
		}
		out = append(out, specs.Mount{Type: "bind", Source: m.Source, Destination: m.Target, Options: options})
	}
	return out
}

// withoutMounts drops the default mounts that one of the container's own
// replaces, and makes the root's propagation shared where one is shared.
func withoutMounts(list []spec.Mount) oci.SpecOpts {
	return func(_ context.Context, _ oci.Client, _ *containers.Container, s *oci.Spec) error {
		own := map[string]bool{}
		for _, m := range list {
			own[m.Target] = true
			if m.Shared {
				s.Linux.RootfsPropagation = "rshared"
			}
		}
		seen := map[string]bool{}
		var kept []specs.Mount
		for _, m := range s.Mounts {
			if own[m.Destination] && m.Type != "bind" {
				continue
			}
			if own[m.Destination] && seen[m.Destination] {
				continue
			}
			seen[m.Destination] = true
			kept = append(kept, m)
		}
		s.Mounts = kept
		return nil
	}
}
