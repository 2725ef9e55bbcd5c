// Package images defines the container images that a default cluster runs, made
// of the programs that package bundle builds. They have the names that configs
// in the wild use; their labels say that they were rebuilt from public modules.
//
// The main function is Default. No image holds a shell or an interpreter.
package images

import (
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/ichor-os/ichor/bundle"
	"github.com/ichor-os/ichor/bundle/filetree"
	"github.com/ichor-os/ichor/bundle/oci"
	"github.com/ichor-os/ichor/version"
)

// Users that images run as unless the pod says otherwise. The programs of the
// control plane have one each, so that none reads another's keys.
const (
	etcdUser              = 60
	apiServerUser         = 65534
	controllerManagerUser = 65535
	schedulerUser         = 65536
)

// Parts are file trees that images take from outside Go.
type Parts struct {
	// Certificates is the bundle of public certificate authorities in PEM.
	Certificates []byte
	// Firewall adds nft and its libraries to a tree.
	Firewall func(*filetree.Tree) error
	// Storage adds what kubelet starts for volumes: mkfs.ext4, mkfs.xfs,
	// e2fsck, resize2fs, xfs_growfs, blkid, blockdev, losetup and their
	// libraries.
	Storage func(*filetree.Tree) error
}

// A Set is a group of images with what was put into them.
type Set struct {
	Images []oci.Image
	// Programs of each image by reference.
	Programs map[string][]string
	// Debian tells by reference whether an image holds Debian programs.
	Debian map[string]bool
}

// Programs returns the names of the programs (of package bundle) that Default
// needs for a Kubernetes version.
func Programs(kubernetes string) []string {
	return []string{"hyperkube-" + kubernetes, "etcd", "coredns", "flanneld", "cni-flannel", "pause", "imagetools"}
}

// TestPrograms returns the names of the programs that Test needs.
func TestPrograms() []string { return []string{"agnhost"} }

// builder collects images; the first error stays.
type builder struct {
	arch     string
	programs map[string]bundle.Artifact
	base     *filetree.Tree
	set      Set
	err      error
}

func newBuilder(arch string, programs []bundle.Artifact, certificates []byte) *builder {
	b := &builder{arch: arch, programs: map[string]bundle.Artifact{}, base: base(certificates)}
	b.set.Programs, b.set.Debian = map[string][]string{}, map[string]bool{}
	for _, program := range programs {
		b.programs[program.Name] = program
	}
	return b
}

// Default returns the images of a default cluster.
func Default(arch, kubernetes string, programs []bundle.Artifact, parts Parts) (Set, error) {
	b := newBuilder(arch, programs, parts.Certificates)
	hyperkube := "hyperkube-" + kubernetes
	firewall := b.tree(parts.Firewall)
	storage := b.tree(parts.Storage)
	shared := b.binary(hyperkube, "hyperkube")
	for _, component := range []struct {
		name string
		user string
		more []*filetree.Tree
	}{
		{"kube-apiserver", fmt.Sprint(apiServerUser), nil},
		{"kube-controller-manager", fmt.Sprint(controllerManagerUser), nil},
		{"kube-scheduler", fmt.Sprint(schedulerUser), nil},
		{"kube-proxy", "", []*filetree.Tree{firewall}},
	} {
		layers := append([]*filetree.Tree{b.base, shared}, component.more...)
		b.add(oci.Image{
			Reference:  "registry.k8s.io/" + component.name + ":v" + kubernetes,
			Entrypoint: []string{"/usr/local/bin/" + component.name},
			User:       component.user,
			Layers:     append(layers, links("hyperkube", component.name)),
		}, component.more != nil, hyperkube)
	}
	b.add(oci.Image{
		Reference:  "ghcr.io/siderolabs/kubelet:v" + kubernetes,
		Entrypoint: []string{"/usr/local/bin/kubelet"},
		Layers:     []*filetree.Tree{b.base, shared, storage, b.imagetools("mount", "umount"), links("hyperkube", "kubelet")},
	}, true, hyperkube, "imagetools")
	b.etcd()
	b.add(oci.Image{
		// It runs as root because a file capability would not survive every
		// snapshotter and port 53 needs one; its pod drops all others.
		Reference:  version.CoreDNSImage,
		Entrypoint: []string{"/usr/local/bin/coredns"},
		Layers:     []*filetree.Tree{b.base, b.binary("coredns", "coredns")},
		Ports:      []string{"53/tcp", "53/udp"},
	}, false, "coredns")
	b.flannel(firewall)
	b.pause()
	return b.set, b.err
}

// Test returns the images that tests run as a workload. They stand in a layout
// of their own: no cluster needs them.
func Test(arch string, programs []bundle.Artifact, certificates []byte) (Set, error) {
	b := newBuilder(arch, programs, certificates)
	tree := b.program("agnhost", "agnhost")
	b.add(oci.Image{
		Reference:  "registry.k8s.io/e2e-test-images/agnhost:" + b.programs["agnhost"].Version,
		Entrypoint: []string{"/agnhost"}, Cmd: []string{"pause"},
		Layers: []*filetree.Tree{b.base, tree},
		Ports:  []string{"80/tcp", "8080/tcp", "8081/tcp", "9376/tcp", "5000/tcp"},
	}, false, "agnhost")
	return b.set, b.err
}

