package e2e

import (
	"archive/tar"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"runtime"
	"testing"

	commonpb "github.com/ichor-os/ichor/api/common"
	machinepb "github.com/ichor-os/ichor/api/machine"
	"github.com/ichor-os/ichor/client"
)

// importDockerImage sends an archive as docker saves it, and finds its image.
func importDockerImage(t *testing.T, node context.Context, api *client.Client) {
	t.Helper()
	const name = "example.com/imported:1"
	archive := dockerArchive(t, name)
	system := &commonpb.ContainerdInstance{Namespace: commonpb.ContainerdNamespace_NS_SYSTEM}
	stream, err := api.Image.Import(node)
	if err != nil {
		t.Fatal(err)
	}
	messages := []*machinepb.ImageServiceImportRequest{{Request: &machinepb.ImageServiceImportRequest_Containerd{Containerd: system}}}
	for len(archive) > 0 {
		n := min(len(archive), 30_000)
		messages = append(messages, &machinepb.ImageServiceImportRequest{
			Request: &machinepb.ImageServiceImportRequest_ImageChunk{ImageChunk: &commonpb.Data{Bytes: archive[:n]}},
		})
		archive = archive[n:]
	}
	for _, m := range messages {
		if err := stream.Send(m); err != nil {
			break // the answer says why
		}
	}
	answer, err := stream.CloseAndRecv()
	if err != nil || answer.GetName() != name {
		t.Fatalf("import = %q, %v; want %q", answer.GetName(), err, name)
	}
	list, err := drain(api.Image.List(node, &machinepb.ImageServiceListRequest{Containerd: system}))
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range list {
		if i.GetName() == name && i.GetSize() > 100_000 {
			return
		}
	}
	t.Errorf("%s is not in %v with its size", name, list)
}

func dockerArchive(t *testing.T, name string) []byte {
	t.Helper()
	pack := func(files ...any) []byte {
		var out bytes.Buffer
		w := tar.NewWriter(&out)
		for i := 0; i < len(files); i += 2 {
			content := files[i+1].([]byte)
			if err := w.WriteHeader(&tar.Header{Name: files[i].(string), Mode: 0o644, Size: int64(len(content))}); err != nil {
				t.Fatal(err)
			}
			if _, err := w.Write(content); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		return out.Bytes()
	}
	encode := func(what any) []byte {
		text, err := json.Marshal(what)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	layer := pack("file", bytes.Repeat([]byte("content "), 20_000))
	config := encode(map[string]any{
		"os": "linux", "architecture": runtime.GOARCH, "config": map[string]any{"Cmd": []string{"/file"}},
		"rootfs": map[string]any{"type": "layers", "diff_ids": []string{fmt.Sprintf("sha256:%x", sha256.Sum256(layer))}},
	})
	manifest := encode([]map[string]any{{"Config": "config.json", "RepoTags": []string{name}, "Layers": []string{"layer.tar"}}})
	return pack("manifest.json", manifest, "config.json", config, "layer.tar", layer)
}
