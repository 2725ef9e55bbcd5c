package image

import (
	"context"
	"errors"
	"time"

	containerd "github.com/containerd/containerd/v2/client"
	"github.com/containerd/containerd/v2/core/images"
	"github.com/containerd/containerd/v2/core/transfer"
	transferimage "github.com/containerd/containerd/v2/core/transfer/image"
	"github.com/containerd/containerd/v2/core/transfer/registry"
	"github.com/containerd/platforms"
	"google.golang.org/protobuf/types/known/durationpb"

	machinepb "github.com/ichor-os/ichor/api/machine"
)

const (
	snapshotter = "overlayfs"
	// criLabel makes kubelet's side of containerd take notice of an image.
	criLabel = "io.cri-containerd.image"
)

// List implements Engine.
func (c Containerd) List(ctx context.Context, namespace string) ([]Image, error) {
	ctx, client, err := c.in(ctx, namespace)
	if err != nil {
		return nil, err
	}
	defer client.Close()
	list, err := client.ImageService().List(ctx)
	if err != nil {
		return nil, err
	}
	out := make([]Image, 0, len(list))
	for _, i := range list {
		size, err := i.Size(ctx, client.ContentStore(), platforms.Default())
		if err != nil {
			size = 0
		}
		out = append(out, Image{Image: i, Size: size})
	}
	return out, nil
}

// Pull implements Engine.
func (c Containerd) Pull(ctx context.Context, namespace, ref string, progress func(*machinepb.ImageServicePullProgress)) error {
	ctx, client, err := c.in(ctx, namespace)
	if err != nil {
		return err
	}
	defer client.Close()
	source, err := registry.NewOCIRegistry(ctx, ref, registry.WithHostDir(c.Hosts))
	if err != nil {
		return err
	}
	options := []transferimage.StoreOpt{transferimage.WithUnpack(platforms.DefaultSpec(), snapshotter)}
	if namespace == "k8s.io" {
		options = append(options, transferimage.WithImageLabels(map[string]string{criLabel: "managed"}))
	}
	watch := watcher{begun: time.Now(), tell: progress}
	return client.Transfer(ctx, source, transferimage.NewStore(ref, options...), transfer.WithProgress(watch.take))
}

// watcher turns containerd's progress into the API's.
type watcher struct {
	begun time.Time
	tell  func(*machinepb.ImageServicePullProgress)
}

var steps = map[string]machinepb.ImageServicePullLayerProgress_Status{
	"waiting":        machinepb.ImageServicePullLayerProgress_DOWNLOADING,
	"downloading":    machinepb.ImageServicePullLayerProgress_DOWNLOADING,
	"complete":       machinepb.ImageServicePullLayerProgress_DOWNLOAD_COMPLETE,
	"extracting":     machinepb.ImageServicePullLayerProgress_EXTRACTING,
	"extracted":      machinepb.ImageServicePullLayerProgress_EXTRACT_COMPLETE,
	"already exists": machinepb.ImageServicePullLayerProgress_ALREADY_EXISTS,
}

// take passes on what is about a layer.
func (w watcher) take(p transfer.Progress) {
	step, known := steps[p.Event]
	if !known || p.Desc == nil || !images.IsLayerType(p.Desc.MediaType) {
		return
	}
	w.tell(&machinepb.ImageServicePullProgress{
		LayerId: p.Desc.Digest.String(),
		Progress: &machinepb.ImageServicePullLayerProgress{
			Status: step, Elapsed: durationpb.New(time.Since(w.begun)), Offset: p.Progress, Total: p.Total,
		},
	})
}

// Remove implements Engine.
func (c Containerd) Remove(ctx context.Context, namespace, name string) error {
	ctx, client, err := c.in(ctx, namespace)
	if err != nil {
		return err
	}
	defer client.Close()
	return client.ImageService().Delete(ctx, name, images.SynchronousDelete())
}

// Import implements Engine.
func (c Containerd) Import(ctx context.Context, namespace string, archive reader) (string, error) {
	ctx, client, err := c.in(ctx, namespace)
	if err != nil {
		return "", err
	}
	defer client.Close()
	list, err := client.Import(ctx, archive)
	if err != nil {
		return "", err
	}
	if len(list) == 0 {
		return "", errors.New("there is no named image in the archive")
	}
	for _, i := range list {
		if err := containerd.NewImage(client, i).Unpack(ctx, snapshotter); err != nil {
			return "", err
		}
	}
	return list[0].Name, nil
}