func (b *builder) etcd() {
	tree := b.binary("etcd", "etcd")
	tree.Symlink("usr/local/bin/etcdctl", "etcd")
	tree.Symlink("usr/local/bin/etcdutl", "etcd")
	tree.OwnedFolder("var/lib/etcd", 0o700, etcdUser, etcdUser)
	b.add(oci.Image{
		Reference:  version.EtcdImage,
		Entrypoint: []string{"/usr/local/bin/etcd"},
		User:       fmt.Sprintf("%d:%d", etcdUser, etcdUser),
		Layers:     []*filetree.Tree{b.base, tree},
		Ports:      []string{"2379/tcp", "2380/tcp"},
	}, false, "etcd")
}

func (b *builder) flannel(firewall *filetree.Tree) {
	daemon := b.program("flanneld", "opt/bin/flanneld")
	daemon.Folder("run/flannel", 0o755)
	b.add(oci.Image{
		Reference:  version.FlannelImage,
		Entrypoint: []string{"/opt/bin/flanneld"},
		Layers:     []*filetree.Tree{b.base, firewall, b.imagetools("install-cni"), b.program("cni-flannel", "opt/cni/bin/flannel"), daemon},
	}, true, "flanneld", "cni-flannel", "imagetools")
}

func (b *builder) pause() {
	b.add(oci.Image{
		Reference:  version.PauseImage,
		Entrypoint: []string{"/pause"},
		User:       "65535:65535",
		Layers:     []*filetree.Tree{b.program("pause", "pause")},
	}, false, "pause")
}

// add completes an image: labels, environment, checks.
func (b *builder) add(image oci.Image, debian bool, programs ...string) {
	image.Arch = b.arch
	image.Env = []string{"PATH=/usr/local/bin:/usr/bin:/opt/bin", "SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt"}
	if len(programs) == 1 && programs[0] == "pause" {
		image.Env = nil
	}
	var sources []string
	for _, name := range programs {
		artifact := b.programs[name]
		sources = append(sources, artifact.Module+"@"+artifact.Version)
	}
	slices.Sort(sources)
	main := b.programs[programs[0]]
	image.Labels = map[string]string{
		"org.opencontainers.image.title":       strings.Split(image.Reference[strings.LastIndex(image.Reference, "/")+1:], ":")[0],
		"org.opencontainers.image.version":     main.Version,
		"org.opencontainers.image.source":      "https://github.com/ichor-os/ichor",
		"org.opencontainers.image.url":         "https://github.com/ichor-os/ichor",
		"org.opencontainers.image.vendor":      "The Ichor authors",
		"org.opencontainers.image.licenses":    "Apache-2.0",
		"org.opencontainers.image.description": "Rebuilt by Ichor from public Go modules; not the image that the upstream project publishes under this name.",
		"dev.ichor.rebuilt-from":               strings.Join(slices.Compact(sources), " "),
		"dev.ichor.version":                    version.Tag,
	}
	b.set.Images = append(b.set.Images, image)
	b.set.Programs[image.Reference] = programs
	b.set.Debian[image.Reference] = debian
}

// tree calls fill with a new tree.
func (b *builder) tree(fill func(*filetree.Tree) error) *filetree.Tree {
	tree := &filetree.Tree{}
	if err := fill(tree); err != nil && b.err == nil {
		b.err = fmt.Errorf("define images: %w", err)
	}
	return tree
}

// program makes a layer that holds one program at a path.
func (b *builder) program(name, path string) *filetree.Tree {
	tree := &filetree.Tree{}
	artifact, ok := b.programs[name]
	if !ok {
		if b.err == nil {
			b.err = fmt.Errorf("define images: program %s was not built; there are %s", name, strings.Join(slices.Sorted(maps.Keys(b.programs)), ", "))
		}
		return tree
	}
	tree.Copy(path, 0o755, artifact.Path, artifact.SHA256)
	return tree
}

func (b *builder) binary(program, name string) *filetree.Tree {
	return b.program(program, "usr/local/bin/"+name)
}

func (b *builder) imagetools(applets ...string) *filetree.Tree {
	tree := b.binary("imagetools", "imagetools")
	for _, applet := range applets {
		tree.Symlink("usr/local/bin/"+applet, "imagetools")
	}
	return tree
}

// links makes a layer that gives a program further names.
func links(program string, names ...string) *filetree.Tree {
	tree := &filetree.Tree{}
	for _, name := range names {
		tree.Symlink("usr/local/bin/"+name, program)
	}
	return tree
}

// base is the lowest layer of every image but pause: users, name lookup, a
// place for temporary files, certificate authorities.
func base(certificates []byte) *filetree.Tree {
	tree := &filetree.Tree{}
	tree.Bytes("etc/passwd", 0o644, []byte(`root:x:0:0:root:/:/nonexistent
etcd:x:60:60:etcd:/:/nonexistent
kube-apiserver:x:65534:65534:kube-apiserver:/:/nonexistent
kube-controller-manager:x:65535:65535:kube-controller-manager:/:/nonexistent
kube-scheduler:x:65536:65536:kube-scheduler:/:/nonexistent
`))
	tree.Bytes("etc/group", 0o644, []byte(`root:x:0:
etcd:x:60:
kube-apiserver:x:65534:
kube-controller-manager:x:65535:
kube-scheduler:x:65536:
`))
	tree.Bytes("etc/nsswitch.conf", 0o644, []byte("hosts: files dns\n"))
	tree.Bytes("etc/ssl/certs/ca-certificates.crt", 0o644, certificates)
	tree.Folder("tmp", fs.ModeSticky|0o777)
	for _, folder := range []string{"bin", "sbin"} {
		tree.Symlink(folder, "usr/bin")
	}
	tree.Symlink("usr/sbin", "bin")
	tree.Folder("usr/bin", 0o755)
	return tree
}
