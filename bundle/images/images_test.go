package images

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ichor-os/ichor/bundle"
	"github.com/ichor-os/ichor/bundle/filetree"
	"github.com/ichor-os/ichor/version"
)

func artifacts(t *testing.T, names ...string) []bundle.Artifact {
	t.Helper()
	var all []bundle.Artifact
	for _, name := range names {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte(name), 0o755); err != nil {
			t.Fatal(err)
		}
		program, ok := bundle.Lookup(name)
		if !ok {
			program = bundle.Program{Name: name, Module: "github.com/ichor-os/ichor", Version: version.Tag}
		}
		all = append(all, bundle.Artifact{Name: name, Path: path, Module: program.Module, Version: program.Version})
	}
	return all
}

func parts() Parts {
	firewall, storage := &filetree.Tree{}, &filetree.Tree{}
	firewall.Bytes("usr/bin/nft", 0o755, []byte("nft"))
	storage.Bytes("usr/bin/mke2fs", 0o755, []byte("mke2fs"))
	return Parts{
		Certificates: []byte("CA"), CertificatePackages: []string{"ca-certificates"},
		Firewall: Part{firewall, []string{"nftables", "libc6"}}, Storage: Part{storage, []string{"e2fsprogs", "libc6"}},
	}
}

func defaultSet(t *testing.T) Set {
	t.Helper()
	set, err := Default("amd64", version.Kubernetes, artifacts(t, Programs(version.Kubernetes)...), parts())
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func TestDefault_HasTheNamesThatConfigsUse(t *testing.T) {
	var got []string
	for _, image := range defaultSet(t).Images {
		got = append(got, image.Reference)
	}
	want := []string{
		"registry.k8s.io/kube-apiserver:v1.36.3", "registry.k8s.io/kube-controller-manager:v1.36.3",
		"registry.k8s.io/kube-scheduler:v1.36.3", "registry.k8s.io/kube-proxy:v1.36.3", "ghcr.io/siderolabs/kubelet:v1.36.3",
		"registry.k8s.io/etcd:v3.7.3", "registry.k8s.io/coredns/coredns:v1.15.0", "ghcr.io/siderolabs/flannel:v0.28.10",
		"registry.k8s.io/pause:3.10",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("references differ (-want +got):\n%s", diff)
	}
}

func TestDefault_TagsAreTheVersionsOfThePrograms(t *testing.T) {
	for _, image := range defaultSet(t).Images {
		if image.Reference == version.PauseImage {
			continue // its tag is what container runtimes expect
		}
		if tag := image.Labels["org.opencontainers.image.version"]; !strings.HasSuffix(image.Reference, ":"+tag) {
			t.Errorf("%s is made of version %s", image.Reference, tag)
		}
	}
}

func TestDefault_KubernetesImagesShareOneLayer(t *testing.T) {
	count := map[*filetree.Tree]int{}
	for _, image := range defaultSet(t).Images {
		for _, layer := range image.Layers {
			count[layer]++
		}
	}
	shared := 0
	for layer, n := range count {
		if layer.Has("usr/local/bin/hyperkube") {
			shared = n
		}
	}
	if shared != 5 {
		t.Errorf("the layer of hyperkube is in %d images, want 5", shared)
	}
}

func TestDefault_EntrypointIsInTheImageAndLayersDoNotCollide(t *testing.T) {
	for _, image := range defaultSet(t).Images {
		all := map[string]bool{}
		for _, layer := range image.Layers {
			if err := layer.Err(); err != nil {
				t.Fatal(err)
			}
			for _, entry := range layer.Entries() {
				if !entry.Mode.IsDir() && all[entry.Path] {
					t.Errorf("%s: two layers hold /%s", image.Reference, entry.Path)
				}
				all[entry.Path] = true
				if strings.HasPrefix(filepath.Base(entry.Path), "sh") {
					t.Errorf("%s holds /%s", image.Reference, entry.Path)
				}
			}
		}
		if !all[strings.TrimPrefix(image.Entrypoint[0], "/")] {
			t.Errorf("%s: entry point %s is not in the image", image.Reference, image.Entrypoint[0])
		}
	}
}

func TestDefault_UsersAndOrigin(t *testing.T) {
	users := map[string]string{}
	for _, image := range defaultSet(t).Images {
		users[image.Labels["org.opencontainers.image.title"]] = image.User
		if image.Labels["dev.ichor.rebuilt-from"] == "" || !strings.Contains(image.Labels["dev.ichor.rebuilt-from"], "@v") {
			t.Errorf("%s: rebuilt from %q, want modules with versions", image.Reference, image.Labels["dev.ichor.rebuilt-from"])
		}
	}
	want := map[string]string{
		"kube-apiserver": "65534", "kube-controller-manager": "65535", "kube-scheduler": "65536", "kube-proxy": "",
		"kubelet": "", "etcd": "60:60", "coredns": "", "flannel": "", "pause": "65535:65535",
	}
	if diff := cmp.Diff(want, users); diff != "" {
		t.Errorf("users differ (-want +got):\n%s", diff)
	}
}

func TestDefault_PackagesOfEachImageAreKnown(t *testing.T) {
	set := defaultSet(t)
	got := set.Packages["registry.k8s.io/kube-proxy:v1.36.3"]
	if !slices.Equal(got, []string{"ca-certificates", "libc6", "nftables"}) {
		t.Errorf("kube-proxy holds files of %v", got)
	}
	if got := set.Packages[version.PauseImage]; len(got) != 0 {
		t.Errorf("pause holds files of %v, want none", got)
	}
}

func TestDefault_AMissingProgramIsNamed(t *testing.T) {
	_, err := Default("amd64", version.Kubernetes, artifacts(t, "etcd"), parts())
	if err == nil || !strings.Contains(err.Error(), "hyperkube-"+version.Kubernetes) {
		t.Errorf("error = %v, want one that names hyperkube", err)
	}
}
