//lint:file-ignore SA1019 older methods and metadata are what clients of the API use

package e2e

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	registry "github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/random"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/emptypb"

	clusterpb "github.com/ichor-os/ichor/api/cluster"
	commonpb "github.com/ichor-os/ichor/api/common"
	resourcepb "github.com/ichor-os/ichor/api/cosi/resource"
	machinepb "github.com/ichor-os/ichor/api/machine"
	storagepb "github.com/ichor-os/ichor/api/storage"
	"github.com/ichor-os/ichor/client"
)

// files looks at the node's files: copied, listed, counted.
func files(t *testing.T, node context.Context, api *client.Client, name string) {
	parts, err := drain(api.Machine.Copy(node, &machinepb.CopyRequest{RootPath: "/etc/hostname"}))
	if err != nil {
		t.Fatal(err)
	}
	var packed bytes.Buffer
	for _, p := range parts {
		packed.Write(p.GetBytes())
	}
	unpacked, err := gzip.NewReader(&packed)
	if err != nil {
		t.Fatal(err)
	}
	archive := tar.NewReader(unpacked)
	header, err := archive.Next()
	if err != nil {
		t.Fatal(err)
	}
	if content, err := io.ReadAll(archive); err != nil || string(content) != name+"\n" {
		t.Errorf("copied %s with %q, %v", header.Name, content, err)
	}
	list, err := drain(api.Machine.List(node, &machinepb.ListRequest{Root: "/etc/kubernetes", Recurse: true}))
	if err != nil || len(list) < 4 {
		t.Errorf("list = %d entries, %v", len(list), err)
	}
	use, err := drain(api.Machine.DiskUsage(node, &machinepb.DiskUsageRequest{Paths: []string{"/var/log", "/nothing"}, RecursionDepth: 1}))
	if err != nil {
		t.Fatal(err)
	}
	sizes, missing := 0, 0
	for _, u := range use {
		if strings.Contains(u.GetError()+u.GetMetadata().GetError(), "/nothing") {
			missing++
		} else if u.GetSize() > 0 {
			sizes++
		}
	}
	if sizes == 0 || missing != 1 {
		t.Errorf("use = %v; want sizes and one error", use)
	}
}

// withoutADisk asks for what a node in namespaces cannot do.
func withoutADisk(t *testing.T, node context.Context, api *client.Client) {
	for name, call := range map[string]func() error{
		"upgrade":  func() error { _, err := api.Machine.Upgrade(node, &machinepb.UpgradeRequest{Image: "x"}); return err },
		"rollback": func() error { _, err := api.Machine.Rollback(node, &machinepb.RollbackRequest{}); return err },
		"install": func() error {
			_, err := drain(api.Lifecycle.Install(node, &machinepb.LifecycleServiceInstallRequest{}))
			return err
		},
		"upgrade of the lifecycle service": func() error {
			_, err := drain(api.Lifecycle.Upgrade(node, &machinepb.LifecycleServiceUpgradeRequest{}))
			return err
		},
		"wipe": func() error {
			_, err := api.Storage.BlockDeviceWipe(node, &storagepb.BlockDeviceWipeRequest{})
			return err
		},
	} {
		if err := call(); status.Code(err) != codes.FailedPrecondition || !strings.Contains(err.Error(), "needs a disk") {
			t.Errorf("%s = %v, want FailedPrecondition with what it needs", name, err)
		}
	}
	disks, err := api.Storage.Disks(node, &emptypb.Empty{})
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range disks.GetMessages()[0].GetDisks() {
		if !d.GetReadonly() || d.GetSystemDisk() {
			t.Errorf("disk %v is the node's to write", d)
		}
	}
	if _, err := resourceOf(node, api, "runtime", "SystemDisks.block.talos.dev", "system-disk"); status.Code(err) != codes.NotFound {
		t.Errorf("system disk = %v, want NotFound", err)
	}
}

