package image

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"testing"
	"time"

	"github.com/containerd/containerd/api/types"
	"github.com/containerd/errdefs"
	"github.com/google/go-cmp/cmp"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"

	commonpb "github.com/ichor-os/ichor/api/common"
	machinepb "github.com/ichor-os/ichor/api/machine"
	"github.com/ichor-os/ichor/node/containerd"
)

// fake is an Engine that notes what it is asked.
type fake struct {
	calls []string
}

func (f *fake) List(_ context.Context, namespace string) ([]Image, error) {
	return []Image{{Name: namespace + "/a:1", Digest: "sha256:x", Created: time.Unix(5, 0), Size: 9}}, nil
}

func (f *fake) Pull(_ context.Context, namespace, ref string, progress func(*machinepb.ImageServicePullProgress)) error {
	f.calls = append(f.calls, "pull "+namespace+" "+ref)
	progress(&machinepb.ImageServicePullProgress{LayerId: "sha256:1"})
	if ref == "docker.io/library/none:latest" {
		return errdefs.ErrNotFound
	}
	return nil
}

func (f *fake) Remove(_ context.Context, namespace, name string) error {
	f.calls = append(f.calls, "remove "+namespace+" "+name)
	return nil
}

func (f *fake) Import(_ context.Context, namespace string, archive reader) (string, error) {
	text, err := io.ReadAll(archive)
	f.calls = append(f.calls, "import "+namespace+" "+string(text))
	return "docker.io/library/new:1", err
}

// serve answers over a connection.
func serve(t *testing.T) (machinepb.ImageServiceClient, *fake) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	f, server := &fake{}, grpc.NewServer()
	machinepb.RegisterImageServiceServer(server, Service{Engine: f})
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(server.Stop)
	conn, err := grpc.NewClient(listener.Addr().String(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return machinepb.NewImageServiceClient(conn), f
}

func TestPull_TellsProgressAndTheName(t *testing.T) {
	client, f := serve(t)
	for ref, want := range map[string]codes.Code{"nginx": codes.OK, "none": codes.NotFound, "Not A Name": codes.InvalidArgument} {
		stream, err := client.Pull(t.Context(), &machinepb.ImageServicePullRequest{
			Containerd: &commonpb.ContainerdInstance{Driver: commonpb.ContainerDriver_CRI, Namespace: commonpb.ContainerdNamespace_NS_CRI}, ImageRef: ref,
		})
		if err != nil {
			t.Fatal(err)
		}
		var progress int
		var name string
		for err == nil {
			var message *machinepb.ImageServicePullResponse
			if message, err = stream.Recv(); message.GetPullProgress() != nil {
				progress++
			} else if err == nil {
				name = message.GetName()
			}
		}
		if errors.Is(err, io.EOF) {
			err = nil
		}
		if status.Code(err) != want || want == codes.OK && (progress != 1 || name != "docker.io/library/nginx:latest") {
			t.Errorf("%s: %v, %d times progress, name %q; want %s", ref, err, progress, name, want)
		}
	}
	if !cmp.Equal(f.calls[0][:11], "pull k8s.io") {
		t.Errorf("calls = %v, want the namespace k8s.io", f.calls)
	}
}

func TestImport_PassesChunksOn(t *testing.T) {
	client, f := serve(t)
	send := func(messages ...*machinepb.ImageServiceImportRequest) (*machinepb.ImageServiceImportResponse, error) {
		stream, err := client.Import(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range messages {
			if err := stream.Send(m); err != nil {
				break
			}
		}
		return stream.CloseAndRecv()
	}
	instance := &machinepb.ImageServiceImportRequest{Request: &machinepb.ImageServiceImportRequest_Containerd{Containerd: &commonpb.ContainerdInstance{}}}
	chunk := func(text string) *machinepb.ImageServiceImportRequest {
		return &machinepb.ImageServiceImportRequest{Request: &machinepb.ImageServiceImportRequest_ImageChunk{ImageChunk: &commonpb.Data{Bytes: []byte(text)}}}
	}
	answer, err := send(instance, chunk("an "), chunk(""), chunk("archive"))
	if err != nil || answer.GetName() != "docker.io/library/new:1" || f.calls[0] != "import system an archive" {
		t.Errorf("import = %v, %v; calls %v", answer, err, f.calls)
	}
	if _, err := send(chunk("an archive")); status.Code(err) != codes.InvalidArgument {
		t.Errorf("import without an instance = %v, want InvalidArgument", err)
	}
}

func TestWatcher_PassesOnLayersOnly(t *testing.T) {
	var got []string
	w := watcher{tell: func(p *machinepb.ImageServicePullProgress) {
		got = append(got, p.GetProgress().GetStatus().String())
	}}
	layer := &types.Descriptor{MediaType: ocispec.MediaTypeImageLayerGzip}
	for _, event := range []string{"waiting", "downloading", "complete", "extracting", "extracted", "already exists", "saved"} {
		w.take(&containerd.Progress{Event: event, Desc: layer})
	}
	w.take(&containerd.Progress{Event: "complete", Desc: &types.Descriptor{MediaType: ocispec.MediaTypeImageConfig}})
	w.take(&containerd.Progress{Event: "complete"})
	want := []string{"DOWNLOADING", "DOWNLOADING", "DOWNLOAD_COMPLETE", "EXTRACTING", "EXTRACT_COMPLETE", "ALREADY_EXISTS"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("progress (-want +got):\n%s", diff)
	}
}

func TestNamespaceOf_DriverSpeaksWithoutANamespace(t *testing.T) {
	for want, in := range map[string]*commonpb.ContainerdInstance{
		"system": {Namespace: commonpb.ContainerdNamespace_NS_SYSTEM},
		"k8s.io": {Driver: commonpb.ContainerDriver_CRI},
	} {
		if got, err := namespaceOf(in); err != nil || got != want {
			t.Errorf("%v: %q, %v; want %q", in, got, err, want)
		}
	}
}

func TestChunks_ReadInSmallPieces(t *testing.T) {
	c := &chunks{rest: []byte("abc")}
	p := make([]byte, 2)
	if n, _ := c.Read(p); !bytes.Equal(p[:n], []byte("ab")) {
		t.Errorf("read %q", p[:n])
	}
}
