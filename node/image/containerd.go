package image

import (
	"context"
	"errors"
	"strings"
	"time"

	imagesapi "github.com/containerd/containerd/api/services/images/v1"
	"google.golang.org/protobuf/types/known/durationpb"

	machinepb "github.com/ichor-os/ichor/api/machine"
	"github.com/ichor-os/ichor/node/containerd"
)

// criLabel makes kubelet's side of containerd take notice of an image.
const criLabel = "io.cri-containerd.image"

// List implements Engine.
func (c Containerd) List(ctx context.Context, namespace string) ([]Image, error) {
	client, err := c.Connect(namespace)
	if err != nil {
		return nil, err
	}
	defer client.Close()
	list, err := client.Images().List(ctx, &imagesapi.ListImagesRequest{})
	if err != nil {
		return nil, err
	}
	out := make([]Image, 0, len(list.GetImages()))
	for _, i := range list.GetImages() {
		size, err := client.Size(ctx, i)
		if err != nil {
			size = 0
		}
		out = append(out, Image{
			Name: i.GetName(), Digest: i.GetTarget().GetDigest(), Size: size, Created: i.GetCreatedAt().AsTime(), Labels: i.GetLabels(),
		})
	}
	return out, nil
}

// Pull implements Engine.
func (c Containerd) Pull(ctx context.Context, namespace, ref string, progress func(*machinepb.ImageServicePullProgress)) error {
	client, err := c.Connect(namespace)
	if err != nil {
		return err
	}
	defer client.Close()
	var labels map[string]string
	if namespace == "k8s.io" {
		labels = map[string]string{criLabel: "managed"}
	}
	watch := watcher{begun: time.Now(), tell: progress}
	return client.Pull(ctx, ref, c.Hosts, labels, watch.take)
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
func (w watcher) take(p *containerd.Progress) {
	step, known := steps[p.GetEvent()]
	if !known || !isLayer(p.GetDesc().GetMediaType()) {
		return
	}
	w.tell(&machinepb.ImageServicePullProgress{
		LayerId: p.GetDesc().GetDigest(),
		Progress: &machinepb.ImageServicePullLayerProgress{
			Status: step, Elapsed: durationpb.New(time.Since(w.begun)), Offset: p.GetProgress(), Total: p.GetTotal(),
		},
	})
}

// isLayer tells layers, of OCI and of docker, from manifests and configs.
func isLayer(mediaType string) bool {
	return strings.HasPrefix(mediaType, "application/vnd.oci.image.layer.") || strings.HasPrefix(mediaType, "application/vnd.docker.image.rootfs.")
}

// Remove implements Engine.
func (c Containerd) Remove(ctx context.Context, namespace, name string) error {
	client, err := c.Connect(namespace)
	if err != nil {
		return err
	}
	defer client.Close()
	_, err = client.Images().Delete(ctx, &imagesapi.DeleteImageRequest{Name: name, Sync: true})
	return err
}

// Import implements Engine.
func (c Containerd) Import(ctx context.Context, namespace string, archive reader) (string, error) {
	client, err := c.Connect(namespace)
	if err != nil {
		return "", err
	}
	defer client.Close()
	names, err := client.Import(ctx, archive)
	if err != nil {
		return "", err
	}
	if len(names) == 0 {
		return "", errors.New("there is no named image in the archive")
	}
	return names[0], nil
}