// resources writes as a client, which is refused, and watches.
func resources(t *testing.T, node context.Context, api *client.Client) {
	const kind, namespace = "Services.v1alpha1.talos.dev", "runtime"
	forged := &resourcepb.Resource{
		Metadata: &resourcepb.Metadata{Namespace: namespace, Type: kind, Id: "forged", Version: "1", Phase: "running", Owner: "service-status"},
		Spec:     &resourcepb.Spec{YamlSpec: "running: true"},
	}
	for verb, call := range map[string]func() error{
		"create": func() error {
			_, err := api.Resources.Create(node, &resourcepb.CreateRequest{Resource: forged, Options: &resourcepb.CreateOptions{Owner: "service-status"}})
			return err
		},
		"update": func() error {
			_, err := api.Resources.Update(node, &resourcepb.UpdateRequest{NewResource: forged, Options: &resourcepb.UpdateOptions{Owner: "service-status"}})
			return err
		},
		"destroy": func() error {
			_, err := api.Resources.Destroy(node, &resourcepb.DestroyRequest{Namespace: namespace, Type: kind, Id: "etcd"})
			return err
		},
	} {
		if err := call(); status.Code(err) != codes.PermissionDenied {
			t.Errorf("%s = %v, want PermissionDenied", verb, err)
		}
	}
	ctx, cancel := context.WithTimeout(node, 30*time.Second)
	defer cancel()
	id := "0x0e"
	stream, err := api.Resources.Watch(ctx, &resourcepb.WatchRequest{Namespace: namespace, Type: "MetaKeys.runtime.talos.dev", Id: &id, ApiVersion: 1})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := stream.Recv(); err != nil {
		t.Fatal(err)
	}
	if _, err := api.Machine.MetaWrite(node, &machinepb.MetaWriteRequest{Key: 0x0e, Value: []byte("watched")}); err != nil {
		t.Fatal(err)
	}
	for {
		answer, err := stream.Recv()
		if err != nil {
			t.Fatalf("the change was not seen: %v", err)
		}
		if strings.Contains(answer.String(), "watched") {
			break
		}
	}
	if _, err := api.Machine.MetaDelete(node, &machinepb.MetaDeleteRequest{Key: 0x0e}); err != nil {
		t.Error(err)
	}
}

// olderImageCalls imports archives, and pulls by the older method.
func olderImageCalls(t *testing.T, node context.Context, api *client.Client, pause string) {
	const name = "registry.example.com/made/here:v1"
	if got, err := importImage(t, node, api, archive(t, name)); err != nil || got != name {
		t.Errorf("import = %q, %v; want %s", got, err, name)
	}
	system := &commonpb.ContainerdInstance{Namespace: commonpb.ContainerdNamespace_NS_SYSTEM}
	if _, err := api.Image.Remove(node, &machinepb.ImageServiceRemoveRequest{Containerd: system, ImageRef: name}); err != nil {
		t.Errorf("remove of what was imported: %v", err)
	}
	if got, err := importImage(t, node, api, []byte("no archive")); err == nil || status.Code(err) == codes.Unimplemented {
		t.Errorf("import of no archive = %q, %v; want a refusal", got, err)
	}
	_, err := api.Machine.ImagePull(node, &machinepb.ImagePullRequest{Namespace: commonpb.ContainerdNamespace_NS_SYSTEM, Reference: pause})
	if err != nil {
		t.Errorf("older pull: %v", err)
	}
}

// archive makes an image with one layer of random content.
func archive(t *testing.T, name string) []byte {
	t.Helper()
	image, err := random.Image(64<<10, 1)
	if err != nil {
		t.Fatal(err)
	}
	config, err := image.ConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	config.OS, config.Architecture = "linux", runtime.GOARCH
	if image, err = mutate.ConfigFile(image, config); err != nil {
		t.Fatal(err)
	}
	tag, err := registry.NewTag(name)
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := tarball.Write(tag, image, &text); err != nil {
		t.Fatal(err)
	}
	return text.Bytes()
}

// importImage sends an archive in parts and gives the name of its image.
func importImage(t *testing.T, node context.Context, api *client.Client, text []byte) (string, error) {
	t.Helper()
	stream, err := api.Image.Import(node)
	if err != nil {
		t.Fatal(err)
	}
	system := &commonpb.ContainerdInstance{Namespace: commonpb.ContainerdNamespace_NS_SYSTEM}
	parts := []*machinepb.ImageServiceImportRequest{{Request: &machinepb.ImageServiceImportRequest_Containerd{Containerd: system}}}
	for part := range slices.Chunk(text, 32<<10) {
		parts = append(parts, &machinepb.ImageServiceImportRequest{Request: &machinepb.ImageServiceImportRequest_ImageChunk{ImageChunk: &commonpb.Data{Bytes: part}}})
	}
	for _, part := range parts {
		if err := stream.Send(part); err != nil && !errors.Is(err, io.EOF) {
			t.Fatal(err)
		}
	}
	answer, err := stream.CloseAndRecv()
	return answer.GetName(), err
}

// healthCheck lets the node say whether its cluster works.
func healthCheck(t *testing.T, node context.Context, api *client.Client) {
	steps, err := drain(api.Cluster.HealthCheck(node, &clusterpb.HealthCheckRequest{WaitTimeout: durationpb.New(2 * time.Minute)}))
	if err != nil || len(steps) < 12 {
		t.Errorf("health: %v, %v", steps, err)
	}
}
