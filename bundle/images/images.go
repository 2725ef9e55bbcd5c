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

// A Part is a file tree that images take from outside Go, with the names of the
// Debian packages that its files are from.
type Part struct {
	Tree     *filetree.Tree
	Packages []string
}

// Parts are everything that images take from outside Go.
type Parts struct {
	// Certificates is the bundle of public certificate authorities in PEM.
	Certificates []byte
	// CertificatePackages are the Debian packages it is from.
	CertificatePackages []string
	// Firewall is nft and its libraries.
	Firewall Part
	// Storage is what kubelet starts for volumes: mkfs.ext4, mkfs.xfs, e2fsck,
	// resize2fs, xfs_growfs, blkid, blockdev, losetup and their libraries.
	Storage Part
}

// A Set is a group of images with what was put into them.
type Set struct {
	Images []oci.Image
	// Programs of each image by reference.
	Programs map[string][]string
	// Packages are the Debian packages of each image by reference.
	Packages map[string][]string
}

// Programs returns the names of the programs (of package bundle) that Default
// needs for a Kubernetes version.
func Programs(kubernetes string) []string {
	return []string{"hyperkube-" + kubernetes, "etcd", "coredns", "flanneld", "cni-flannel", "pause", "imagetools"}
}

// KubernetesPrograms returns the names of the programs that Kubernetes needs.
func KubernetesPrograms(release string) []string {
	return []string{"hyperkube-" + release, "imagetools"}
}

// TestPrograms returns the names of the programs that Test needs.
func TestPrograms() []string { return []string{"agnhost"} }

// builder collects images; the first error stays.
type builder struct {
	arch     string
	programs map[string]bundle.Artifact
	base     Part
	set      Set
	err      error
}

func newBuilder(arch string, programs []bundle.Artifact, parts Parts) *builder {
	b := &builder{arch: arch, programs: map[string]bundle.Artifact{}}
	b.base = Part{Tree: base(parts.Certificates), Packages: parts.CertificatePackages}
	b.set.Programs, b.set.Packages = map[string][]string{}, map[string][]string{}
	for _, program := range programs {
		b.programs[program.Name] = program
	}
	return b
}

// Default returns the images of a default cluster.
func Default(arch, kubernetes string, programs []bundle.Artifact, parts Parts) (Set, error) {
	b := newBuilder(arch, programs, parts)
	b.kubernetes(kubernetes, parts)
	b.etcd()
	b.add(oci.Image{
		// It runs as root because a file capability would not survive every
		// snapshotter and port 53 needs one; its pod drops all others.
		Reference:  version.CoreDNSImage,
		Entrypoint: []string{"/usr/local/bin/coredns"},
		Ports:      []string{"53/tcp", "53/udp"},
	}, []Part{b.base, b.binary("coredns", "coredns")}, "coredns")
	b.flannel(parts.Firewall)
	b.add(oci.Image{
		Reference:  version.PauseImage,
		Entrypoint: []string{"/pause"},
		User:       "65535:65535",
	}, []Part{b.program("pause", "pause")}, "pause")
	return b.set, b.err
}

// Kubernetes returns only the images that have the version of Kubernetes.
func Kubernetes(arch, release string, programs []bundle.Artifact, parts Parts) (Set, error) {
	b := newBuilder(arch, programs, parts)
	b.kubernetes(release, parts)
	return b.set, b.err
}

// Etcd returns the image of etcd alone.
func Etcd(arch string, programs []bundle.Artifact, parts Parts) (Set, error) {
	b := newBuilder(arch, programs, parts)
	b.etcd()
	return b.set, b.err
}

// Test returns the images that tests run as a workload. They stand in a layout
// of their own: no cluster needs them.
func Test(arch string, programs []bundle.Artifact, parts Parts) (Set, error) {
	b := newBuilder(arch, programs, parts)
	b.add(oci.Image{
		Reference:  "registry.k8s.io/e2e-test-images/agnhost:" + b.programs["agnhost"].Version,
		Entrypoint: []string{"/agnhost"}, Cmd: []string{"pause"},
		Ports: []string{"80/tcp", "8080/tcp", "8081/tcp", "9376/tcp", "5000/tcp"},
	}, []Part{b.base, b.program("agnhost", "agnhost")}, "agnhost")
	return b.set, b.err
}

