package containerd

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	contentapi "github.com/containerd/containerd/api/services/content/v1"
	imagesapi "github.com/containerd/containerd/api/services/images/v1"
	snapshotsapi "github.com/containerd/containerd/api/services/snapshots/v1"
	streamingapi "github.com/containerd/containerd/api/services/streaming/v1"
	transferapi "github.com/containerd/containerd/api/services/transfer/v1"
	"github.com/containerd/containerd/api/types"
	transfertypes "github.com/containerd/containerd/api/types/transfer"
	"github.com/containerd/errdefs"
	"github.com/google/go-cmp/cmp"
	"github.com/opencontainers/go-digest"
	"github.com/opencontainers/image-spec/identity"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/emptypb"
)

// engine is a containerd with content in memory.
type engine struct {
	mu        sync.Mutex
	blobs     map[string][]byte
	images    map[string]*types.Descriptor
	chains    map[string]bool
	streams   map[string]streamingapi.Streaming_StreamServer
	released  chan struct{} // ends the streams
	imported  string
	namespace string
}

// The services of an engine.
type (
	imagesOf struct {
		imagesapi.UnimplementedImagesServer
		*engine
	}
	contentOf struct {
		contentapi.UnimplementedContentServer
		*engine
	}
	snapshotsOf struct {
		snapshotsapi.UnimplementedSnapshotsServer
		*engine
	}
	transferOf struct {
		transferapi.UnimplementedTransferServer
		*engine
	}
	streamingOf struct {
		streamingapi.UnimplementedStreamingServer
		*engine
	}
)

func (e imagesOf) Get(ctx context.Context, in *imagesapi.GetImageRequest) (*imagesapi.GetImageResponse, error) {
	md, _ := metadata.FromIncomingContext(ctx)
	e.namespace = strings.Join(md.Get("containerd-namespace"), ",")
	target, ok := e.images[in.GetName()]
	if !ok {
		return nil, status.Error(codes.NotFound, "no such image")
	}
	return &imagesapi.GetImageResponse{Image: &imagesapi.Image{Name: in.GetName(), Target: target}}, nil
}

func (e contentOf) Read(in *contentapi.ReadContentRequest, out contentapi.Content_ReadServer) error {
	text, ok := e.blobs[in.GetDigest()]
	if !ok {
		return status.Error(codes.NotFound, "no such content")
	}
	half := len(text) / 2
	if err := out.Send(&contentapi.ReadContentResponse{Data: text[:half]}); err != nil {
		return err
	}
	return out.Send(&contentapi.ReadContentResponse{Offset: int64(half), Data: text[half:]})
}

func (e snapshotsOf) Stat(_ context.Context, in *snapshotsapi.StatSnapshotRequest) (*snapshotsapi.StatSnapshotResponse, error) {
	if !e.chains[in.GetKey()] {
		return nil, status.Error(codes.NotFound, "no such snapshot")
	}
	return &snapshotsapi.StatSnapshotResponse{}, nil
}

func (e streamingOf) Stream(s streamingapi.Streaming_StreamServer) error {
	first, err := s.Recv()
	if err != nil {
		return err
	}
	hello := &streamingapi.StreamInit{}
	if err := proto.Unmarshal(first.GetValue(), hello); err != nil {
		return err
	}
	e.mu.Lock()
	e.streams[hello.GetID()] = s
	e.mu.Unlock()
	ready, err := toAny(&emptypb.Empty{})
	if err != nil {
		return err
	}
	if err := s.Send(ready); err != nil {
		return err
	}
	select {
	case <-e.released:
	case <-s.Context().Done():
	}
	return nil
}

// Transfer reads the archive, if it is an import, 64 bytes at a time.
func (e transferOf) Transfer(_ context.Context, in *transferapi.TransferRequest) (*emptypb.Empty, error) {
	defer close(e.released)
	e.mu.Lock()
	progress := e.streams[in.GetOptions().GetProgressStream()]
	e.mu.Unlock()
	from := &transfertypes.ImageImportStream{}
	if in.GetSource().GetTypeUrl() == typeName(from) {
		if err := proto.Unmarshal(in.GetSource().GetValue(), from); err != nil {
			return nil, err
		}
		e.mu.Lock()
		archive := e.streams[from.GetStream()]
		e.mu.Unlock()
		for {
			window, err := toAny(&transfertypes.WindowUpdate{Update: 64})
			if err != nil {
				return nil, err
			}
			if err := archive.Send(window); err != nil {
				return nil, err
			}
			for got := 0; got < 64; {
				message, err := archive.Recv()
				if err != nil {
					step, _ := toAny(&Progress{Event: "saved", Name: "docker.io/library/new:1"})
					return &emptypb.Empty{}, progress.Send(step)
				}
				data := &transfertypes.Data{}
				if err := proto.Unmarshal(message.GetValue(), data); err != nil {
					return nil, err
				}
				if got += len(data.GetData()); got > 64 {
					return nil, status.Errorf(codes.InvalidArgument, "more than the window: %d bytes", got)
				}
				e.imported += string(data.GetData())
			}
		}
	}
	for _, event := range []string{"waiting", "complete"} {
		step, _ := toAny(&Progress{Event: event, Desc: &types.Descriptor{Digest: "sha256:1"}})
		if err := progress.Send(step); err != nil {
			return nil, err
		}
	}
	return nil, status.Error(codes.NotFound, "no host has it")
}

func (e *engine) put(t *testing.T, mediaType string, what any) ocispec.Descriptor {
	t.Helper()
	text, err := json.Marshal(what)
	if err != nil {
		t.Fatal(err)
	}
	d := ocispec.Descriptor{MediaType: mediaType, Digest: digest.FromBytes(text), Size: int64(len(text))}
	e.blobs[d.Digest.String()] = text
	return d
}

func serve(t *testing.T) (*engine, *Client) {
	t.Helper()
	e := &engine{
		blobs: map[string][]byte{}, images: map[string]*types.Descriptor{}, chains: map[string]bool{},
		streams: map[string]streamingapi.Streaming_StreamServer{}, released: make(chan struct{}),
	}
	path := filepath.Join(t.TempDir(), "containerd.sock")
	listener, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	server := grpc.NewServer()
	imagesapi.RegisterImagesServer(server, imagesOf{engine: e})
	contentapi.RegisterContentServer(server, contentOf{engine: e})
	snapshotsapi.RegisterSnapshotsServer(server, snapshotsOf{engine: e})
	transferapi.RegisterTransferServer(server, transferOf{engine: e})
	streamingapi.RegisterStreamingServer(server, streamingOf{engine: e})
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(server.Stop)
	client, err := dial("unix://"+path, "system")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close() })
	return e, client
}

func TestUnpacked_FollowsTheIndexToThisMachine(t *testing.T) {
	e, client := serve(t)
	layers := []digest.Digest{digest.FromString("one"), digest.FromString("two")}
	config := e.put(t, ocispec.MediaTypeImageConfig, ocispec.Image{
		Config: ocispec.ImageConfig{Entrypoint: []string{"/run-me"}}, RootFS: ocispec.RootFS{Type: "layers", DiffIDs: layers},
	})
	manifest := e.put(t, ocispec.MediaTypeImageManifest, ocispec.Manifest{Config: config, Layers: []ocispec.Descriptor{{Size: 1000}, {Size: 234}}})
	manifest.Platform = &ocispec.Platform{OS: "linux", Architecture: runtime.GOARCH}
	other := ocispec.Descriptor{MediaType: ocispec.MediaTypeImageManifest, Digest: digest.FromString("not there"), Platform: &ocispec.Platform{OS: "linux", Architecture: "s390x"}}
	index := e.put(t, ocispec.MediaTypeImageIndex, ocispec.Index{Manifests: []ocispec.Descriptor{other, manifest}})
	foreign := e.put(t, ocispec.MediaTypeImageIndex, ocispec.Index{Manifests: []ocispec.Descriptor{other}})
	for name, d := range map[string]ocispec.Descriptor{"here:1": index, "foreign:1": foreign} {
		e.images[name] = &types.Descriptor{MediaType: d.MediaType, Digest: d.Digest.String(), Size: d.Size}
	}

	for _, name := range []string{"here:1", "foreign:1", "nowhere:1"} { // the layers are not unpacked yet
		if _, err := client.Unpacked(t.Context(), name); !errdefs.IsNotFound(err) {
			t.Errorf("%s = %v, want not found", name, err)
		}
	}
	chain := identity.ChainID(layers).String()
	e.chains[chain] = true
	got, err := client.Unpacked(t.Context(), "here:1")
	want := Unpacked{Name: "here:1", Chain: chain, Config: ocispec.ImageConfig{Entrypoint: []string{"/run-me"}}}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if e.namespace != "system" {
		t.Errorf("the call was for namespace %q, want system", e.namespace)
	}
	size, err := client.Size(t.Context(), &imagesapi.Image{Target: e.images["here:1"]})
	if want := index.Size + manifest.Size + config.Size + 1234; err != nil || size != want {
		t.Errorf("size = %d, %v; want %d", size, err, want)
	}
}

func TestPull_TellsAllProgressAndTheReason(t *testing.T) {
	_, client := serve(t)
	var events []string
	err := client.Pull(t.Context(), "docker.io/library/none:1", "/hosts", nil, func(p *Progress) { events = append(events, p.GetEvent()) })
	if !errdefs.IsNotFound(err) || !strings.Contains(err.Error(), "no host has it") {
		t.Errorf("pull = %v, want not found with its reason", err)
	}
	if diff := cmp.Diff([]string{"waiting", "complete"}, events); diff != "" {
		t.Errorf("progress (-want +got):\n%s", diff)
	}
}

func TestImport_SendsNoMoreThanIsAskedFor(t *testing.T) {
	e, client := serve(t)
	archive := strings.Repeat("an archive of some length. ", 40)
	names, err := client.Import(t.Context(), strings.NewReader(archive))
	if diff := cmp.Diff([]string{"docker.io/library/new:1"}, names); err != nil || diff != "" {
		t.Errorf("%v; names (-want +got):\n%s", err, diff)
	}
	if e.imported != archive {
		t.Errorf("the engine got %d bytes, want %d", len(e.imported), len(archive))
	}
}

func TestServing_IsUnavailableWithoutAnEngine(t *testing.T) {
	client, err := dial("unix://"+filepath.Join(t.TempDir(), "none.sock"), "system")
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	if err := client.Serving(t.Context()); !errdefs.IsUnavailable(err) || errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("serving = %v, want unavailable at once", err)
	}
}