// kubernetes adds the images that share the one executable of Kubernetes.
func (b *builder) kubernetes(release string, parts Parts) {
	hyperkube := "hyperkube-" + release
	shared := b.binary(hyperkube, "hyperkube")
	for _, component := range []struct {
		name, user string
		more       []Part
	}{
		{"kube-apiserver", fmt.Sprint(apiServerUser), nil},
		{"kube-controller-manager", fmt.Sprint(controllerManagerUser), nil},
		{"kube-scheduler", fmt.Sprint(schedulerUser), nil},
		{"kube-proxy", "", []Part{parts.Firewall}},
	} {
		layers := append([]Part{b.base, shared}, component.more...)
		b.add(oci.Image{
			Reference:  "registry.k8s.io/" + component.name + ":v" + release,
			Entrypoint: []string{"/usr/local/bin/" + component.name},
			User:       component.user,
		}, append(layers, links("hyperkube", component.name)), hyperkube)
	}
	b.add(oci.Image{
		Reference:  "ghcr.io/siderolabs/kubelet:v" + release,
		Entrypoint: []string{"/usr/local/bin/kubelet"},
	}, []Part{b.base, shared, parts.Storage, b.imagetools("mount", "umount"), links("hyperkube", "kubelet")}, hyperkube, "imagetools")
}

func (b *builder) etcd() {
	program := b.binary("etcd", "etcd")
	program.Tree.Symlink("usr/local/bin/etcdctl", "etcd")
	program.Tree.Symlink("usr/local/bin/etcdutl", "etcd")
	program.Tree.OwnedFolder("var/lib/etcd", 0o700, etcdUser, etcdUser)
	b.add(oci.Image{
		Reference:  version.EtcdImage,
		Entrypoint: []string{"/usr/local/bin/etcd"},
		User:       fmt.Sprintf("%d:%d", etcdUser, etcdUser),
		Ports:      []string{"2379/tcp", "2380/tcp"},
	}, []Part{b.base, program}, "etcd")
}

func (b *builder) flannel(firewall Part) {
	daemon := b.program("flanneld", "opt/bin/flanneld")
	daemon.Tree.Folder("run/flannel", 0o755)
	b.add(oci.Image{
		Reference:  version.FlannelImage,
		Entrypoint: []string{"/opt/bin/flanneld"},
	}, []Part{b.base, firewall, b.imagetools("install-cni"), b.program("cni-flannel", "opt/cni/bin/flannel"), daemon},
		"flanneld", "cni-flannel", "imagetools")
}

// add completes an image with its layers, labels and environment.
func (b *builder) add(image oci.Image, layers []Part, programs ...string) {
	image.Arch = b.arch
	var packages []string
	for _, layer := range layers {
		image.Layers = append(image.Layers, layer.Tree)
		packages = append(packages, layer.Packages...)
	}
	slices.Sort(packages)
	if len(layers) > 1 { // all but pause
		image.Env = []string{"PATH=/usr/local/bin:/usr/bin:/opt/bin", "SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt"}
	}
	image.Labels = b.labels(image.Reference, programs)
	b.set.Images = append(b.set.Images, image)
	b.set.Programs[image.Reference] = programs
	b.set.Packages[image.Reference] = slices.Compact(packages)
}

func (b *builder) labels(reference string, programs []string) map[string]string {
	var sources []string
	for _, name := range programs {
		sources = append(sources, b.programs[name].Module+"@"+b.programs[name].Version)
	}
	slices.Sort(sources)
	title, _, _ := strings.Cut(reference[strings.LastIndex(reference, "/")+1:], ":")
	return map[string]string{
		"org.opencontainers.image.title":       title,
		"org.opencontainers.image.version":     b.programs[programs[0]].Version,
		"org.opencontainers.image.source":      "https://github.com/ichor-os/ichor",
		"org.opencontainers.image.url":         "https://github.com/ichor-os/ichor",
		"org.opencontainers.image.vendor":      "The Ichor authors",
		"org.opencontainers.image.licenses":    "Apache-2.0",
		"org.opencontainers.image.description": "Rebuilt by Ichor from public Go modules; not the image that the upstream project publishes under this name.",
		"dev.ichor.rebuilt-from":               strings.Join(slices.Compact(sources), " "),
		"dev.ichor.version":                    version.Tag,
	}
}

// program makes a layer that holds one program at a path.
func (b *builder) program(name, path string) Part {
	tree := &filetree.Tree{}
	artifact, ok := b.programs[name]
	if !ok {
		if b.err == nil {
			b.err = fmt.Errorf("define images: program %s was not built; there are %s", name, strings.Join(slices.Sorted(maps.Keys(b.programs)), ", "))
		}
		return Part{Tree: tree}
	}
	tree.Copy(path, 0o755, artifact.Path, artifact.SHA256)
	return Part{Tree: tree}
}

func (b *builder) binary(program, name string) Part {
	return b.program(program, "usr/local/bin/"+name)
}

func (b *builder) imagetools(applets ...string) Part {
	part := b.binary("imagetools", "imagetools")
	for _, applet := range applets {
		part.Tree.Symlink("usr/local/bin/"+applet, "imagetools")
	}
	return part
}

// links makes a layer that gives a program further names.
func links(program string, names ...string) Part {
	tree := &filetree.Tree{}
	for _, name := range names {
		tree.Symlink("usr/local/bin/"+name, program)
	}
	return Part{Tree: tree}
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
	filetree.MergeUsr(tree)
	return tree
}
